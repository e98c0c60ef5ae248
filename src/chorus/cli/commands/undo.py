"""`chorus undo`: take back what an agent changed in files."""

import os
import time
from collections.abc import Iterable
from typing import Any

import click

from chorus.cli.output import counted, print_json, print_table, say
from chorus.cli.snapshot_places import snapshots_for
from chorus.cli.table import Column
from chorus.cli.vault_ids import open_vault, vault_option
from chorus.core.views.safe import safe_line
from chorus.errors import ChorusError
from chorus.keep.snapshots.commits import SnapshotFacts, SnapshotKind
from chorus.keep.snapshots.edits import FileEdit, edits_of, edits_of_snapshot
from chorus.keep.snapshots.file_reading import path_in
from chorus.keep.snapshots.repository import ref_of
from chorus.keep.snapshots.snapshots import Snapshots
from chorus.keep.snapshots.undo import FileUndo, Outcome, plan_undo, refuse_if_nothing
from chorus.keep.snapshots.undo import undo as put_back

DECLINED = INCOMPLETE = 1
_NOT_DONE = (Outcome.CONFLICT, Outcome.FAILED)
_COLUMNS = (Column("File", min_width=24, keeps_end=True), Column("What happens"), Column("Reason", drop_rank=1))
_WORDS = {
    Outcome.RESTORED: "gets its old content back",
    Outcome.DELETED: "is deleted: the agent created it",
    Outcome.MERGED: "keeps later changes, loses those of the agent",
    Outcome.CONFLICT: "stays as it is",
    Outcome.FAILED: "could not be written, and is as it was",
    Outcome.NOTHING: "is already as before",
}


@click.command()
@click.argument("what", metavar="ID|N|QUERY")
@click.argument("paths", metavar="[PATH]…", nargs=-1, type=click.Path())
@click.option("--turn", type=click.IntRange(min=1), metavar="N", help="Only what turn N changed.")
@click.option("--call", metavar="ID", help="Only what one tool call changed.")
@click.option("--snapshot", metavar="ID", help="Only one snapshot, for example that of an undo, which is taken back.")
@click.option("--merge", "is_merging", is_flag=True, help="Also take the agent's changes out of files changed since.")
@click.option("--dry-run", "is_dry", is_flag=True, help="Only show what would happen.")
@click.option("--yes", "is_sure", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object; with --dry-run or --yes.")
@vault_option
@click.pass_context
def undo(
    ctx: click.Context,
    *,
    what: str,
    paths: tuple[str, ...],
    turn: int | None,
    call: str | None,
    snapshot: str | None,
    is_merging: bool,
    is_dry: bool,
    is_sure: bool,
    as_json: bool,
    vault: str | None,
) -> None:
    """Take back what the agents of a conversation changed in files: all of it, one turn, one call, or some files.

    A file that still is what the agent left gets exactly its old content back. A file that somebody changed since is
    left alone, or with --merge keeps the later changes. Before and after, the files are stored as snapshots, so an undo
    can be taken back, too, with --snapshot.
    """
    if snapshot is not None and (turn is not None or call is not None):
        raise click.UsageError("--snapshot cannot be used with --turn or --call")
    if as_json and not (is_dry or is_sure):
        raise click.UsageError("--json needs --dry-run or --yes, because nobody is asked")
    kept, snapshots = snapshots_for(what, open_vault(vault))
    if snapshot is None:
        edits = edits_of(snapshots.store, kept.id, turn=turn, call=call)
    else:
        edits = edits_of_snapshot(snapshots.store, kept.id, snapshot)
        _refuse_switched(edits)
    if paths:
        wanted = {path_in(snapshots.folder, os.path.abspath(path)) for path in paths}  # noqa: PTH100 - follows no link
        if None in wanted:
            raise ChorusError(f"a path is not inside {snapshots.folder}, the workspace of this conversation")
        edits = [edit for edit in edits if edit.path in wanted]
        left = wanted - {edit.path for edit in edits}
        switched = edits_of(snapshots.store, kept.id, kinds=[SnapshotKind.SWITCH]) if left else []
        _refuse_switched([edit for edit in switched if edit.path in left])
    plans = plan_undo(snapshots.store, snapshots.folder, edits)
    if is_dry or not as_json:
        _report(plans, is_merging=is_merging, as_json=as_json)
    if is_dry:
        return
    refuse_if_nothing(plans)
    if not is_sure and not click.confirm("Change these files?", default=False):
        click.echo("Nothing was changed.")
        ctx.exit(DECLINED)
    before = SnapshotFacts(kind=SnapshotKind.BEFORE, conversation=kept.id, time_ms=_now_ms())
    after = SnapshotFacts(kind=SnapshotKind.UNDO, conversation=kept.id, time_ms=_now_ms())
    done = put_back(snapshots, plans, before, after, merge=is_merging)
    if as_json:
        print_json({"files": [_as_json(each) for each in done]})
    else:
        if left := [each for each in done if each.outcome in _NOT_DONE]:
            _report(left, is_merging=True, as_json=False)
        changed = [each for each in done if each.outcome not in _NOT_DONE]
        click.echo(f"{counted(len(changed), 'file')} changed.{_way_back(snapshots, kept.id)}")
    if any(each.outcome in _NOT_DONE for each in done):
        ctx.exit(INCOMPLETE)


def _refuse_switched(edits: Iterable[FileEdit]) -> None:
    """Raises `ChorusError` if git changed one of these files: nothing of an agent can be taken back."""
    for edit in edits:
        if edit.commit.facts.kind is SnapshotKind.SWITCH:
            subject = edit.commit.subject
            raise ChorusError(f"{os.fsdecode(edit.path)}: git changed it, and no agent ({subject}); use git to go back")


def _way_back(snapshots: Snapshots, conversation: str) -> str:
    """Returns how to take back the undo that was just done."""
    tip = snapshots.store.tip(ref_of(conversation))
    if tip is None or snapshots.store.commit(tip).facts.kind is not SnapshotKind.UNDO:
        return ""
    return f" `chorus undo {conversation} --snapshot {tip[:12]}` takes this back."


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _report(plans: list[FileUndo], *, is_merging: bool, as_json: bool) -> None:
    if as_json:
        print_json({"files": [_as_json(each) for each in plans]})
        return
    rows = []
    for each in plans:
        words, reason = _WORDS[each.outcome], each.reason
        if each.outcome is Outcome.MERGED and not is_merging:
            words, reason = "stays as it is", "it was changed since; --merge takes out the agent's changes"
        rows.append((safe_line(os.fsdecode(each.path)), words, safe_line(reason)))
    print_table("Undo", _COLUMNS, rows)
    if not rows:
        say("No file was changed there, as far as snapshots say.")


def _as_json(each: FileUndo) -> dict[str, Any]:
    return {"path": os.fsdecode(each.path), "outcome": each.outcome.value, "reason": each.reason or None}
