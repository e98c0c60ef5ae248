"""Counts usage once per message over all conversations, and updates the sums with each change.

`core.spending.ownership` decides who owns a message and what it counts for. The amounts of messages are subtracted from
the sums before their rows change, and added again afterwards. So the sums always equal those of the rows, in whatever
order conversations arrive.
"""

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator

from msgspec import structs

from chorus.core.conversation.items import Tokens
from chorus.core.spending.ownership import NEVER, Owned, group_copies, merge_copies
from chorus.core.spending.ownership import spent as sums_of
from chorus.core.spending.rows import Usage
from chorus.find.index.sqlite import turns
from chorus.find.index.sqlite.usages import Usages

_AT_ONCE = 500
_MOST = 1 << 40
"""The limit for tokens of one kind in one message: no API reports as many, and the sum of millions of these still fits.
"""


def put(connection: sqlite3.Connection, conversation: int, usages: Iterable[Usage], gone: Iterable[str] = ()) -> None:
    """Stores the usage of messages as this conversation reports it."""
    numbered = turns.numbered(connection, conversation, usages)
    reported = {number_of(usage.message): _summable(usage) for usage in numbered}
    numbers = reported.keys() | set(map(number_of, gone))
    known = _known(connection, numbers)
    _count(connection, known, -1)
    connection.executemany(
        "DELETE FROM usage WHERE message = ? AND conversation = ?", [(number, conversation) for number in known]
    )
    stored = Usages(connection).stored
    rows = [(number, conversation, stored(usage)) for number, usage in reported.items()]
    connection.executemany("INSERT INTO usage VALUES (?, ?, ?)", rows)
    _count(connection, known, 1)
    # Most messages are in one conversation only and need no second lookup.
    (name,) = connection.execute("SELECT name FROM conversation WHERE n = ?", (conversation,)).fetchone()
    alone = [Owned(name, usage) for number, usage in reported.items() if number not in known]
    _add(connection, alone, 1)


def withdraw(connection: sqlite3.Connection, conversation: int) -> set[int]:
    """Subtracts all messages of the conversation from the sums, before it is removed or its start time changes."""
    rows = connection.execute("SELECT message FROM usage WHERE conversation = ?", (conversation,))
    numbers = {number for (number,) in rows}
    _count(connection, numbers, -1)
    return numbers


def enter(connection: sqlite3.Connection, numbers: set[int]) -> None:
    """Adds messages that were withdrawn to the sums again."""
    _count(connection, numbers, 1)


def _summable(usage: Usage) -> Usage:
    """Returns the usage with figures limited so that sums of many fit into a column."""
    figures = structs.astuple(usage.tokens)
    if all(0 <= figure <= _MOST for figure in figures):
        return usage
    tokens = Tokens(*(max(-_MOST, min(_MOST, figure)) for figure in figures))
    return structs.replace(usage, tokens=tokens)


def number_of(message: str) -> int:
    """Returns the id of a message as a number that fits into a column."""
    digest = hashlib.blake2b(message.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, signed=True)


def _count(connection: sqlite3.Connection, numbers: set[int], sign: int) -> None:
    """Adds the amounts of these messages to the sums, or subtracts them."""
    settled: list[Owned] = []
    for number, found, holders in _settled(connection, numbers):
        settled.append(found)
        if sign < 0:
            connection.execute("DELETE FROM copy WHERE message = ?", (number,))
        else:
            connection.executemany(
                "INSERT INTO copy SELECT ?, n FROM conversation WHERE name = ?",
                [(number, name) for name in holders if name != found.conversation],
            )
    _add(connection, settled, sign)


def contested(connection: sqlite3.Connection) -> dict[int, set[int]]:
    """Returns conversation → messages (both by number) that conversations report differently under one id."""
    several = connection.execute("SELECT message FROM usage GROUP BY message HAVING COUNT(*) > 1").fetchall()
    found: dict[int, set[int]] = {}
    names: dict[str, int] = {}
    for (number,) in several:
        parts = list(_settled(connection, {number}))
        for name in (name for _, _, holders in parts for name in holders) if len(parts) > 1 else ():
            if name not in names:
                names[name] = _number(connection, name)
            found.setdefault(names[name], set()).add(number)
    return found


def _known(connection: sqlite3.Connection, numbers: set[int]) -> set[int]:
    """Returns those of the messages that some conversation has already reported."""
    found: set[int] = set()
    wanted = sorted(numbers)
    for start in range(0, len(wanted), _AT_ONCE):
        some = wanted[start : start + _AT_ONCE]
        marks = ",".join("?" * len(some))
        rows = connection.execute(f"SELECT DISTINCT message FROM usage WHERE message IN ({marks})", some)  # noqa: S608
        found.update(number for (number,) in rows)
    return found


def _add(connection: sqlite3.Connection, settled: list[Owned], sign: int) -> None:
    ids = {name: _number(connection, name) for name in {found.conversation for found in settled}}
    rows = [
        (
            ids[each.conversation],
            each.thread,
            each.quarter,
            each.model or "",
            each.tier or "",
            each.prompt_over,
            int(each.is_per_turn),
            *(sign * figure for figure in (*structs.astuple(each.tokens), each.messages, each.lower_bounds)),
        )
        for each in sums_of(settled)
    ]
    connection.executemany(_ADD, rows)
    turns.add(connection, settled, sign)
    if sign < 0:
        connection.executemany(
            "DELETE FROM spent WHERE conversation = ? AND messages = 0", [(owner,) for owner in ids.values()]
        )


_COLUMNS = (*Tokens.__struct_fields__, "messages", "lower_bounds")
_ADD = (
    f"INSERT INTO spent VALUES ({', '.join('?' * (7 + len(_COLUMNS)))})"  # noqa: S608 - names of our own
    f" ON CONFLICT DO UPDATE SET {', '.join(f'{name} = {name} + excluded.{name}' for name in _COLUMNS)}"
)


def _settled(connection: sqlite3.Connection, numbers: set[int]) -> Iterator[tuple[int, Owned, list[str]]]:
    """Yields each message with its owner and the names of the conversations that contain it."""
    usages = Usages(connection) if numbers else None
    for number in numbers:
        rows = connection.execute(
            "SELECT started_at, name, data FROM usage JOIN conversation ON n = conversation WHERE message = ?",
            (number,),
        ).fetchall()
        if rows and usages:
            copies = [(started or NEVER, name, usages.usage(str(number), data)) for started, name, data in rows]
            for some in group_copies(copies) if len(copies) > 1 else (copies,):
                yield number, merge_copies(some), [copy[1] for copy in some]


def _number(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute("SELECT n FROM conversation WHERE name = ?", (name,)).fetchone()[0])
