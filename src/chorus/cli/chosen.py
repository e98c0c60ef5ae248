"""Find the conversations that a command is about: named by ids and numbers, or all that answer a query."""

from collections.abc import Sequence

from chorus.cli.named_by_query import all_by_query
from chorus.cli.vault_ids import is_named, named
from chorus.errors import ChorusError, SourceUnreadable
from chorus.keep.vault.files import FileVault


def are_query(sources: Sequence[str], vault: FileVault) -> bool:
    """Whether the sources are the words of a query. Raises `ChorusError` if only some of them are."""
    words = [source for source in sources if not is_named(source, vault)]
    if words and len(words) < len(sources):
        raise ChorusError(f"{' '.join(words)}: a query cannot be combined with other sources; name only ids or files")
    return bool(words)


def names_of_query(words: Sequence[str], vault: FileVault) -> list[str]:
    """Return the names of all conversations that answer a query. Raises `SourceUnreadable` if there is none."""
    found = all_by_query(words, vault)
    if not found:
        raise SourceUnreadable(f"{' '.join(words)}: no file, and no conversation in {vault.root} answers this")
    return found


def chosen_names(sources: Sequence[str], vault: FileVault) -> list[str] | None:
    """Return the names of the conversations that are meant; None for all of the vault."""
    if not sources:
        return None
    if are_query(sources, vault):
        return names_of_query(sources, vault)
    chosen = named(sources, vault)
    if chosen.files:
        raise ChorusError(
            f"{chosen.files[0]}: this command counts recorded conversations; `chorus cost --no-index` counts files"
        )
    return [kept.name for kept in chosen.kept]
