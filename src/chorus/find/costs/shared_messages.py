"""Which conversations may hold messages of another one, so that only these need to be folded to tell whose they are."""

from collections.abc import Iterable, Mapping

from chorus.core.spending.ownership import NEVER
from chorus.find.index.port import Index
from chorus.find.index.rows import Position
from chorus.keep.archive.listing import Kept


def sharers(index: Index, kept: Kept, every: Iterable[Kept]) -> list[Kept]:
    """Those of `every` that may hold a message of `kept`, which is left out itself.

    A message's owner started first, and all others that hold it are forks: so a conversation that is no fork shares
    its messages with forks alone, and a fork with forks and with those that started no later. What the index has not
    read to its end may hold anything.
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
    """Whether the index knows all that is kept of the conversation."""
    known = positions.get(kept.name, {})
    sizes = kept.sizes
    return all(key.stream in known and known[key.stream].size_bytes == sizes[key.stream] for key in kept.content)


def _start(index: Index, kept: Kept) -> str:
    row = index.conversation(kept.name)
    return (row.session.started_at if row else None) or NEVER
