"""What is done about a run whose budget is used up: its turn is interrupted, and then it is stopped. Pure."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from chorus.core.budgets.judging import Use

STOP_AFTER_S = 5.0
"""A run that has not ended its turn this long after it was interrupted is stopped anyway."""


class Step(NamedTuple):
    """What is to be done now."""

    act: Literal["interrupt", "stop"]
    use: Use

    @property
    def why(self) -> str:
        return f"its budget is used up: {self.use.words}"


class Enforcement:
    """The budgets of one run. A budget that is used up stays so until an approver allows more."""

    def __init__(self, stop_after_s: float = STOP_AFTER_S) -> None:
        self._stop_after_s = stop_after_s
        self._spent: Use | None = None
        self._interrupted_s = 0.0

    def step(self, used: Sequence[Use], *, is_idle: bool, now_s: float) -> Step | None:
        """Returns what is to be done; None if nothing is. `now_s` is on a monotonic clock."""
        # An interrupted turn ends a row of errors, and a new day begins with nothing: neither gives the run back.
        if self._spent is not None and not _is_spent_still(self._spent, used):
            self._spent = None
        if self._spent is None:
            self._spent = next((use for use in used if use.state == "spent"), None)
            if self._spent is None:
                return None
            self._interrupted_s = now_s
            if not is_idle:
                return Step("interrupt", self._spent)
        is_due = is_idle or now_s - self._interrupted_s > self._stop_after_s
        return Step("stop", self._spent) if is_due else None


def _is_spent_still(spent: Use, used: Sequence[Use]) -> bool:
    """Returns whether the limit that was used up is still there, and not higher than what was used then."""
    return any(
        (use.scope, use.workspace, use.measure) == (spent.scope, spent.workspace, spent.measure)
        and use.limit <= max(spent.used, use.used)
        for use in used
    )
