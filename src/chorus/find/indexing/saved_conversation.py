"""The saved state of an active conversation in the indexer: what it contains, and how it is read again."""

from functools import cache
from typing import Any, get_args, get_type_hints

import msgspec
from msgspec import Struct

from chorus.core.conversation.authority import StreamAuthorities
from chorus.core.conversation.route import RouterState
from chorus.core.conversation.state import State
from chorus.core.progress.parser import ProgressState
from chorus.find.index.rows import Position
from chorus.find.indexing.spilling_dict import Packed, decoder_of

VERSION = 7
"""The version of saved states: a state with another version is not used."""
_COUNTED = ("api_messages", "turn_tokens")
_GROWING = ("lines", "agent_lines", "messages", "calls", "anchors", *_COUNTED)
"""What the fold stores for every line."""


class Saved(Struct):
    """The saved state of a conversation."""

    version: int
    fold: bytes
    """Without what is in `aside`."""
    aside: dict[str, Packed]
    """What the fold stores for every line, where that is much. It stays compressed, because twenty long conversations
    that are saved together would otherwise be in memory at once.
    """
    routers: dict[str, RouterState]
    sidecars: dict[str, str]
    """The metadata of sub-agents' files: stream → content."""
    positions: dict[str, Position]
    """How far streams had been read at that time; the index may have read further."""
    is_per_turn: bool
    """Whether the usages in the index are those of turns."""
    authorities: StreamAuthorities
    outputs: dict[str, str]
    """Outputs in separate files → the digest of the content that was read; "" if there was none."""
    progress: ProgressState


@cache
def growing_decoders() -> dict[str, msgspec.msgpack.Decoder[Any]]:
    """Returns decoders for the fields that grow with a conversation, for their spilled parts."""
    hints = get_type_hints(State)
    return {name: decoder_of(get_args(hints[name])[1]) for name in _GROWING}


@cache
def decoders_without_usage() -> dict[str, msgspec.msgpack.Decoder[Any]]:
    """Returns the same decoders without those for fields about usage."""
    return {name: decoder for name, decoder in growing_decoders().items() if name not in _COUNTED}


def load_saved(saved: bytes | None) -> Saved | None:
    """Returns a saved state; None if there is none, or none that this version can read."""
    if saved is None:
        return None
    try:
        state = msgspec.msgpack.decode(saved, type=Saved)
    except msgspec.MsgspecError:
        return None
    return state if state.version == VERSION and state.aside.keys() <= growing_decoders().keys() else None
