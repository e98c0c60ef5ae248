"""Which of the client's own figures counts for a conversation that has several.

They are figures for the same work, never to be added: increments of `total_cost_usd` on turns, the total in the session
file, `costUSD` on the messages of the oldest clients. The first in `ORDER` that there is counts. In a fork, all but the
increments hold the cost of what it was forked from, which is counted there: they are left out.
"""

from collections.abc import Iterable, Sequence

from chorus.core.spending.rows import Reported

TURNS, FIRST_TURN, COST_STATE, MESSAGES = "turns", "first-turn", "cost-state", "messages"
ORDER = (TURNS, COST_STATE, MESSAGES)
"""Turns tell when money was spent; a session file only how much in all; messages leave out requests that failed."""
CARRIED = frozenset({FIRST_TURN, COST_STATE, MESSAGES})
"""Figures that in a fork hold the cost of the conversation it was forked from."""


def choose_figures(rows: Iterable[Reported], forks: frozenset[str]) -> tuple[list[Reported], frozenset[str]]:
    """The rows that count, of one source for each conversation; and the forks that lost a figure to the rule."""
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
    """The figure that a row of this source is part of."""
    return TURNS if source == FIRST_TURN else source


def _chosen(rows: Sequence[Reported]) -> list[Reported]:
    for source in ORDER:
        if found := [row for row in rows if group_of(row.source) == source]:
            return found
    return []
