"""`chorus history`: list what agents changed in the files of a workspace."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from chorus.cli.age import age
from chorus.cli.output import print_json, print_table, say
from chorus.cli.pager import paged
from chorus.cli.short_ids import short_ids
from chorus.cli.snapshot_places import snapshots_for, workspace_around
from chorus.cli.table import Column, Forms
from chorus.cli.vault_ids import open_vault, vault_option
from chorus.core.records.times import wire_time
from chorus.core.views.safe import safe_line
from chorus.keep.snapshots.commits import SnapshotKind
from chorus.keep.snapshots.edits import LISTED, FileEdit, edits_of, reason_of
from chorus.keep.snapshots.file_reading import path_in

_COLUMNS = (
    Column("Age", is_right=True),
    Column("Conversation", is_brief=True),
    Column("Turn", drop_rank=2),
    Column("Change"),
    Column("By", drop_rank=3, min_width=8),
    Column("Seen by", drop_rank=4),
    Column("File", min_width=24, keeps_end=True),
)
_NOT_AGENTS = {SnapshotKind.SWITCH: "git", SnapshotKind.UNDO: "undo"}
_WORDS = {SnapshotKind.SWITCH: "switched", SnapshotKind.UNDO: "undone"}


@click.command()
@click.argument("path", required=False, type=click.Path())
@click.option("--conversation", metavar="ID", help="Only what one conversation changed.")
@click.option("--limit", type=click.IntRange(min=0), default=50, show_default=True, metavar="N", help="0 for all.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per change, in a list.")
@vault_option
@paged
def history(*, path: str | None, conversation: str | None, limit: int, as_json: bool, vault: str | None) -> None:
    """List what agents changed in files, newest first: in this folder, in PATH, or in one conversation.

    Every row is one file that one tool call, or one turn, changed. `chorus diff` shows the changes, `chorus undo` takes
    them back, and `chorus files` lists all versions of a file.
    """
    kept_in = open_vault(vault)
    place = Path(path or ".")
    if conversation is not None:
        kept, snapshots = snapshots_for(conversation, kept_in)
        store, folder, wanted = snapshots.store, snapshots.folder, kept.id
    else:
        workspace, store = workspace_around(kept_in, place)
        folder, wanted = Path(workspace.path), None
    below = path_in(folder, str(place.absolute())) if path is not None or conversation is None else None
    edits = [edit for edit in edits_of(store, wanted, kinds=LISTED) if below is None or _is_below(edit.path, below)][
        ::-1
    ]
    shown = edits[:limit] if limit else edits
    if as_json:
        print_json([as_json_edit(edit) for edit in shown])
        return
    short, now = short_ids(edit.commit.facts.conversation for edit in shown), datetime.now(UTC)
    rows = [
        (
            age(wire_time(datetime.fromtimestamp(edit.commit.facts.time_ms / 1000, UTC)), now),
            Forms(edit.commit.facts.conversation, short[edit.commit.facts.conversation]),
            edit.commit.facts.turn or "",
            change_word(edit),
            _NOT_AGENTS.get(edit.commit.facts.kind) or safe_line(edit.commit.facts.tool or "shell"),
            edit.commit.facts.feed.value,
            safe_line(os.fsdecode(edit.path)),
        )
        for edit in shown
    ]
    print_table("", _COLUMNS, rows)
    if not rows:
        say("No agent changed a file here, as far as snapshots say.")
    elif len(shown) < len(edits):
        say(f"{len(shown)} of {len(edits)} changes; --limit 0 lists all.")


def _is_below(path: bytes, folder: bytes) -> bool:
    return path == folder or path.startswith(folder + b"/")


def change_word(edit: FileEdit) -> str:
    """Returns what happened to the file in one word."""
    if edit.commit.facts.kind in _WORDS:
        return _WORDS[edit.commit.facts.kind]
    return "created" if edit.old is None else "deleted" if edit.new is None else "changed"


def as_json_edit(edit: FileEdit) -> dict[str, Any]:
    """Returns the documented form of a change in `chorus history --json`."""
    facts = edit.commit.facts
    return {
        "path": os.fsdecode(edit.path),
        "change": change_word(edit),
        "conversation": facts.conversation,
        "agent": facts.agent or None,
        "turn": facts.turn or None,
        "call": facts.call or None,
        "tool": facts.tool or None,
        "prompt": facts.prompt or None,
        "model": facts.model or None,
        "feed": facts.feed.value,
        "time_ms": facts.time_ms,
        "head": facts.head or None,
        "branch": facts.branch or None,
        "commit": edit.commit.id,
        "rebuilt": reason_of(edit) or None,
        "others": list(facts.other_conversations),
    }
