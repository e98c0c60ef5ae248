"""What a conversation changed in files, for the page: turns, edits, files and differences."""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Literal
from urllib.parse import quote_from_bytes, unquote_to_bytes

from chorus.core.file_versions.lines import difference, first_lines
from chorus.core.records.times import wire_time
from chorus.core.views.blocks import Diff
from chorus.errors import GitFailed
from chorus.keep.archive.listing import Kept, named
from chorus.keep.archive.prompt_lines import messages_of
from chorus.keep.snapshots.commits import Commit, SnapshotKind
from chorus.keep.snapshots.edits import FileEdit, files_of, reason_of
from chorus.keep.snapshots.file_reading import FileContent
from chorus.keep.snapshots.finding import HINT, snapshots_in
from chorus.keep.snapshots.line_counts import LineCount, line_counts
from chorus.keep.snapshots.repository import SnapshotRepository
from chorus.keep.snapshots.snapshots import Snapshots, snapshots_of
from chorus.keep.snapshots.undo import LINK
from chorus.keep.vault.files import FileVault
from chorus.show import wire
from chorus.show.server.errors import not_found
from chorus.show.server.services.addresses import MISSING

LISTED: dict[SnapshotKind, Literal["call", "turn", "undo", "switch"]] = {
    SnapshotKind.AFTER: "call",
    SnapshotKind.TURN: "turn",
    SnapshotKind.UNDO: "undo",
    SnapshotKind.SWITCH: "switch",
}
"""The snapshots that show a change of an agent, an undo, or what git changed meanwhile."""
NO_EDIT = "There is no such change in this conversation; its snapshots may have been removed."
_MODES = {"100644": "a file", "100755": "a file that can be run", LINK: "a link"}
_OBJECT = re.compile(r"[0-9a-f]{40}")
_MAX_FILES = 3_000
_MAX_FILES_OF_EDIT = 300
_MAX_SKIPPED = 50
_MAX_LINES = 20_000
_NO_COUNT = LineCount(None, None)

FindPrompts = Callable[[Sequence[str]], Mapping[str, wire.OutlineMark]]
"""Returns the prompts of calls and messages."""


def shown_changes(vault: FileVault, name: str, find_prompts: FindPrompts) -> wire.Changes:
    """Returns everything that the agents of a conversation changed, and what a person undid, in order."""
    kept = kept_of(vault, name)
    snapshots = snapshots_in(vault.root, kept.workspace, kept.id)
    if snapshots is None:
        hint = f"There are no snapshots of this conversation; {HINT}."
        return wire.Changes(hint=hint, folder="", turns=(), more=0)
    try:
        edits, more = _edits(snapshots.store, kept.id)
    finally:
        snapshots.close()
    leads = _leads(vault, kept, edits)
    prompts = find_prompts(tuple(leads.values()))
    groups: dict[_GroupKey, list[wire.EditShown]] = {}
    for edit in edits:
        groups.setdefault(_group(edit), []).append(edit[1])
    return wire.Changes(
        hint="",
        folder=shown_path(os.fsencode(snapshots.folder)),
        turns=tuple(_turn(key, some, prompts.get(leads.get(key, ""))) for key, some in groups.items()),
        more=more,
    )


def shown_diff(vault: FileVault, name: str, commit: str, key: str) -> wire.EditDiff:
    """Returns what one edit changed in one file."""
    with opened(vault, name) as (kept, snapshots):
        store = snapshots.store
        edit = edit_of(store, kept.id, commit, unquote_to_bytes(key))
        old, new = store.content(edit.old), store.content(edit.new)
        hunks, cut_lines = first_lines(
            difference(_data(old), _data(new)) if is_text(old) and is_text(new) else (), _MAX_LINES
        )
        return wire.EditDiff(
            diff=Diff(path=shown_path(edit.path), hunks=hunks, is_new=old is None),
            notes=(*_notes(old, new), *(f"From the record: {why}." for why in (reason_of(edit),) if why)),
            cut_lines=cut_lines,
        )


@contextmanager
def opened(vault: FileVault, name: str) -> Iterator[tuple[Kept, Snapshots]]:
    """Opens the snapshots of a conversation; raises `not_found` if there are none."""
    kept = kept_of(vault, name)
    snapshots = snapshots_in(vault.root, kept.workspace, kept.id)
    if snapshots is None:
        raise not_found(f"There are no snapshots of this conversation; {HINT}.")
    try:
        yield kept, snapshots
    finally:
        snapshots.close()


def kept_of(vault: FileVault, name: str) -> Kept:
    found = named(vault, [name])
    if not found:
        raise not_found(MISSING)
    return found[0]


def commit_of(store: SnapshotRepository, conversation: str, name: str) -> Commit:
    """Returns a snapshot that shows a change of this conversation; raises `not_found` for any other."""
    try:
        found = store.commit(name) if _OBJECT.fullmatch(name) else None
    except GitFailed:
        found = None
    if found is None or found.facts.conversation != conversation or found.facts.kind not in LISTED:
        raise not_found(NO_EDIT)
    return found


def edit_of(store: SnapshotRepository, conversation: str, commit: str, path: bytes) -> FileEdit:
    found = commit_of(store, conversation, commit)
    edit = next((each for each in files_of(store, found) if each.path == path), None)
    if edit is None:
        raise not_found("This change did not touch a file with this path.")
    return edit


def key_of(path: bytes) -> str:
    """Returns the text that names a file in requests."""
    return quote_from_bytes(path)


def shown_path(path: bytes) -> str:
    """Returns a path for a reader."""
    return path.decode("utf-8", "replace")


def is_text(content: FileContent | None) -> bool:
    return content is None or b"\0" not in content.data[:8_000]


_Edit = tuple[Commit, wire.EditShown]
_GroupKey = tuple[bool, int, str]


def _edits(store: SnapshotRepository, conversation: str) -> tuple[list[_Edit], int]:
    """Returns the edits in order, and how many files were left out."""
    counts = line_counts(store, store.refs(conversation).values())
    found: list[_Edit] = []
    room, more = _MAX_FILES, 0
    for commit in reversed(list(snapshots_of(store, conversation))):
        if commit.facts.kind not in LISTED:
            continue
        files = list(files_of(store, commit))
        if not files:
            continue
        taken = files[: min(room, _MAX_FILES_OF_EDIT)]
        if not taken:
            more += len(files)
            continue
        room -= len(taken)
        found.append((commit, _edit(commit, taken, len(files) - len(taken), counts)))
    return found, more


def _edit(
    commit: Commit, files: Sequence[FileEdit], more: int, counts: Mapping[tuple[str, bytes], LineCount]
) -> wire.EditShown:
    facts = commit.facts
    return wire.EditShown(
        commit=commit.id,
        kind=LISTED[facts.kind],
        title=commit.subject if facts.kind is SnapshotKind.SWITCH else "",
        call=facts.call,
        tool=facts.tool,
        agent=facts.agent,
        model=facts.model,
        feed=facts.feed.value,
        time=_time(facts.time_ms),
        others=len(facts.other_conversations),
        files=tuple(_file(each, counts.get((commit.id, each.path), _NO_COUNT)) for each in files),
        more=more,
        skipped=facts.skipped[:_MAX_SKIPPED],
    )


def _file(edit: FileEdit, count: LineCount) -> wire.EditedFile:
    change = "created" if edit.old is None else "deleted" if edit.new is None else "changed"
    return wire.EditedFile(
        key=key_of(edit.path), path=shown_path(edit.path), change=change, added=count.added, removed=count.removed
    )


def _leads(vault: FileVault, kept: Kept, edits: Sequence[_Edit]) -> dict[_GroupKey, str]:
    """Returns for each turn what leads to its prompt: its first call, or the message of its prompt."""
    found: dict[_GroupKey, str] = {}
    others: dict[_GroupKey, str] = {}
    for edit in edits:
        facts = edit[0].facts
        if facts.kind is SnapshotKind.AFTER and facts.call:
            found.setdefault(_group(edit), facts.call)
        elif facts.prompt:
            others.setdefault(_group(edit), facts.prompt)
    left = {key: prompt for key, prompt in others.items() if key not in found}
    messages = messages_of(vault, kept, set(left.values())) if left else {}
    return {**{key: messages.get(prompt, prompt) for key, prompt in left.items()}, **found}


def _group(edit: _Edit) -> _GroupKey:
    commit = edit[0]
    is_undo = commit.facts.kind is SnapshotKind.UNDO
    return is_undo, commit.facts.turn, commit.id if is_undo else ""


def _turn(
    key: tuple[bool, int, str], edits: Sequence[wire.EditShown], prompt: wire.OutlineMark | None
) -> wire.EditedTurn:
    return wire.EditedTurn(
        turn=key[1],
        is_undo=key[0],
        prompt=prompt.text if prompt else "",
        prompt_at=prompt.id if prompt else "",
        edits=tuple(edits),
    )


def _notes(old: FileContent | None, new: FileContent | None) -> Iterator[str]:
    if old is not None and new is not None and old.mode != new.mode:
        yield f"It was {_MODES.get(old.mode, old.mode)}, and became {_MODES.get(new.mode, new.mode)}."
    elif (known := new or old) is not None and known.mode == LINK:
        yield "It is a link; the line is its target."
    if not (is_text(old) and is_text(new)):
        yield f"It is no text: {len(_data(old)):,} bytes before, {len(_data(new)):,} bytes after."


def _data(content: FileContent | None) -> bytes:
    return content.data if content else b""


def _time(time_ms: int) -> str | None:
    try:
        return wire_time(datetime.fromtimestamp(time_ms / 1000, UTC)) if time_ms else None
    except (OverflowError, ValueError, OSError):
        return None
