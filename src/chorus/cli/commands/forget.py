"""`chorus forget`: remove conversations from the vault for good."""

from datetime import UTC, datetime

import click

from chorus.base import config
from chorus.cli.age import age
from chorus.cli.output import complain, counted, print_table, say
from chorus.cli.query_options import ask
from chorus.cli.short_ids import short_ids
from chorus.cli.table import Cell, Column, Forms
from chorus.cli.vault_ids import open_vault, the_one, vault_option
from chorus.core.records.times import wire_time
from chorus.core.views import figures
from chorus.core.views.safe import safe_line
from chorus.core.views.workspace_names import WorkspaceNames
from chorus.errors import ChorusError
from chorus.find.index.rows import ConversationRow
from chorus.find.indexing.index_keeper import FOLDER, make_stale
from chorus.find.search.annotations import load_annotations, with_given_titles
from chorus.keep.archive.listing import Kept
from chorus.keep.restore.forgetting import Removal, is_pattern, matching, planned_removal
from chorus.keep.restore.forgetting import forget as remove
from chorus.keep.sources.lock import sole_sync
from chorus.keep.vault.files import FileVault
from chorus.show.recorder.indexing import Indexing
from chorus.steer.edits.gitbutler_state import StateFile
from chorus.steer.edits.reports_file import ReportsFile
from chorus.steer.runs.run_folders import Runs

DECLINED = 1
_COLUMNS = (
    Column("Id", is_brief=True),
    Column("Age", is_right=True),
    Column("Size", is_right=True),
    Column("Lines", drop_rank=12),
    Column("Side files", drop_rank=11),
    Column("Workspace", drop_rank=1, min_width=14),
    Column("Title", min_width=34, preferred_width=48),
)
_UNKNOWN = "(not indexed)"


@click.command()
@click.argument("what", metavar="ID|PATTERN|QUERY")
@click.option("--yes", "is_sure", is_flag=True, help="Do not ask. Has an effect only with an id or a pattern.")
@click.option("--dry-run", "is_dry", is_flag=True, help="Only show what would be removed.")
@vault_option
@click.pass_context
def forget(ctx: click.Context, what: str, *, is_sure: bool, is_dry: bool, vault: str | None) -> None:
    """Remove conversations from the vault, and never record them again.

    ID is the beginning of a conversation's id, four characters or more. PATTERN contains *, ? or [ and is compared with
    the path of the session file, with the id, and with workspace/agent/id. A conversation can also be named by the
    number of a hit of the last search, or by a QUERY that only this conversation answers. The client's own files are
    not touched.
    """
    store = open_vault(vault)
    found = matching(store, what) if is_pattern(what) else [the_one(what, store)]
    if not found:
        raise ChorusError(f"{what}: no conversation in the vault matches; `chorus list` lists them")
    # A number or a query may mean another conversation next time, so a script must not confirm it blindly.
    is_sure = is_sure and (is_pattern(what) or found[0].id.lower().startswith(what.lower()))
    print_leaving(
        [planned_removal(store, kept) for kept in found], _rows(store, found), config.workspace_names(store.root)
    )
    if is_dry:
        click.echo("Nothing was removed: this was a dry run.")
        return
    what_goes = "it" if len(found) == 1 else counted(len(found), "conversation")
    if not is_sure and not click.confirm(f"This cannot be undone. Remove {what_goes} from the vault?", default=False):
        click.echo("Nothing was removed.")
        ctx.exit(DECLINED)
    # A sync at the same time could record the conversation again, or lose its side files.
    with sole_sync(store.root, "chorus forget", lambda who: complain(f"waiting for {who}")):
        leaving = [planned_removal(store, the_one(kept.id, store)) for kept in found]
        home, now = config.home_of(store.root), wire_time(datetime.now(UTC))
        pattern = what if is_pattern(what) else None
        blobs = remove(store, leaving, Runs(home), time=now, pattern=pattern, home=home)
        for each in leaving:
            StateFile(home, each.kept.workspace).forget(each.kept.id)
            ReportsFile(home, each.kept.workspace).forget(each.kept.id)
        if (store.root / FOLDER).is_dir():
            # Only a rebuild removes the words of a conversation from the index completely.
            make_stale(store)
            with Indexing(store, complain) as indexing:
                indexing.catch_up()
    gone = f"{counted(len(leaving), 'conversation')} removed, {counted(blobs, 'side file')} with it"
    click.echo(f"{gone}; it will not be recorded again. The client's own files were not touched.")


def _rows(store: FileVault, found: list[Kept]) -> dict[str, ConversationRow]:
    """Return the rows of the index for the conversations, by name; conversations without a row are missing."""
    every = ask(store, lambda index: [index.conversation(kept.name) for kept in found]) or []
    shown = with_given_titles([row for row in every if row is not None], load_annotations(store))
    return {row.name: row for row in shown}


def print_leaving(leaving: list[Removal], rows: dict[str, ConversationRow], names: WorkspaceNames) -> None:
    """Print the conversations to be removed, with their titles and with the client's files that contain the same."""
    now = datetime.now(UTC)
    short = short_ids(each.kept.id for each in leaving)
    cells: list[tuple[Cell, ...]] = []
    for each in leaving:
        row = rows.get(each.kept.name)
        cells.append(
            (
                Forms(each.kept.id, short[each.kept.id]),
                age(row.session.ended_at, now) if row else "",
                figures.size(each.size_bytes),
                each.lines,
                each.side_files,
                safe_line(names.of(each.kept.workspace, row.session.cwd if row else None)),
                safe_line(row.title) if row else _UNKNOWN,
            )
        )
    print_table("To be removed", _COLUMNS, cells)
    for each in leaving:
        for path in each.sources:
            say(f"  recorded from {path}")
