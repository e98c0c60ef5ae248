"""Narrows regex searches: finds the words of the index that a matching text must contain.

A text that matches `time(d )?out` has a word that contains `time`, and one that contains `out`. Scanning all distinct
words takes a hundredth of the time that reading all texts takes.
"""

import sqlite3
from collections.abc import Iterable

from chorus.core.query.literals import Clause, best_first, clauses
from chorus.core.query.tree import Node
from chorus.find.index.sqlite.words import MARK

NOTHING = ""
"""No text can match."""
_MAX_WORDS = 1_000
"""A clause that more words contain does not narrow the search."""
_MAX_CLAUSES = 3
_LARGEST_BYTES = 400 << 20
"""A larger index has so many words that reading texts at once is faster."""


def narrowed(connection: sqlite3.Connection, checks: Iterable[Node]) -> str | None:
    """Returns an FTS5 query for entries that may pass all checks: an expression, `NOTHING`, or None if none helps."""
    wanted = best_first(clause for check in checks for clause in clauses(check))[:_MAX_CLAUSES]
    if not wanted or _size(connection) > _LARGEST_BYTES:
        return None
    words = _words(connection, frozenset[str]().union(*wanted))
    terms: list[str] = []
    for clause in wanted:
        found = _of_clause(clause, words)
        if found is not None and not found:
            return NOTHING
        if found is not None:
            terms.append("(" + " OR ".join(f'"{word}"' for word in found) + ")")
    return " AND ".join(terms) or None


def _of_clause(clause: Clause, words: list[str]) -> list[str] | None:
    found = [word for word in words if any(run in word for run in clause)]
    return found if len(found) <= _MAX_WORDS else None


def _words(connection: sqlite3.Connection, runs: frozenset[str]) -> list[str]:
    """Returns the words that contain one of the runs, in any order."""
    asks = " OR ".join(["instr(term, ?)"] * len(runs))
    rows = connection.execute(f"SELECT CAST(term AS BLOB) FROM term WHERE {asks}", sorted(runs))  # noqa: S608
    # SQLite cuts words of more than 32 KiB, possibly within a character. The incomplete rest cannot be searched for.
    found = (term.decode("utf-8", "ignore") for (term,) in rows)
    return [word for word in found if not word.startswith(MARK)]


def _size(connection: sqlite3.Connection) -> int:
    pages, size = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
    return int(pages) * int(size)
