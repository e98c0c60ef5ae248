"""Sums of usage for each turn: what came between one prompt of a person and the next one."""

import sqlite3
from collections.abc import Iterable

from msgspec import structs

from chorus.core.conversation.tokens import Tokens
from chorus.core.spending.ownership import Owned
from chorus.core.spending.rows import Spent, Usage
from chorus.find.index.groups import sums_by_turn

_FIGURES = (*Tokens.__struct_fields__, "messages", "lower_bounds")
_NEWEST = 32
_ADD = (
    f"INSERT INTO turn_spent VALUES ({', '.join('?' * (6 + len(_FIGURES)))})"  # noqa: S608 - names of our own
    f" ON CONFLICT DO UPDATE SET {', '.join(f'{name} = {name} + excluded.{name}' for name in _FIGURES)}"
)


def numbered(connection: sqlite3.Connection, conversation: int, usages: Iterable[Usage]) -> list[Usage]:
    """Returns the usages with the numbers of their turns in place of the ids of prompts."""
    found = list(usages)
    wanted = {usage.turn for usage in found if usage.turn}
    if not wanted:
        return found
    known = _known(connection, conversation, wanted)
    for item in sorted(wanted - known.keys()):
        number = connection.execute("INSERT INTO turn VALUES (NULL, ?, ?)", (conversation, _bindable(item))).lastrowid
        known[item] = str(number)
    return [structs.replace(usage, turn=known[usage.turn]) if usage.turn else usage for usage in found]


def _known(connection: sqlite3.Connection, conversation: int, wanted: set[str]) -> dict[str, str]:
    """Returns the numbers of turns: of the newest ones if these are all that is wanted, as with most lines that are
    added to a conversation, however many turns it has.
    """
    known: dict[str, str] = {}
    for most in (_NEWEST, -1):
        rows = connection.execute(
            "SELECT item, n FROM turn WHERE conversation = ? ORDER BY n DESC LIMIT ?", (conversation, most)
        )
        known = {item: str(n) for item, n in rows}
        if len(known) < most or wanted <= known.keys():
            break
    return known


def add(connection: sqlite3.Connection, settled: Iterable[Owned], sign: int) -> None:
    """Adds the usage of messages to the sums of their turns, or subtracts it."""
    rows = [
        (
            int(turn),
            each.quarter,
            each.model or "",
            each.tier or "",
            each.prompt_over,
            int(each.is_per_turn),
            *(sign * figure for figure in (*structs.astuple(each.tokens), each.messages, each.lower_bounds)),
        )
        for turn, sums in sums_by_turn(settled).items()
        for each in sums
    ]
    connection.executemany(_ADD, rows)
    if sign < 0:
        connection.executemany(
            "DELETE FROM turn_spent WHERE turn = ? AND messages = 0", [(turn,) for turn in {row[0] for row in rows}]
        )


def turn_sums(connection: sqlite3.Connection, conversation: int) -> dict[str, list[Spent]]:
    """Returns prompt → what was used in its turn."""
    found: dict[str, list[Spent]] = {}
    rows = connection.execute(
        "SELECT turn.item, turn_spent.* FROM turn JOIN turn_spent ON turn.n = turn WHERE turn.conversation = ?",
        (conversation,),
    )
    for item, _, day, model, tier, prompt_over, is_per_turn, *figures, messages, lower_bounds in rows:
        tokens = Tokens(*figures)
        spent = Spent(
            "", "", day, model or None, tier or None, prompt_over, bool(is_per_turn), tokens, messages, lower_bounds
        )
        found.setdefault(item, []).append(spent)
    return found


def _bindable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
