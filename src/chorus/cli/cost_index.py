"""The books of `chorus cost`, from the index. Imports little, so that the command takes a tenth of a second."""

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
    """Return the books of all conversations, or of `names` only. A missing or damaged index is built first."""
    wanted = None if names is None else list(names)
    try:
        found = read_spending(root / FOLDER, wanted)
    except IndexDamaged:
        found = _from_new_index(root, wanted)
    return Books(found.spent, found.reported, _facts(found, config.workspace_names(root), annotations_of(root).all()))


def _from_new_index(root: Path, names: list[str] | None) -> Spending:
    from chorus.cli.query_options import ask
    from chorus.keep.vault.files import FileVault

    if ask(FileVault(root), lambda _index: True) is None:
        return Spending([], [], frozenset(), {})
    return read_spending(root / FOLDER, names)


def _facts(found: Spending, names: WorkspaceNames, annotations: dict[str, Annotation]) -> dict[str, Facts]:
    named = {each.conversation for each in found.spent} | {each.conversation for each in found.reported}
    facts: dict[str, Facts] = {}
    for name in named:
        workspace, agent, own = name.split("/", 2)
        title = annotations[name].title if name in annotations else None
        title = title or found.titles.get(name)
        facts[name] = Facts(own, workspace, names.of(workspace), agent, title, is_fork=name in found.forks)
    return facts
