"""The phrase that every passphrase prompt shows, so that a prompt of another program looks wrong.

Programs of the same user can read it in the list of approvers: see docs/security.md.
"""

import secrets

LONGEST = 80
_WORDS = """
amber anchor apple arrow autumn basil beacon birch bramble bridge canyon cedar cello chalk cinder clover cobalt
comet copper coral crane dawn delta ember falcon fern fiddle flint forest galley garnet ginger glacier harbor hazel
heron indigo island ivory jasper juniper kettle lantern lark lemon linen maple marble meadow mint nectar north oak
olive onyx orchard otter pebble pepper pine plum poppy quartz quill raven reef river saffron sage sand sparrow
spruce stone summer tide timber tulip velvet violet walnut willow winter wren zephyr
"""


def new() -> str:
    """Return three random words."""
    words = _WORDS.split()
    return " ".join(secrets.choice(words) for _ in range(3))
