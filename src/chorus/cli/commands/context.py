"""`chorus context`: show what surrounds a hit."""

from typing import Any

import click
from msgspec import structs

from chorus.base import config
from chorus.cli.given_titles import set_given_titles
from chorus.cli.named_by_query import recalled
from chorus.cli.output import print_json
from chorus.cli.own_costs import set_own_costs
from chorus.cli.pager import paged
from chorus.cli.query_options import ask, read_query
from chorus.cli.vault_ids import open_vault, the_one, vault_option
from chorus.core.views.workspace_names import WorkspaceNames
from chorus.errors import SourceUnreadable
from chorus.find.index.port import Index
from chorus.find.index.rows import Entry
from chorus.find.search.context import Context, locate
from chorus.find.search.context import context as surroundings
from chorus.find.search.excerpt import BUDGET, SMALLEST, excerpt
from chorus.find.search.last_search import Remembered, is_number, recall
from chorus.keep.vault.files import FileVault

_AROUND = 3
_NUMBER = click.IntRange(0, 200)


@click.command()
@click.argument("conversation", metavar="ID|N")
@click.argument("item", metavar="[ITEM]", required=False)
@click.option("--before", type=_NUMBER, default=_AROUND, show_default=True, metavar="N", help="Entries before it.")
@click.option("--after", type=_NUMBER, default=_AROUND, show_default=True, metavar="N", help="Entries after it.")
@click.option("--for-llm", is_flag=True, help="Print plain text for a prompt, cut to --budget.")
@click.option(
    "--budget",
    type=click.IntRange(min=SMALLEST),
    default=BUDGET,
    show_default=True,
    metavar="N",
    help="Maximum characters for --for-llm.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--full", is_flag=True, help="Do not shorten long results.")
@click.option("--width", type=click.IntRange(min=20), metavar="N", help="Columns to use.")
@vault_option
@paged
def context(
    *,
    conversation: str,
    item: str | None,
    before: int,
    after: int,
    for_llm: bool,
    budget: int,
    as_json: bool,
    full: bool,
    width: int | None,
    vault: str | None,
) -> None:
    """Show an entry with the entries before and after it in the same thread.

    N is the number of a hit of the last search. Alternatively, name the conversation (an id, or a query that only this
    conversation answers) and ITEM, the id of an entry or its beginning: the field `item` of `chorus search --json`.
    """
    if for_llm and as_json:
        raise click.UsageError("--for-llm and --json cannot be used together")
    kept_in = open_vault(vault)
    hit = _named(conversation, item, kept_in)
    found = ask(kept_in, lambda index: _looked_up(index, kept_in, hit, before=before, after=after))
    if found is None:
        raise SourceUnreadable(f"{conversation}: nothing is recorded in {kept_in.root} yet")
    if as_json:
        print_json(_as_json(found, config.workspace_names(kept_in.root)))
    elif for_llm:
        root = read_query([recall(kept_in.root).query]).root if item is None else None
        click.echo(excerpt(found, budget=budget, root=root))
    else:
        set_own_costs(kept_in, vault, {found.row.name: found.conversation})
        set_given_titles(kept_in, {found.row.name: found.conversation})
        _draw(found, full=full, width=width)


def _named(conversation: str, item: str | None, vault: FileVault) -> Remembered:
    if item is not None:
        return Remembered(the_one(conversation, vault).name, item)
    if not is_number(conversation):
        raise click.UsageError(
            "Also name the entry: chorus context ID ITEM; or name a hit of the last search: chorus context 3"
        )
    hit = recalled(conversation, vault)
    if hit.entry is None:
        raise SourceUnreadable(f"{conversation}: this number means a whole conversation: `chorus show` opens it")
    return hit


def _looked_up(index: Index, vault: FileVault, hit: Remembered, *, before: int, after: int) -> Context:
    row = index.conversation(hit.conversation)
    if row is None or hit.entry is None:
        raise SourceUnreadable(f"{hit.conversation}: not in the index; `chorus index` brings it up to date")
    return surroundings(index, vault, row, _entry(index, hit, hit.entry), before=before, after=after)


def _entry(index: Index, hit: Remembered, wanted: str) -> Entry:
    if hit.number is not None:
        # The index may have been rebuilt since then, and a rebuild changes entry numbers.
        entry = index.entries([hit.number]).get(hit.number)
        if entry is not None and entry.id == wanted:
            return entry
    return locate(index, hit.conversation, wanted)


def _as_json(found: Context, names: WorkspaceNames) -> dict[str, Any]:
    """Return the documented form of `chorus context --json`."""
    row = found.row
    return {
        "conversation": row.id,
        "title": row.title,
        "workspace": row.workspace,
        "workspace_name": names.of(row.workspace, row.session.cwd),
        "cwd": row.session.cwd,
        "thread": found.thread,
        "item": found.hit.id,
        "entries": [
            {
                "item": each.id,
                "kind": each.kind,
                "role": each.role,
                "tool": each.tool,
                "failed": each.is_failed,
                "time": each.time,
                "is_hit": each.id == found.hit.id,
                "text": each.text,
                "thinking": each.thinking,
                "asked": each.asked,
                "given": each.given,
            }
            for each in found.entries
        ],
    }


def _draw(found: Context, *, full: bool, width: int | None) -> None:
    from chorus.cli.commands.show import open_console
    from chorus.core.views.heading import heading
    from chorus.core.views.terminal import Look, Terminal
    from chorus.core.views.transcript import each_row

    row, session = found.row, found.row.session
    console = open_console(width)
    terminal = Terminal(console, Look(thinking="fold", is_full=full, folder=session.cwd, found=found.hit.id))
    terminal.heading(
        structs.replace(heading(found.conversation), calls=row.calls, agents=row.sub_agents, cost_usd=row.reported_usd)
    )
    terminal.rows(each_row(found.conversation, found.thread, internal=found.hit.number == 0))
