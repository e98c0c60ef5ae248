"""Which of the client's reported costs counts for a conversation that has several.

They describe the same work and are never added: increments of `total_cost_usd` on turns, the total in the session file,
`costUSD` on the messages of the oldest clients. The first one in `ORDER` that exists counts. In a fork, all except the
increments include the cost of its source, which is counted there, so they are left out.
"""

from collections.abc import Iterable, Sequence

from chorus.core.spending.rows import Reported

TURNS, FIRST_TURN, COST_STATE, MESSAGES = "turns", "first-turn", "cost-state", "messages"
ORDER = (TURNS, COST_STATE, MESSAGES)
"""Turns say when money was spent; a session file only has a total; messages lack requests that failed."""
CARRIED = frozenset({FIRST_TURN, COST_STATE, MESSAGES})
"""Sources that in a fork include the cost of the conversation it was forked from."""


def choose_figures(rows: Iterable[Reported], forks: frozenset[str]) -> tuple[list[Reported], frozenset[str]]:
    """Returns the rows that count, from one source for each conversation, and the forks that lost rows by this rule."""
    by_conversation: dict[str, list[Reported]] = {}
    for row in rows:
        by_conversation.setdefault(row.conversation, []).append(row)
    kept: list[Reported] = []
    cut: set[str] = set()
    for conversation, found in by_conversation.items():
        chosen = _chosen(found)
        if conversation in forks and any(row.source in CARRIED for row in chosen):
            cut.add(conversation)
            chosen = [row for row in chosen if row.source not in CARRIED]
        kept += chosen
    return kept, frozenset(cut)


def group_of(source: str) -> str:
    """Returns the group of sources that a source belongs to."""
    return TURNS if source == FIRST_TURN else source


def _chosen(rows: Sequence[Reported]) -> list[Reported]:
    for source in ORDER:
        if found := [row for row in rows if group_of(row.source) == source]:
            return found
    return []
