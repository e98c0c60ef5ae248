"""Finds the conversations that may share messages with another one: only these are folded to find the owners."""

from collections.abc import Iterable, Mapping

from chorus.core.spending.ownership import NEVER
from chorus.find.index.port import Index
from chorus.find.index.rows import Position
from chorus.keep.archive.listing import Kept


def sharers(index: Index, kept: Kept, every: Iterable[Kept]) -> list[Kept]:
    """Returns those of `every` that may contain a message of `kept`, without `kept` itself.

    The owner of a message started first, and all others that contain it are forks. So a conversation that is no fork
    shares messages only with forks, and a fork with forks and with conversations that started no later. A conversation
    that the index has not read to its end may contain anything.
    """
    positions = index.positions()
    others = [each for each in every if each.name != kept.name]
    if not _is_read(kept, positions):
        return others
    forks = index.spent([])[2]
    if kept.name not in forks:
        return [each for each in others if each.name in forks or not _is_read(each, positions)]
    start = _start(index, kept)
    return [
        each for each in others if each.name in forks or not _is_read(each, positions) or _start(index, each) <= start
    ]


def _is_read(kept: Kept, positions: Mapping[str, Mapping[str, Position]]) -> bool:
    """Whether the index has read everything that is stored of the conversation."""
    known = positions.get(kept.name, {})
    sizes = kept.sizes
    return all(key.stream in known and known[key.stream].size_bytes == sizes[key.stream] for key in kept.content)


def _start(index: Index, kept: Kept) -> str:
    row = index.conversation(kept.name)
    return (row.session.started_at if row else None) or NEVER
