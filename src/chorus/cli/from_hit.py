"""Show a conversation from a hit of the last search on."""

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from chorus.cli.named_by_query import own_number
from chorus.core.views.rows import AgentRow, MessageRow, OrphanRow, Row, ToolCall
from chorus.find.search.last_search import is_number, recall
from chorus.keep.vault.files import FileVault

if TYPE_CHECKING:
    from chorus.core.views.terminal import Look


def hit_of(source: str, vault: FileVault) -> str:
    """Return the id of the entry with this number in the last search; "" if the source is anything else."""
    if not is_number(source) or os.path.lexists(source):
        return ""
    hit = recall(vault.root).hit(int(source))
    if hit is None or hit.entry is None or own_number(source, vault) is not None:
        return ""
    return hit.entry


def from_hit(rows: Iterable[Row], look: "Look") -> Iterator[Row]:
    """Yield the rows from the one that contains the hit on; all rows if none contains it."""
    passed: list[Row] = []
    found = iter(rows)
    for row in found:
        if _holds(row, look):
            yield row
            yield from found
            return
        passed.append(row)
    yield from passed


def _holds(row: Row, look: "Look") -> bool:
    """Whether the hit is this row, one of its calls, or in a sub-agent that one of its calls started."""
    if row.id == look.found:
        return True
    calls = [row.call] if isinstance(row, OrphanRow) else []
    if isinstance(row, MessageRow):
        calls += [piece for piece in row.pieces if isinstance(piece, ToolCall)]
    agents = [row.agent] if isinstance(row, AgentRow) else [call.agent for call in calls if call.agent]
    return any(look.is_found(call.id) for call in calls) or any(
        _holds(inner, look) for agent in agents for inner in agent.rows
    )
