"""Undoes edits: puts back what an agent changed, and nothing else.

A file that still is what the agent left gets its old content back. A file that somebody changed since is merged: the
agent's changes are taken out of the current content. What does not merge is reported and not touched.
"""

import os
import tempfile
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from msgspec import Struct

from chorus.errors import ChorusError, GitFailed
from chorus.keep.snapshots.commits import SnapshotFacts
from chorus.keep.snapshots.edits import FileEdit, reason_of
from chorus.keep.snapshots.file_reading import FileContent, Skipped, read_unless_folder
from chorus.keep.snapshots.file_writing import remove_file, remove_halves, write_file
from chorus.keep.snapshots.nested_worktrees import worktree_around
from chorus.keep.snapshots.persons_head import Head, read_head
from chorus.keep.snapshots.repository import MERGING, SnapshotRepository
from chorus.keep.snapshots.snapshots import Snapshots

LINK = "120000"
_MAX_CONFLICTS = 127


class Outcome(StrEnum):
    """What undoing does to a file."""

    RESTORED = "restored"
    """It gets the content back that it had before."""
    DELETED = "deleted"
    """The agent created it, so it is deleted."""
    MERGED = "merged"
    """Somebody changed it since: only the agent's changes are taken out."""
    CONFLICT = "conflict"
    """The agent's changes and later changes touch the same lines: nothing is done."""
    FAILED = "failed"
    """It could not be written, and is as it was. This is never planned."""
    NOTHING = "nothing"
    """It already is what it was before."""


class FileUndo(Struct, frozen=True):
    """What undoing does to one file."""

    path: bytes
    outcome: Outcome
    content: FileContent | None
    """What the file will be; None if it will not exist. Without meaning for a conflict."""
    seen: FileContent | None
    """What the file was when this was planned."""
    reason: str = ""


def plan_undo(store: SnapshotRepository, folder: Path, edits: Sequence[FileEdit]) -> list[FileUndo]:
    """Returns what undoing these edits does to each file, without doing it."""
    by_path: dict[bytes, list[FileEdit]] = {}
    for edit in edits:
        by_path.setdefault(edit.path, []).append(edit)
    heads: dict[bytes, Head] = {}
    for path in by_path:
        above = path.rpartition(b"/")[0]
        if above not in heads:
            worktree = worktree_around(folder, os.fsdecode(above)) if above else b""
            heads[above] = read_head(folder / os.fsdecode(worktree))
    return [_plan(store, folder, path, some, heads[path.rpartition(b"/")[0]]) for path, some in sorted(by_path.items())]


def undo(
    snapshots: Snapshots, plans: Sequence[FileUndo], before: SnapshotFacts, after: SnapshotFacts, *, merge: bool
) -> list[FileUndo]:
    """Does what was planned and returns what was done. The states before and after are snapshots, too.

    Without `merge`, files that somebody changed since are left alone. A file that changed since it was planned is left
    alone as a conflict. A file that cannot be written is reported, and the others are written all the same. Raises
    `ChorusError` if the state before cannot be stored, and nothing is written then; if the state after cannot be
    stored, the message names the files that were written.
    """
    wanted = [each for each in plans if each.outcome in _DOABLE and (merge or each.outcome is not Outcome.MERGED)]
    paths = [str(snapshots.folder / each.path.decode("utf-8", "surrogateescape")) for each in wanted]
    with snapshots.store.undoing():
        remove_halves(snapshots.folder, [each.path for each in wanted])
        snapshots.take_files(paths, before, "Before undo")
        # A file may take the place of a folder whose files are deleted.
        ordered = sorted(wanted, key=lambda each: each.content is not None)
        by_path = {each.path: _do(snapshots.folder, each) for each in ordered}
        done = [by_path[each.path] for each in wanted]
        try:
            snapshots.take_files(paths, after, "Undo")
        except (ChorusError, OSError) as error:
            names = ", ".join(os.fsdecode(each.path) for each in done if each.outcome in _DOABLE) or "no file"
            raise ChorusError(f"{names}: written, but the state after could not be stored: {error}") from error
    return done


def _do(folder: Path, plan: FileUndo) -> FileUndo:
    if read_unless_folder(folder, plan.path) != plan.seen:
        return FileUndo(plan.path, Outcome.CONFLICT, None, plan.seen, "it changed just now")
    try:
        if plan.content is None:
            remove_file(folder, plan.path)
        else:
            write_file(folder, plan.path, plan.content)
    except (ChorusError, OSError) as error:
        return FileUndo(plan.path, Outcome.FAILED, None, plan.seen, str(error))
    return plan


def _plan(store: SnapshotRepository, folder: Path, path: bytes, edits: Sequence[FileEdit], head: Head) -> FileUndo:
    found = read_unless_folder(folder, path)
    if isinstance(found, Skipped):
        return FileUndo(path, Outcome.CONFLICT, None, None, found.reason)
    content, is_merged = found, False
    for edit in reversed(edits):
        old, new = store.content(edit.old), store.content(edit.new)
        if content == old:
            # Somebody undid this edit already.
            continue
        if content == new:
            content = old
        elif elsewhere := _elsewhere(edit.commit.facts, head):
            return FileUndo(path, Outcome.CONFLICT, None, found, elsewhere)
        elif content is None or old is None or new is None or LINK in (content.mode, old.mode, new.mode):
            return FileUndo(path, Outcome.CONFLICT, None, found, "it was changed, created or deleted since")
        else:
            try:
                merged = merge_contents(store, content.data, new.data, old.data)
            except GitFailed as error:
                return FileUndo(path, Outcome.CONFLICT, None, found, str(error))
            if merged is None:
                return FileUndo(path, Outcome.CONFLICT, None, found, "later changes touch the same lines")
            content, is_merged = FileContent(content.mode if old.mode == new.mode else old.mode, merged), True
    if content == found:
        return FileUndo(path, Outcome.NOTHING, content, found)
    # Nobody stored these bytes when they were on disk: a person should know that before they are written.
    why = next((f"from the record: {reason}" for reason in map(reason_of, edits) if reason), "") if content else ""
    if is_merged:
        return FileUndo(path, Outcome.MERGED, content, found, why)
    return FileUndo(path, Outcome.RESTORED if content else Outcome.DELETED, content, found, why)


def _elsewhere(facts: SnapshotFacts, head: Head) -> str:
    """Returns on which other branch an edit was made, in words; "" if it was not."""
    if not facts.branch or facts.branch == head.branch:
        return ""
    return f"the change was made on {facts.branch}, and {head.name or 'nothing'} is checked out"


def merge_contents(store: SnapshotRepository, current: bytes, base: bytes, other: bytes) -> bytes | None:
    """Returns the three-way merge of three contents, or None if it has conflicts or they are no text.

    Raises `GitFailed` if they cannot be merged now, for example because the disk is full.
    """
    if b"\0" in current or b"\0" in base or b"\0" in other:
        return None
    try:
        with tempfile.TemporaryDirectory(prefix=MERGING, dir=store.git_dir) as place:
            names = []
            for name, data in (("current", current), ("base", base), ("other", other)):
                (Path(place) / name).write_bytes(data)
                names.append(str(Path(place) / name))
            answer = store.repository.ask("merge-file", "-p", "--quiet", *names)
    except OSError as error:
        raise GitFailed(f"it cannot be merged now ({error.strerror})") from error
    if answer.code > _MAX_CONFLICTS or answer.code < 0:
        raise GitFailed(f"git merge-file failed: {answer.error}")
    return answer.output if answer.code == 0 else None


_DOABLE = (Outcome.RESTORED, Outcome.DELETED, Outcome.MERGED)


def refuse_if_nothing(plans: Sequence[FileUndo]) -> None:
    """Raises `ChorusError` if there is nothing that can be undone."""
    if not any(each.outcome in _DOABLE for each in plans):
        raise ChorusError("nothing can be undone: no file still has the agent's changes, or all of them conflict")
