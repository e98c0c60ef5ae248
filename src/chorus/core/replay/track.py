"""The states of a conversation as a sequence of small changes, in packed chunks."""

from itertools import takewhile

import msgspec

from chorus.core.replay.panel import Panel, PanelChange, changed

CHUNK = 1_000
"""How many moments a chunk has."""
_encoder = msgspec.msgpack.Encoder()
_Chunk = tuple[Panel, list[PanelChange]]
_decoder = msgspec.msgpack.Decoder(_Chunk)


class StateTrack:
    """The state at each moment. A chunk has the state before its first moment, and the changes since."""

    def __init__(self) -> None:
        self._chunks: list[bytes | _Chunk] = []
        self._open_panel = Panel()
        self._open: list[PanelChange] = []

    def begin_chunk(self, panel: Panel) -> None:
        """Closes the current chunk. `panel` is the state before the first moment of the next one."""
        self._chunks.append(_packed((self._open_panel, self._open)))
        self._open_panel, self._open = panel, []

    def add(self, change: PanelChange) -> None:
        """Adds the change of a moment of the current chunk."""
        self._open.append(change)

    def chunk(self, number: int) -> _Chunk:
        """Returns the state before the first moment of a chunk, and the changes in it."""
        if number >= len(self._chunks):
            return self._open_panel, list(self._open)
        found = self._chunks[number]
        return _decoder.decode(found) if isinstance(found, bytes) else found


def state_at(track: StateTrack, moment: int) -> Panel:
    """Returns the state at a moment, by its number; -1 is the state before the first moment."""
    if moment < 0:
        return Panel()
    panel, changes = track.chunk(moment // CHUNK)
    return changed(panel, takewhile(lambda change: change.moment <= moment, changes))


def _packed(chunk: _Chunk) -> bytes | _Chunk:
    try:
        return _encoder.encode(chunk)
    except (UnicodeEncodeError, OverflowError):
        # A transcript may contain lone surrogates and huge numbers, which MessagePack cannot hold.
        return chunk
