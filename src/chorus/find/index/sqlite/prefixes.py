"""Expands prefixes to the words that begin with them.

For a prefix, SQLite reads and merges the entry lists of all matching words before it returns the first hit. With a
million messages this takes longer than everything else. Words that are listed explicitly are walked in parallel, newest
first, and only as far as hits are wanted. But each step looks at all of them, so that merging is faster for a caller
that wants very many hits.
"""

import sqlite3

_MOST = 1_000
"""With more words than this, listing them takes too long."""
_LAST = "\U0010ffff"
_NEXT = "\x01"
"""Sorts before every character that a word may continue with."""
_WORDS = """
WITH RECURSIVE found(term) AS (
    SELECT (SELECT term FROM vocabulary WHERE term >= :prefix AND term < :end LIMIT 1)
    UNION ALL
    SELECT (SELECT term FROM vocabulary WHERE term >= found.term || :next AND term < :end LIMIT 1)
    FROM found WHERE found.term IS NOT NULL LIMIT :most
)
SELECT CAST(term AS BLOB) FROM found WHERE term IS NOT NULL
"""
"""Jumps from each word to the next, so that the positions of words, which `vocabulary` lists, are never read."""


def words_of(connection: sqlite3.Connection, prefix: str) -> list[str] | None:
    """Returns the words that begin with `prefix`, sorted; None when there are too many or one of them is cut."""
    asked = {"prefix": prefix, "end": prefix + _LAST, "next": _NEXT, "most": _MOST + 1}
    found = [term for (term,) in connection.execute(_WORDS, asked)]
    if len(found) > _MOST:
        return None
    try:
        return [term.decode() for term in found]
    except UnicodeDecodeError:
        # SQLite cuts words of more than 32 KiB, possibly within a character.
        return None
