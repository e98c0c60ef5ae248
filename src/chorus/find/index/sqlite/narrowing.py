"""Patterns narrowed down: which words of the index can be part of a text that holds them.

A text that matches `time(d )?out` has a word in which `time` stands, and one with `out`. All words there are can be
gone through in a hundredth of the time that all texts take.
"""

import sqlite3
from collections.abc import Iterable

from chorus.core.query.literals import Clause, best_first, clauses
from chorus.core.query.tree import Node
from chorus.find.index.sqlite.words import MARK

NOTHING = ""
"""No text can hold what is asked for."""
_MAX_WORDS = 1_000
"""Runs that more words hold do not narrow anything down."""
_MAX_CLAUSES = 3
_LARGEST_BYTES = 400 << 20
"""An index beyond this has so many words that it is better to look at texts at once."""


def narrowed(connection: sqlite3.Connection, checks: Iterable[Node]) -> str | None:
    """What to ask for the entries in which all checks may hold: an expression, `NOTHING`, or None when none helps."""
    wanted = best_first(clause for check in checks for clause in clauses(check))[:_MAX_CLAUSES]
    if not wanted or _size(connection) > _LARGEST_BYTES:
        return None
    words = _words(connection, frozenset[str]().union(*wanted))
    said: list[str] = []
    for clause in wanted:
        found = _of_clause(clause, words)
        if found is not None and not found:
            return NOTHING
        if found is not None:
            said.append("(" + " OR ".join(f'"{word}"' for word in found) + ")")
    return " AND ".join(said) or None


def _of_clause(clause: Clause, words: list[str]) -> list[str] | None:
    found = [word for word in words if any(run in word for run in clause)]
    return found if len(found) <= _MAX_WORDS else None


def _words(connection: sqlite3.Connection, runs: frozenset[str]) -> list[str]:
    """The words that hold one of the runs, in any order."""
    asks = " OR ".join(["instr(term, ?)"] * len(runs))
    rows = connection.execute(f"SELECT CAST(term AS BLOB) FROM term WHERE {asks}", sorted(runs))  # noqa: S608
    # SQLite cuts words of more than 32 KiB, if need be within a character: what is left of that cannot be asked for.
    found = (term.decode("utf-8", "ignore") for (term,) in rows)
    return [word for word in found if not word.startswith(MARK)]


def _size(connection: sqlite3.Connection) -> int:
    pages, size = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
    return int(pages) * int(size)
