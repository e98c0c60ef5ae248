"""Where bytes came from: the address every record carries and every later projection points back to."""

from typing import NewType

import msgspec

StreamId = NewType("StreamId", str)
"""Names one sequence of bytes with offsets: a session file, a run's stdout, a pane."""


class Place(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A slice of a stream: `length` bytes from `offset` on."""

    stream: StreamId
    offset: int
    length: int
