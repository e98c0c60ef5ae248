"""The books of `chorus cost` as the index has them. Loads little: all of the command is done in a tenth of a second."""

from collections.abc import Iterable
from pathlib import Path

from chorus.base import config
from chorus.core.spending.books import Books, Facts
from chorus.core.views.workspace_names import WorkspaceNames
from chorus.errors import IndexDamaged
from chorus.find.index.sqlite.opening import FOLDER
from chorus.find.index.sqlite.spending import Spending, read_spending
from chorus.keep.archive.annotations import Annotation, annotations_of


def index_books(root: Path, names: Iterable[str] | None = None) -> Books:
    """The books of all conversations, or of those named; an index that is missing or damaged is made first."""
    wanted = None if names is None else list(names)
    try:
        found = read_spending(root / FOLDER, wanted)
    except IndexDamaged:
        found = _made(root, wanted)
    return Books(found.spent, found.reported, _facts(found, config.workspace_names(root), annotations_of(root).all()))


def _made(root: Path, names: list[str] | None) -> Spending:
    from chorus.cli.query_options import ask
    from chorus.keep.vault.files import FileVault

    if ask(FileVault(root), lambda _index: True) is None:
        return Spending([], [], frozenset(), {})
    return read_spending(root / FOLDER, names)


def _facts(found: Spending, called: WorkspaceNames, said: dict[str, Annotation]) -> dict[str, Facts]:
    named = {each.conversation for each in found.spent} | {each.conversation for each in found.reported}
    facts: dict[str, Facts] = {}
    for name in named:
        workspace, agent, own = name.split("/", 2)
        title = said[name].title if name in said else None
        title = title or found.titles.get(name)
        facts[name] = Facts(own, workspace, called.of(workspace), agent, title, is_fork=name in found.forks)
    return facts
