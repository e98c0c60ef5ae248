"""What the client itself said that a conversation cost: on turns, in the session file, on messages.

A total goes on over a resume, so what a turn added is known by difference, or where the client states it.
"""

from collections.abc import Iterable, Sequence

from chorus.conversation.costs import cost_increments
from chorus.conversation.fold import Fold
from chorus.conversation.items import MAIN, Turn
from chorus.ledger.choosing import COST_STATE, FIRST_TURN, MESSAGES, TURNS
from chorus.ledger.counting import time_of
from chorus.ledger.periods import quarter
from chorus.ledger.rows import Reported


def reported_of(fold: Fold, turns: Iterable[Turn], name: str) -> list[Reported]:
    """Every figure that there is for the conversation `name`, with its source; `choosing` says which of them counts.

    `turns` are its turn items by now, in any order.
    """
    session = fold.state.session
    ordered = sorted((turn for turn in turns if turn.agent == MAIN), key=lambda turn: turn.order)
    found = [
        Reported(name, quarter(time_of(turn, session)), usd, source)
        for turn, usd, source in increments(ordered, session.versions)
    ]
    told = fold.state.api_messages.values()
    if session.state_cost_usd is not None:
        # The total bears no time. It is that of the last message it can hold.
        times = [message.started_at for message in told if message.tokens is not None and message.started_at]
        found.append(Reported(name, quarter(max(times, default=None)), session.state_cost_usd, COST_STATE))
    found += [
        Reported(name, quarter(message.started_at), message.cost_usd, MESSAGES)
        for message in told
        if message.cost_usd is not None
    ]
    return found


def increments(turns: Sequence[Turn], versions: tuple[str, ...]) -> list[tuple[Turn, float, str]]:
    """What each turn of a conversation, in order, added to its cost, and whether that is known or a first total."""
    added = cost_increments(turns, versions)
    found: list[tuple[Turn, float, str]] = []
    for turn in turns:
        if turn.id in added:
            is_bare = not found and turn.cost_since_last_usd is None
            found.append((turn, added[turn.id], FIRST_TURN if is_bare else TURNS))
    return found
