"""What an agent changed: the snapshots of a conversation as edits, and the differences between two states."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from chorus.keep.snapshots.commits import Commit, SnapshotKind
from chorus.keep.snapshots.objects import EMPTY_TREE
from chorus.keep.snapshots.repository import SnapshotRepository
from chorus.keep.snapshots.snapshots import snapshots_of
from chorus.keep.snapshots.trees import TreeEntry, changed_files

_BY_AGENT = (SnapshotKind.AFTER, SnapshotKind.TURN)


class FileEdit(Struct, frozen=True):
    """One file that one snapshot changed."""

    path: bytes
    old: TreeEntry | None
    """The entry before; None if the file was created."""
    new: TreeEntry | None
    """The entry after; None if the file was deleted."""
    commit: Commit


def edits_of(
    store: SnapshotRepository,
    conversation: str | None,
    *,
    turn: int | None = None,
    call: str | None = None,
    has_switches: bool = False,
) -> list[FileEdit]:
    """Returns what the agents of a conversation changed, in order: all of it, or one turn, or one call.

    Without a conversation, returns what all conversations of the workspace changed. With `has_switches`, also what git
    changed meanwhile, because another branch or commit was checked out.
    """
    kinds = (*_BY_AGENT, SnapshotKind.SWITCH) if has_switches else _BY_AGENT
    return [
        edit
        for commit in reversed(list(snapshots_of(store, conversation)))
        if commit.facts.kind in kinds
        and (turn is None or commit.facts.turn == turn)
        and (call is None or commit.facts.call.startswith(call))
        for edit in files_of(store, commit)
    ]


def files_of(store: SnapshotRepository, commit: Commit) -> Iterator[FileEdit]:
    """Yields the files that differ between a snapshot and the one before it."""
    before = store.commit(commit.parents[0]).tree if commit.parents else EMPTY_TREE
    for path, old, new in changed_files(store.reader, before, commit.tree):
        yield FileEdit(path, old, new, commit)


def reason_of(edit: FileEdit) -> str:
    """Returns what is not byte for byte as it was on disk, and why; "" if everything is."""
    name = edit.path.decode("utf-8", "replace") + ": "
    return next((each.removeprefix(name) for each in edit.commit.facts.rebuilt if each.startswith(name)), "")


def diff_text(store: SnapshotRepository, edits: Iterable[FileEdit]) -> str:
    """Returns the edits as a unified diff, in order."""
    return "".join(_one(store, edit) for edit in edits)


def _one(store: SnapshotRepository, edit: FileEdit) -> str:
    before = edit.commit.parents[0] if edit.commit.parents else EMPTY_TREE
    output = store.repository.run(
        "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--full-index", before, edit.commit.id,
        "--", edit.path.decode("utf-8", "surrogateescape"),
    )  # fmt: skip
    return output.decode("utf-8", "replace")
