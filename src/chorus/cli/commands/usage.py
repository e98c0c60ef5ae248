"""`chorus usage`: tokens, cost, tools, waiting and activity, from the sums of the index."""

from datetime import datetime

import click

from chorus.base import config
from chorus.base.prices import PRICES_FILE, load_prices
from chorus.base.zone import local_zone
from chorus.cli.chosen import chosen_names
from chorus.cli.output import print_json, say
from chorus.cli.pager import paged
from chorus.cli.query_options import ask
from chorus.cli.query_words import QUERY_SETTINGS, refuse_mistyped_options
from chorus.cli.usage_tables import lines_table, notes_text, overview_text, tools_table, week_text
from chorus.cli.vault_ids import open_vault, vault_option
from chorus.core.query.usage_lines import GROUPINGS, Grouping
from chorus.core.spending.named_days import days_named
from chorus.find.costs.conversation_costs import Costs
from chorus.find.search.annotations import load_annotations
from chorus.find.search.titles import title_of
from chorus.find.usage.csv_text import lines_csv, tools_csv
from chorus.find.usage.overview import Overview, overview
from chorus.find.usage.report import Selection, UsageReports

_OVERVIEW: tuple[Grouping, ...] = ("day", "model", "workspace", "subagent", "hour")
"""The tables that are printed if nobody asks for others."""


@click.command(context_settings=QUERY_SETTINGS)
@click.argument("words", metavar="[QUERY…|ID…]", nargs=-1)
@click.option(
    "--by", "groupings", type=click.Choice(GROUPINGS), multiple=True, help="Only the table by this; may be repeated."
)
@click.option("--since", metavar="DAY", help="First day: 2026-02-03, 2026-02, monday, or 7d for seven days ago.")
@click.option("--until", metavar="DAY", help="Last day, or a month or year, inclusive.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
@click.option(
    "--csv", "as_csv", is_flag=True, help="Print one table as comma-separated values; by day, or as --by says."
)
@vault_option
@click.pass_context
@paged
def usage(
    ctx: click.Context,
    words: tuple[str, ...],
    *,
    groupings: tuple[Grouping, ...],
    since: str | None,
    until: str | None,
    as_json: bool,
    as_csv: bool,
    vault: str | None,
) -> None:
    """Show what was used and done: cost and tokens, tools, waiting for people, activity, limits.

    QUERY counts the conversations that answer it, as `chorus cost` does; it is an error if there are none. Without it,
    everything in the vault is counted. What a fork copied is counted once, in its source.
    """
    refuse_mistyped_options(ctx, words)
    if as_json and as_csv:
        raise click.UsageError("choose one of --json and --csv")
    if as_csv and len(groupings) > 1:
        raise click.UsageError("--csv prints one table: name one --by")
    kept_in, zone = open_vault(vault), local_zone()
    now = datetime.now(zone)
    home = config.home_of(kept_in.root)
    selection = Selection(
        names=chosen_names(words, kept_in),
        since=days_named(since, now=now)[0] if since else None,
        until=days_named(until, now=now)[1] if until else None,
        zone=zone,
    )
    prices = load_prices(home / PRICES_FILE, may_be_missing=True)
    wanted = groupings or (("day",) if as_csv else _OVERVIEW)
    called = config.workspace_names(kept_in.root)
    annotations = load_annotations(kept_in)
    found = ask(
        kept_in,
        lambda index: overview(
            UsageReports(index, prices, selection),
            index,
            kept_in,
            called,
            wanted,
            lambda name: title_of(index, name, annotations),
        ),
        cost_of=Costs(home).cost_of,
    )
    if found is None:
        if as_json or as_csv:
            raise click.ClickException("nothing is recorded here yet: `chorus sync` records your sessions")
        say("Nothing is recorded here yet: `chorus sync` records your sessions.")
    elif as_json:
        print_json(found.as_json())
    elif as_csv:
        click.echo(_csv(found, wanted[0]), nl=False)
    elif groupings:
        click.echo("\n".join(_one(found, by) for by in groupings) + "\n" + notes_text(found), nl=False)
    else:
        click.echo(overview_text(found, zone), nl=False)


def _csv(found: Overview, by: Grouping) -> str:
    return tools_csv("tool", found.done.tools) if by == "tool" else lines_csv(by, found.tables[by].lines)


def _one(found: Overview, by: Grouping) -> str:
    if by == "tool":
        return tools_table("Tools", "Tool", found.done.tools)
    return lines_table(found.tables[by]) + ("\n" + week_text(found.tables[by]) if by == "hour" else "")
