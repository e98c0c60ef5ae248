"""Titles of conversations: the title that a person gave, else the one from the records."""

from collections.abc import Iterable

from chorus.find.index.port import Index
from chorus.find.search.annotations import Annotations, with_given_titles


def title_of(index: Index, name: str, annotations: Annotations) -> str:
    """Returns the title of one conversation, as every list shows it; its name if it is not known."""
    row = index.conversation(name)
    return with_given_titles([row], annotations)[0].title if row is not None else name


def titles(index: Index, names: Iterable[str], annotations: Annotations) -> dict[str, str]:
    """Returns the titles of these conversations by their names in the vault; one without a title is left out."""
    rows = [row for name in names if (row := index.conversation(name)) is not None]
    return {
        row.name: row.title for row in with_given_titles(rows, annotations) if row.title.strip() and row.title != row.id
    }
