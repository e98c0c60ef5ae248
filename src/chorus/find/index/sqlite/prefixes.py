"""Prefixes as the words there are.

SQLite reads and merges all that it knows of every word of a prefix before it gives the first hit, which at a million
messages takes longer than everything else. Words that are asked for by name it walks side by side, newest first, and
only as far as hits are wanted; but each step looks at all of them, so that whoever wants very many hits is better off
with the merging.
"""

import sqlite3

_MOST = 1_000
"""Of more words than this, to find out which they are takes too long."""
_LAST = "\U0010ffff"
_NEXT = "\x01"
"""Goes before whatever a word may go on with."""
_WORDS = """
WITH RECURSIVE found(term) AS (
    SELECT (SELECT term FROM vocabulary WHERE term >= :prefix AND term < :end LIMIT 1)
    UNION ALL
    SELECT (SELECT term FROM vocabulary WHERE term >= found.term || :next AND term < :end LIMIT 1)
    FROM found WHERE found.term IS NOT NULL LIMIT :most
)
SELECT CAST(term AS BLOB) FROM found WHERE term IS NOT NULL
"""
"""From each word to the next: the places where a word stands, of which `vocabulary` is a list, are never read."""


def words_of(connection: sqlite3.Connection, prefix: str) -> list[str] | None:
    """The words that begin with `prefix`, in order; None when they cannot be asked for one by one."""
    asked = {"prefix": prefix, "end": prefix + _LAST, "next": _NEXT, "most": _MOST + 1}
    found = [term for (term,) in connection.execute(_WORDS, asked)]
    if len(found) > _MOST:
        return None
    try:
        return [term.decode() for term in found]
    except UnicodeDecodeError:
        # SQLite cuts words of more than 32 KiB, if need be within a character.
        return None
