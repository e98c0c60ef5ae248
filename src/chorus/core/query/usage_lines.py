"""The values of the field `usage:`: one line of a usage report, whose conversations are asked for.

usage:day=2026-02-03                            the line of a day
usage:tool=Bash                                 the line of a tool
usage:2026-02-01..2026-02-28:model=claude-x     the same, in a report of these days only
"""

import re
from datetime import date
from typing import Literal, NamedTuple, get_args

Grouping = Literal["day", "week", "month", "hour", "model", "workspace", "agent", "subagent", "conversation", "tool"]
"""What the lines of a usage report are about."""
GROUPINGS: tuple[Grouping, ...] = get_args(Grouping)
_VALUE = re.compile(
    r"(?:(?P<since>\d{4}-\d\d-\d\d)?\.\.(?P<until>\d{4}-\d\d-\d\d)?:)?(?P<by>[a-z]+)=(?P<key>.+)", re.DOTALL
)


class UsageLine(NamedTuple):
    """One line of a report of some days."""

    by: Grouping
    key: str
    since: date | None = None
    until: date | None = None

    @property
    def value(self) -> str:
        """The value of the field that names this line."""
        days = f"{self.since or ''}..{self.until or ''}:" if self.since or self.until else ""
        return f"{days}{self.by}={self.key}"


def parse_usage_line(text: str) -> UsageLine:
    """Returns the line that a value names. Raises `ValueError`, which says what is expected."""
    found = _VALUE.fullmatch(text)
    by = next((each for each in GROUPINGS if found is not None and each == found["by"]), None)
    if found is None or by is None:
        raise ValueError(f"usage names a line of a report, like day=2026-02-03; a line is a {', '.join(GROUPINGS)}")
    since, until = (date.fromisoformat(days) if days else None for days in found.group("since", "until"))
    return UsageLine(by, found["key"], since, until)
