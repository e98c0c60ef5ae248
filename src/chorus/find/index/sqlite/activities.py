"""Counts activities once over all conversations, and updates the sums with each change.

`find.index.activities` decides which conversation owns an activity. The rows of activities that change are subtracted
from the sums before, and added again afterwards, as `money` does for messages.
"""

import sqlite3
from collections.abc import Iterable

from chorus.core.spending.ownership import NEVER
from chorus.find.index.activities import OUTCOMES, Activity, settle
from chorus.find.index.durations import class_of
from chorus.find.index.entry_activities import activity_of
from chorus.find.index.rows import Entry
from chorus.find.index.sqlite.money import number_of

_AT_ONCE = 500
_OUTCOME = {outcome: n for n, outcome in enumerate(OUTCOMES)}
_ADD = (
    "INSERT INTO done VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
    " count = count + excluded.count, total_ms = total_ms + excluded.total_ms"
)
_ADD_TOTAL = (
    "INSERT INTO done_total VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
    " count = count + excluded.count, total_ms = total_ms + excluded.total_ms"
)
"""The sums over all conversations at any time: they are asked for most often."""
_Row = tuple[int, int, int, int, int | None]
"""The owner, label, quarter, outcome and duration of an activity."""


def put(connection: sqlite3.Connection, conversation: int, activities: Iterable[Activity], gone: Iterable[str]) -> None:
    """Stores activities as this conversation states them."""
    labels = _Labels(connection)
    stated = {_digest(each.id): each for each in activities}
    numbers = stated.keys() | set(map(_digest, gone))
    if not numbers:
        return
    known = _known(connection, numbers)
    _count(connection, known, -1)
    connection.executemany(
        "DELETE FROM activity WHERE id = ? AND conversation = ?", [(number, conversation) for number in known]
    )
    rows: list[tuple[int, _Row]] = [
        (number, (conversation, labels.number(each), each.quarter, _OUTCOME[each.outcome], each.duration_ms))
        for number, each in sorted(stated.items())
    ]
    connection.executemany("INSERT INTO activity VALUES (?, ?, ?, ?, ?, ?)", [(number, *row) for number, row in rows])
    _count(connection, known, 1)
    # Most activities are in one conversation only and need no second lookup.
    _add(connection, (row for number, row in rows if number not in known), 1)


def withdraw(connection: sqlite3.Connection, name: str, entries: Iterable[Entry]) -> set[int]:
    """Subtracts all activities of the conversation `name`, before it is removed or its start time changes.

    `entries` are all that the index has of it: what they count as is what is stored, so no second list is needed.
    """
    found = (activity_of(entry, name) for entry in entries)
    numbers = {_digest(each.id) for each in found if each is not None}
    _count(connection, numbers, -1)
    return numbers


def remove(connection: sqlite3.Connection, conversation: int, numbers: set[int]) -> None:
    """Deletes activities of a conversation that were withdrawn."""
    connection.executemany(
        "DELETE FROM activity WHERE id = ? AND conversation = ?", [(number, conversation) for number in numbers]
    )


def enter(connection: sqlite3.Connection, numbers: set[int]) -> None:
    """Adds activities that were withdrawn again."""
    _count(connection, numbers, 1)


def _digest(activity: str) -> int:
    """Returns an id as a number of six bytes: among a million, two are the same with a chance of 1 in 500."""
    return number_of(activity) >> 16


class _Labels:
    """The kinds and names of activities, which are stored once."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._numbers: dict[tuple[str, str], int] = {}

    def number(self, activity: Activity) -> int:
        key = (activity.kind, activity.name.encode("utf-8", "replace").decode())
        known = self._numbers.get(key)
        if known is None:
            self._connection.execute("INSERT OR IGNORE INTO label VALUES (NULL, ?, ?)", key)
            row = self._connection.execute("SELECT n FROM label WHERE kind = ? AND name = ?", key).fetchone()
            known = self._numbers[key] = int(row[0])
        return known


def _count(connection: sqlite3.Connection, numbers: set[int], sign: int) -> None:
    """Adds these activities to the sums, or subtracts them."""
    _add(connection, (_settled(connection, rows) for rows in _copies(connection, numbers)), sign)


def _add(connection: sqlite3.Connection, rows: Iterable[_Row], sign: int) -> None:
    sums: dict[tuple[int, int, int, int, int], list[int]] = {}
    for owner, label, quarter, outcome, duration_ms in rows:
        known = sums.setdefault((owner, label, quarter, outcome, class_of(duration_ms)), [0, 0])
        known[0] += sign
        known[1] += sign * (duration_ms or 0)
    connection.executemany(_ADD, [(*key, *figures) for key, figures in sorted(sums.items())])
    totals: dict[tuple[int, int, int], list[int]] = {}
    for (_, label, _, outcome, number), (count, ms) in sums.items():
        known = totals.setdefault((label, outcome, number), [0, 0])
        known[0] += count
        known[1] += ms
    connection.executemany(_ADD_TOTAL, [(*key, *figures) for key, figures in sorted(totals.items())])
    if sign < 0:
        connection.executemany(
            "DELETE FROM done WHERE conversation = ? AND count = 0", [(owner,) for owner in {key[0] for key in sums}]
        )


def _copies(connection: sqlite3.Connection, numbers: set[int]) -> Iterable[list[tuple[str, str, _Row]]]:
    """Yields the copies of each activity: start and name of the conversation, and the row."""
    wanted = sorted(numbers)
    for start in range(0, len(wanted), _AT_ONCE):
        some = wanted[start : start + _AT_ONCE]
        marks = ",".join("?" * len(some))
        found: dict[int, list[tuple[str, str, _Row]]] = {}
        for number, started_at, name, *row in connection.execute(
            "SELECT id, started_at, name, conversation, label, quarter, outcome, duration_ms FROM activity"  # noqa: S608
            f" JOIN conversation ON n = conversation WHERE id IN ({marks})",
            some,
        ):
            owner, label, quarter, outcome, duration_ms = row
            found.setdefault(number, []).append(
                (started_at or NEVER, name, (owner, label, quarter, outcome, duration_ms))
            )
        yield from found.values()


def _settled(connection: sqlite3.Connection, copies: list[tuple[str, str, _Row]]) -> _Row:
    """Returns what counts of copies: the rule is that of `find.index.activities.settle`."""
    if len(copies) == 1:
        return copies[0][2]
    owners = {name: row[0] for _, name, row in copies}
    labels = {str(row[1]): row[1] for _, _, row in copies}
    stated = [
        (started, name, Activity("", "call", str(row[1]), row[2], OUTCOMES[row[3]], row[4]))
        for started, name, row in copies
    ]
    owner, each = settle(stated)
    return owners[owner], labels[each.name], each.quarter, _OUTCOME[each.outcome], each.duration_ms


def _known(connection: sqlite3.Connection, numbers: set[int]) -> set[int]:
    """Returns those of the activities that some conversation has already stated."""
    found: set[int] = set()
    wanted = sorted(numbers)
    for start in range(0, len(wanted), _AT_ONCE):
        some = wanted[start : start + _AT_ONCE]
        marks = ",".join("?" * len(some))
        found.update(n for (n,) in connection.execute(f"SELECT id FROM activity WHERE id IN ({marks})", some))  # noqa: S608
    return found
