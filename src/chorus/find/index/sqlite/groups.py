"""Reads sums, grouped: SQLite adds them up, and only groups reach Python."""

import sqlite3
from typing import Any

import msgspec

from chorus.core.conversation.items import Limit
from chorus.core.conversation.tokens import Tokens
from chorus.core.spending.rows import Spent
from chorus.find.index.activities import NO_TIME, OUTCOMES, Done, Kind, latest_limits, quarter_number
from chorus.find.index.groups import MAIN_THREAD, Group, PeriodOf, Span, worker

_KEYS: dict[Group, str] = {
    "period": "period_of(quarter)",
    "model": "model",
    "workspace": "workspace",
    "agent": "agent, thread <> ''",
    "subagent": "CASE thread WHEN '' THEN NULL ELSE coalesce(type, '') END",
    "conversation": "name",
}
_JOINS: dict[Group, str] = {
    "workspace": " JOIN conversation ON n = conversation",
    "agent": " JOIN conversation ON n = conversation",
    "conversation": " JOIN conversation ON n = conversation",
    "subagent": " LEFT JOIN agent_type USING (conversation, thread)",
}
_SUMS = (
    "sum(input), sum(output), sum(cache_creation), sum(cache_read),"
    # What a price counts as written for five minutes is decided row by row (`rates.counts`).
    " sum(max(cache_creation - cache_creation_1h, cache_creation_5m)), sum(cache_creation_1h),"
    " sum(web_searches), sum(web_fetches), sum(spent.messages), sum(lower_bounds)"
)
_limit = msgspec.msgpack.Decoder(Limit)


def used(
    connection: sqlite3.Connection, by: Group, numbers: list[int] | None, span: Span | None, period_of: PeriodOf
) -> dict[str, list[Spent]]:
    """See `Index.used`."""
    _offer(connection, period_of)
    where, given = _where("spent.", numbers)
    if span is not None:
        where += " AND quarter >= ? AND quarter < ? AND quarter <> ''"
        given += [span.since, span.until]
    price = "model, tier, prompt_over, is_per_turn, substr(quarter, 1, 10)"
    rows = connection.execute(
        f"SELECT {_SUMS}, {price}, {_KEYS[by]} FROM spent{_JOINS.get(by, '')} WHERE {where}"  # noqa: S608 - our names
        f" GROUP BY {_KEYS[by]}, {price}",
        given,
    )
    found: dict[str, list[Spent]] = {}
    for *figures, messages, lower_bounds, model, tier, prompt_over, is_per_turn, day, key, rest in _padded(rows):
        tokens = Tokens(*figures)
        spent = Spent(
            "", "", day, model or None, tier or None, prompt_over, bool(is_per_turn), tokens, messages, lower_bounds
        )
        found.setdefault(_key(by, key, rest), []).append(spent)
    return found


def users(
    connection: sqlite3.Connection, by: Group, key: str, span: Span | None, period_of: PeriodOf
) -> frozenset[str]:
    """See `Index.users`."""
    _offer(connection, period_of)
    where, given = "1", []
    if span is not None:
        where, given = "quarter >= ? AND quarter < ? AND quarter <> ''", [span.since, span.until]
    joins = _JOINS.get(by, "")
    named = "name" if "JOIN conversation" in joins else "(SELECT name FROM conversation WHERE n = conversation)"
    rows = connection.execute(
        f"SELECT DISTINCT {named}, {_KEYS[by]}, 0 FROM spent{joins} WHERE {where}",  # noqa: S608 - names of our own
        given,
    )
    return frozenset(name for name, own, is_sub, *_ in rows if _key(by, own, is_sub) == key)


def _offer(connection: sqlite3.Connection, period_of: PeriodOf) -> None:
    """Makes `period_of` a function of SQL; each quarter is asked for once."""
    known: dict[str, str] = {}

    def period(quarter: str) -> str:
        found = known.get(quarter)
        if found is None:
            found = known[quarter] = period_of(quarter)
        return found

    connection.create_function("period_of", 1, period, deterministic=True)


def done(
    connection: sqlite3.Connection,
    numbers: list[int] | None,
    span: Span | None,
    label: tuple[Kind, str] | None,
    *,
    is_by_conversation: bool,
) -> list[Done]:
    """See `Index.done`."""
    where, given = _where("", numbers)
    if span is not None:
        where += " AND quarter >= ? AND quarter < ?"
        given += [quarter_number(span.since), quarter_number(span.until)]
    if label is not None:
        where += " AND label = (SELECT n FROM label WHERE kind = ? AND name = ?)"
        given += label
    owner = "conversation" if is_by_conversation else "0"
    is_total = numbers is None and span is None and not is_by_conversation
    table = "done_total" if is_total else "done"
    rows = connection.execute(
        "SELECT coalesce((SELECT name FROM conversation WHERE n = owner), ''),"  # noqa: S608 - names of our own
        " kind, name, outcome, class, count, ms"
        f" FROM (SELECT {owner} AS owner, label, outcome, class, sum(count) AS count, sum(total_ms) AS ms FROM {table}"
        f" WHERE {where} GROUP BY owner, label, outcome, class HAVING sum(count)) JOIN label ON label.n = label",
        given,
    )
    return [
        Done(name, kind, called, NO_TIME, OUTCOMES[outcome], number, count, ms)
        for name, kind, called, outcome, number, count, ms in rows
    ]


def limits(connection: sqlite3.Connection) -> list[Limit]:
    """See `Index.limits`."""
    return latest_limits(_limit.decode(data) for (data,) in connection.execute("SELECT data FROM account_limit"))


def _padded(rows: sqlite3.Cursor) -> Any:
    """Yields each row with a second part of its key: only agents have one."""
    return (row if len(row) == 17 else (*row, None) for row in rows)


def _key(by: Group, key: str | None, rest: int | None) -> str:
    if by == "agent":
        return worker(key or "", "sub" if rest else "")
    return MAIN_THREAD if by == "subagent" and key is None else key or ""


def _where(table: str, numbers: list[int] | None) -> tuple[str, list[Any]]:
    if numbers is None:
        return "1", []
    return f"{table}conversation IN ({','.join(str(int(number)) for number in numbers)})", []
