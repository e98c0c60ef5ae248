"""Titles of conversations: the title that a person gave, else the one from the records."""

from collections.abc import Iterable

from chorus.find.index.port import Index
from chorus.find.search.annotations import Annotations, with_given_titles


def titles(index: Index, names: Iterable[str], annotations: Annotations) -> dict[str, str]:
    """Returns the titles of these conversations by their names in the vault; one without a title is left out."""
    rows = [row for name in names if (row := index.conversation(name)) is not None]
    return {
        row.name: row.title for row in with_given_titles(rows, annotations) if row.title.strip() and row.title != row.id
    }
