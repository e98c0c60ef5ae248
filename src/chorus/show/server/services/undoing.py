"""Undoes changes of files from the page, in two steps: a preview, and exactly what the preview said."""

import hashlib
import hmac
import time
from collections.abc import Sequence
from urllib.parse import unquote_to_bytes

from chorus.base.processes import supervisor
from chorus.core.file_versions.lines import difference, first_lines
from chorus.core.views.blocks import Diff
from chorus.errors import ChorusError
from chorus.keep.snapshots.commits import SnapshotFacts, SnapshotKind
from chorus.keep.snapshots.edits import FileEdit, edits_of, files_of
from chorus.keep.snapshots.file_reading import FileContent
from chorus.keep.snapshots.repository import SnapshotRepository
from chorus.keep.snapshots.undo import FileUndo, Outcome, plan_undo
from chorus.keep.snapshots.undo import undo as put_back
from chorus.keep.vault.files import FileVault
from chorus.show import wire
from chorus.show.server.errors import Refused, bad_request
from chorus.show.server.services.changes import commit_of, is_text, key_of, opened, shown_path

_MAX_LINES = 5_000
"""Lines of all differences of a preview together."""
_MAX_FILES = 2_000
"""Files of one undo: more than that cannot be looked through on a page."""
_NOTHING_DONE = (Outcome.CONFLICT, Outcome.FAILED, Outcome.NOTHING)


def preview(vault: FileVault, name: str, asked: wire.UndoAsked) -> wire.UndoPreview:
    """Returns what undoing would do to each file, without doing it."""
    with opened(vault, name) as (kept, snapshots):
        plans = plan_undo(snapshots.store, snapshots.folder, _edits(snapshots.store, kept.id, asked))
        return wire.UndoPreview(digest=_digest(plans), files=_shown(plans))


def undo(vault: FileVault, name: str, confirmed: wire.UndoConfirmed) -> wire.UndoResult:
    """Does what a person confirmed, and returns what was done. Raises `Refused` if a file changed since the preview.

    A server that an agent started inside its run refuses: only a person undoes.
    """
    if supervisor() is not None:
        raise Refused(403, "not_allowed", "This server runs inside a supervised run, where nothing can be undone.")
    with opened(vault, name) as (kept, snapshots):
        plans = plan_undo(snapshots.store, snapshots.folder, _edits(snapshots.store, kept.id, confirmed.asked))
        if not hmac.compare_digest(_digest(plans), confirmed.digest):
            raise Refused(
                409, "changed", "A file changed since you looked, so nothing was done. Look again, then undo."
            )
        wanted = {unquote_to_bytes(key) for key in confirmed.files}
        chosen = [each for each in plans if each.path in wanted]
        if len(chosen) != len(wanted) or any(each.outcome in _NOTHING_DONE for each in chosen):
            raise bad_request("A file was chosen that the preview does not offer to undo.")
        if not chosen:
            raise bad_request("No file was chosen.")
        before, after = (
            SnapshotFacts(kind=kind, conversation=kept.id, time_ms=time.time_ns() // 1_000_000)
            for kind in (SnapshotKind.BEFORE, SnapshotKind.UNDO)
        )
        try:
            done = put_back(snapshots, chosen, before, after, merge=True)
        except (ChorusError, OSError) as error:
            why = str(error) if isinstance(error, ChorusError) else error.strerror or "an input error"
            raise Refused(409, "not_done", f"The undo stopped: {why}. Look again to see what is left.") from error
        return wire.UndoResult(files=_shown(done))


def _edits(store: SnapshotRepository, conversation: str, asked: wire.UndoAsked) -> list[FileEdit]:
    if asked.commit is not None and asked.turn is not None:
        raise bad_request("Either a change or a turn can be undone, not both.")
    if asked.commit is not None:
        commit = commit_of(store, conversation, asked.commit)
        if commit.facts.kind is SnapshotKind.SWITCH:
            raise bad_request("Git changed these files, and no agent did; use git to go back.")
        edits = list(files_of(store, commit))
    else:
        edits = edits_of(store, conversation, turn=asked.turn)
    if asked.files is not None:
        wanted = {unquote_to_bytes(key) for key in asked.files}
        edits = [edit for edit in edits if edit.path in wanted]
    count = len({edit.path for edit in edits})
    if count > _MAX_FILES:
        raise bad_request(
            f"These are {count:,} files, too many for a preview here. `chorus undo` in a terminal has no limit."
        )
    return edits


def _digest(plans: Sequence[FileUndo]) -> str:
    """Returns a digest of everything that a plan depends on: each file as it is, and as it will be."""
    found = hashlib.sha256()
    for each in plans:
        for part in (
            each.path,
            each.outcome.value.encode(),
            each.reason.encode(),
            *_parts(each.seen),
            *_parts(each.content),
        ):
            found.update(b"%d:" % len(part) + part)
    return found.hexdigest()


def _parts(content: FileContent | None) -> tuple[bytes, bytes]:
    return (content.mode.encode(), content.data) if content else (b"", b"")


def _shown(plans: Sequence[FileUndo]) -> tuple[wire.UndoFile, ...]:
    files: list[wire.UndoFile] = []
    room = _MAX_LINES
    for each in plans:
        diff = _diff(each, room)
        room -= sum(len(hunk.lines) for hunk in diff.hunks) if diff else 0
        files.append(
            wire.UndoFile(
                key=key_of(each.path),
                path=shown_path(each.path),
                outcome=each.outcome.value,
                reason=each.reason,
                diff=diff,
            )
        )
    return tuple(files)


def _diff(each: FileUndo, room: int) -> Diff | None:
    if each.outcome in _NOTHING_DONE or room <= 0 or not (is_text(each.seen) and is_text(each.content)):
        return None
    before, after = (content.data if content else b"" for content in (each.seen, each.content))
    hunks, cut_lines = first_lines(difference(before, after), room)
    return None if cut_lines else Diff(path=shown_path(each.path), hunks=hunks, is_new=each.seen is None)
