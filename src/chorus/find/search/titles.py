"""What people call conversations: the title that a person gave, else the one that the records tell."""

from collections.abc import Iterable

from chorus.find.index.port import Index
from chorus.find.search.annotations import Said, entitled


def titles(index: Index, names: Iterable[str], said: Said) -> dict[str, str]:
    """The titles of these conversations by their names in the vault; one that has no title is left out."""
    rows = [row for name in names if (row := index.conversation(name)) is not None]
    return {row.name: row.title for row in entitled(rows, said) if row.title.strip() and row.title != row.id}
