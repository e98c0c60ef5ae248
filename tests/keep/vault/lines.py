"""A source whose every line is known from its number: what a killed writer kept can be checked against it."""

import random

from chorus.keep.vault.keys import StreamKey

SEEN_AT = "2026-03-01T12:00:00.000Z"
KEY = StreamKey("work-12345678", "main", "talk")
SIDE = StreamKey("work-12345678", "main", "talk", "agent-1")


def line(number: int, *, most: int = 2_000) -> bytes:
    """The line of that number: some are long, so that a write of them can be cut in two."""
    chance = random.Random(number)
    size = most * 100 if number % 17 == 5 else chance.randrange(most)
    return b'{"n":%d,"x":"%s"}\n' % (number, b"%x" % (number % 16) * size)


def source(count: int, *, most: int = 2_000) -> bytes:
    return b"".join(line(number, most=most) for number in range(count))
