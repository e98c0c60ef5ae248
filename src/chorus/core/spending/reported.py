"""The costs that the client itself reported: on turns, in the session file, on messages.

A total continues over a resume. So the cost of a turn is the difference of two totals, or what the client states.
"""

from collections.abc import Iterable, Sequence

from chorus.core.conversation.costs import cost_increments
from chorus.core.conversation.fold import Fold
from chorus.core.conversation.items import MAIN, Turn
from chorus.core.spending.counting import time_of
from chorus.core.spending.periods import quarter
from chorus.core.spending.reported_choice import COST_STATE, FIRST_TURN, MESSAGES, TURNS
from chorus.core.spending.rows import Reported


class MessageCosts:
    """The costs in messages and the start of the last message, updated without reading all messages again."""

    def __init__(self, fold: Fold) -> None:
        self._fold = fold
        self._costs: dict[str, tuple[str | None, float]] = {}
        self._last: tuple[str, str] | None = None
        """The start and the name of the last message."""
        self.update(list(fold.state.api_messages))

    def update(self, messages: Iterable[str]) -> None:
        """Reads messages that may have new facts."""
        for name in messages:
            known = self._fold.state.api_messages.get(name)
            if known is None:
                continue
            if known.cost_usd is not None:
                self._costs[name] = known.started_at, known.cost_usd
            if known.tokens is None or not known.started_at:
                continue
            if self._last is not None and self._last[1] == name and known.started_at < self._last[0]:
                # It began earlier than was known, so another message may be the last.
                self._last = None
                self.update(list(self._fold.state.api_messages))
            if self._last is None or known.started_at > self._last[0]:
                self._last = known.started_at, name

    @property
    def last_at(self) -> str | None:
        return self._last[0] if self._last else None

    def costs(self) -> Iterable[tuple[str | None, float]]:
        """Returns start and cost of each message that has a cost."""
        return self._costs.values()


def reported_of(
    fold: Fold, turns: Iterable[Turn], name: str, message_costs: MessageCosts | None = None
) -> list[Reported]:
    """Returns every reported cost of the conversation `name`, with its source. `reported_choice` selects what counts.

    `turns` are its turn items so far, in any order. `message_costs` is created if it is not given.
    """
    session = fold.state.session
    ordered = sorted((turn for turn in turns if turn.agent == MAIN), key=lambda turn: turn.order)
    found = [
        Reported(name, quarter(time_of(turn, session)), usd, source)
        for turn, usd, source in increments(ordered, session.versions)
    ]
    message_costs = message_costs or MessageCosts(fold)
    if session.state_cost_usd is not None:
        # The total has no time. It gets the time of the last message that it can include.
        found.append(Reported(name, quarter(message_costs.last_at), session.state_cost_usd, COST_STATE))
    found += [Reported(name, quarter(at), usd, MESSAGES) for at, usd in message_costs.costs()]
    return found


def increments(turns: Sequence[Turn], versions: tuple[str, ...]) -> list[tuple[Turn, float, str]]:
    """Returns each turn with the cost that it added and the source: `TURNS`, or `FIRST_TURN` for a first total.

    `turns` must be in order.
    """
    added = cost_increments(turns, versions)
    found: list[tuple[Turn, float, str]] = []
    for turn in turns:
        if turn.id in added:
            is_bare = not found and turn.cost_since_last_usd is None
            found.append((turn, added[turn.id], FIRST_TURN if is_bare else TURNS))
    return found
