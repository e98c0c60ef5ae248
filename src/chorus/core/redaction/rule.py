"""A rule of redaction: how one kind of secret looks, and which words must be near before its pattern is tried."""

from typing import Literal

from msgspec import Struct

Kind = Literal["secret", "personal", "named", "image"]


class Rule(Struct, frozen=True):
    """One kind of secret or of personal data."""

    id: str
    """Names the rule in lists, in `--allow` and in placeholders: `[github-token-1]`."""
    title: str
    keywords: tuple[str, ...]
    """In lower case. The pattern is tried only on texts that contain one of them."""
    pattern: str
    """In RE2 syntax. What is replaced is the first group, or the whole match if there is no group."""
    source: str
    """Where the format is documented."""
    kind: Kind = "secret"
    min_entropy: float = 0.0
    """The least number of bits per character; only for values that are recognised by the name beside them."""
    is_fixed: bool = True
    """Whether the value itself has the format, so that it is also found if a terminal wrapped it over two lines."""
    has_lines: bool = False
    """Whether each line of the value is a secret of its own, as in a private key."""
    is_password: bool = False
    """Whether a person made up the value: then it may have any characters, but of several kinds."""
