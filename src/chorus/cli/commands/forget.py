"""`chorus forget`: a conversation out of the vault, for good."""

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
from chorus.keep.archive.listing import Kept
from chorus.keep.restore.forgetting import Removal, is_pattern, matching, planned_removal
from chorus.keep.restore.forgetting import forget as remove
from chorus.keep.sources.lock import sole_sync
from chorus.keep.vault.files import FileVault
from chorus.show.recorder.indexing import Indexing
from chorus.steer.runs.run_folders import Runs

DECLINED = 1
_COLUMNS = (
    Column("Id", is_brief=True),
    Column("Age", is_right=True),
    Column("Size", is_right=True),
    Column("Lines", leaves=12),
    Column("Side files", leaves=11),
    Column("Workspace", leaves=1, least=14),
    Column("Title", least=34, wants=48),
)
_UNKNOWN = "(not indexed)"


@click.command()
@click.argument("what", metavar="ID|PATTERN|QUERY")
@click.option("--yes", "is_sure", is_flag=True, help="Do not ask, if what goes is named by its id or by a pattern.")
@click.option("--dry-run", "is_dry", is_flag=True, help="Only show what would go.")
@vault_option
@click.pass_context
def forget(ctx: click.Context, what: str, *, is_sure: bool, is_dry: bool, vault: str | None) -> None:
    """Remove conversations from the vault, and never keep them again.

    ID is the beginning of a conversation's id, four characters or more. PATTERN has *, ? or [ in it and is held
    against the path of the session file, the id, and workspace/agent/id. The number of a hit of the last search, or a
    QUERY that only one conversation answers, names that one. The client's own files are not touched.
    """
    store = open_vault(vault)
    found = matching(store, what) if is_pattern(what) else [the_one(what, store)]
    if not found:
        raise ChorusError(f"{what}: no conversation of the vault matches; 'chorus list' shows them")
    # The next time, a number or a query may mean another one: a script cannot know what it says yes to.
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
    # What a sync is just bringing in would come back behind our back, or find its side files gone.
    with sole_sync(store.root, "chorus forget", lambda who: complain(f"waiting for {who}")):
        leaving = [planned_removal(store, the_one(kept.id, store)) for kept in found]
        runs, now = Runs(config.home_of(store.root)), wire_time(datetime.now(UTC))
        blobs = remove(store, leaving, runs, time=now, pattern=what if is_pattern(what) else None)
        if (store.root / FOLDER).is_dir():
            # The words of what is gone stay in an index from which it was only taken out.
            make_stale(store)
            with Indexing(store, complain) as indexing:
                indexing.catch_up()
    gone = f"{counted(len(leaving), 'conversation')} removed, {counted(blobs, 'side file')} with it"
    click.echo(f"{gone}; never kept again. The client's own files stay where they are.")


def _rows(store: FileVault, found: list[Kept]) -> dict[str, ConversationRow]:
    """What the index says about the conversations, by their names; one that it does not have is not there."""
    every = ask(store, lambda index: [index.conversation(kept.name) for kept in found]) or []
    return {row.name: row for row in every if row is not None}


def print_leaving(leaving: list[Removal], rows: dict[str, ConversationRow], names: WorkspaceNames) -> None:
    """What would go, with what a person knows it by, and which files of the client hold the same."""
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
            say(f"  kept from {path}")
