"""Where bytes come from: the address that every record has and that everything derived from it refers to."""

from typing import NewType

import msgspec

StreamId = NewType("StreamId", str)
"""The name of one sequence of bytes with offsets: a session file, the standard output of a run, a pane."""


class Place(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A slice of a stream: `length` bytes starting at `offset`."""

    stream: StreamId
    offset: int
    length: int
