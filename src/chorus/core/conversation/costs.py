"""The cost of each turn, computed from totals that continue over turns and resumes."""

from collections.abc import Iterable

from chorus.core.conversation.items import Turn

_PER_PROCESS_UNTIL = (2, 1, 150)
"""The last known client version whose total starts again with each process. Later ones continue it over a resume."""


def cost_increments(turns: Iterable[Turn], versions: tuple[str, ...]) -> dict[str, float]:
    """Returns turn id → dollars that the turn added, for turns in order: as the client states it, else the difference.

    A total that is lower than the one before starts a new count, so it is the increment itself. The same is true for
    the total of another stream if every client of the session counts per process.
    """
    goes_on = carries_over(versions)
    increments: dict[str, float] = {}
    before: Turn | None = None
    for turn in turns:
        total = turn.total_cost_usd
        if total is None:
            continue
        known = None
        if before is not None and (goes_on or before.place.stream == turn.place.stream):
            known = before.total_cost_usd
        if turn.cost_since_last_usd is not None:
            increments[turn.id] = turn.cost_since_last_usd
        else:
            increments[turn.id] = total - known if known is not None and total >= known else total
        before = turn
    return increments


def carries_over(versions: tuple[str, ...]) -> bool:
    """Returns whether the totals of these client versions may continue over a resume."""
    return any(_number(version) > _PER_PROCESS_UNTIL for version in versions) or not versions


def _number(version: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in version.split("-", maxsplit=1)[0].split("."))
    except ValueError:
        return (0,)
