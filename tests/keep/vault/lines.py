"""Builds a source whose lines follow from their numbers, so that the lines of a killed writer can be checked."""

import random

from chorus.keep.vault.keys import StreamKey

SEEN_AT = "2026-03-01T12:00:00.000Z"
KEY = StreamKey("work-12345678", "main", "talk")
SIDE = StreamKey("work-12345678", "main", "talk", "agent-1")


def line(number: int, *, most: int = 2_000) -> bytes:
    """Returns the line of that number. Some lines are long, so that their write can be cut in two."""
    chance = random.Random(number)
    size = most * 100 if number % 17 == 5 else chance.randrange(most)
    return b'{"n":%d,"x":"%s"}\n' % (number, b"%x" % (number % 16) * size)


def source(count: int, *, most: int = 2_000) -> bytes:
    return b"".join(line(number, most=most) for number in range(count))
