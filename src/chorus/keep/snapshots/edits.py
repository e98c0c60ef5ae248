"""What an agent changed: the snapshots of a conversation as edits, and the differences between two states."""

import os
from collections.abc import Collection, Iterable, Iterator
from itertools import groupby

from msgspec import Struct

from chorus.errors import ChorusError
from chorus.keep.snapshots.commits import Commit, SnapshotKind
from chorus.keep.snapshots.objects import EMPTY_TREE
from chorus.keep.snapshots.repository import SnapshotRepository
from chorus.keep.snapshots.snapshots import snapshots_of
from chorus.keep.snapshots.trees import TreeEntry, changed_files

BY_AGENT = (SnapshotKind.AFTER, SnapshotKind.TURN)
LISTED = (*BY_AGENT, SnapshotKind.UNDO, SnapshotKind.SWITCH)
"""Also what a person undid, and what git changed because another branch or commit was checked out."""
_PATHS_AT_ONCE = 500


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
    kinds: Collection[SnapshotKind] = BY_AGENT,
) -> list[FileEdit]:
    """Returns what the agents of a conversation changed, in order: all of it, or one turn, or one call.

    Without a conversation, returns what all conversations of the workspace changed. `kinds` names other snapshots. The
    beginning of the id of a call is enough; raises `ChorusError` if several begin so.
    """
    commits = [each for each in snapshots_of(store, conversation) if each.facts.kind in kinds]
    calls = {each.facts.call for each in commits}
    if call is not None:
        calls = {call} if call in calls else {each for each in calls if each.startswith(call)}
        if len(calls) > 1:
            raise ChorusError(f"{call}: {len(calls)} calls begin so; `chorus history --json` lists them")
    return [
        edit
        for commit in reversed(commits)
        if (turn is None or commit.facts.turn == turn) and commit.facts.call in calls
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


def edits_of_snapshot(store: SnapshotRepository, conversation: str, name: str) -> list[FileEdit]:
    """Returns what one snapshot changed; `name` is its id or the beginning of it. Raises `ChorusError` without one."""
    listed = (each for each in snapshots_of(store, conversation) if each.facts.kind in LISTED)
    found = [each for each in listed if name and each.id.startswith(name)]
    if len(found) != 1:
        why = f"{len(found)} snapshots begin so" if found else "the conversation has no such snapshot"
        raise ChorusError(f"{name}: {why}; `chorus history --json` lists them")
    return list(files_of(store, found[0]))


def diff_parts(store: SnapshotRepository, edits: Iterable[FileEdit], *, is_for_git: bool) -> Iterator[bytes]:
    """Yields the edits as a unified diff, in order, byte for byte.

    `git apply` accepts it. With `is_for_git`, it contains what changed in files that are no text.
    """
    binary = ["--binary"] if is_for_git else []
    for _, group in groupby(edits, key=lambda edit: edit.commit.id):
        some = list(group)
        commit, paths = some[0].commit, {edit.path for edit in some}
        # The paths are named if they are only some of the files of a snapshot.
        wanted = [] if len(paths) == sum(1 for _ in files_of(store, commit)) else sorted(paths)
        for start in range(0, max(1, len(wanted)), _PATHS_AT_ONCE):
            before = commit.parents[0] if commit.parents else EMPTY_TREE
            names = [os.fsdecode(path) for path in wanted[start : start + _PATHS_AT_ONCE]]
            yield store.repository.run(
                "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--full-index", *binary,
                before, commit.id, "--", *names,
            )  # fmt: skip
