"""`chorus stats`: count what sources contain."""

from typing import Any

import click

from chorus.cli.chosen import are_query, names_of_query
from chorus.cli.output import FAILED_SOURCE, complain, print_json, print_table
from chorus.cli.pager import paged
from chorus.cli.progress import progress
from chorus.cli.query_words import QUERY_SETTINGS, refuse_mistyped_options
from chorus.cli.table import Column
from chorus.cli.vault_ids import Named, all_kept, counted_in_vault, named, open_vault, vault_option
from chorus.errors import SourceUnreadable
from chorus.keep.archive.listing import named as kept_named
from chorus.lab.census.parallel import count
from chorus.lab.census.sources import streams_of
from chorus.lab.census.stats import Stats


@click.command(context_settings=QUERY_SETTINGS)
@click.argument("sources", metavar="[SOURCE…|QUERY]", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
@vault_option
@click.pass_context
@paged
def stats(ctx: click.Context, sources: tuple[str, ...], *, as_json: bool, vault: str | None) -> None:
    """Count the records, blocks, tools, models, versions and tokens of each SOURCE, or of the whole vault.

    SOURCE is a file, a folder (every *.jsonl below it), - for standard input, or a conversation in the vault: its id,
    or the number of a hit of the last search. QUERY counts all conversations that answer it, as in `chorus cost`.
    """
    refuse_mistyped_options(ctx, sources)
    kept_in = open_vault(vault)
    if sources and are_query(sources, kept_in):
        chosen = Named(kept=list(kept_named(kept_in, names_of_query(sources, kept_in))))
    else:
        chosen = named(sources, kept_in) if sources else Named(kept=all_kept(kept_in))
    names = streams_of(chosen.files, complain)
    failures: list[SourceUnreadable] = []
    with progress("Counting", names) as advance:
        found = count(Stats, names, advance=advance, failed=failures.append)
    for reading in counted_in_vault(kept_in, chosen.kept, failures):
        found.take_from(reading)
    numbers = found.as_json()
    if as_json:
        print_json(numbers)
    else:
        print_stats(numbers)
    for failure in failures:
        complain(str(failure))
    if failures:
        ctx.exit(FAILED_SOURCE)


def print_stats(numbers: dict[str, Any]) -> None:
    """Print the numbers as tables."""
    totals = [(name.replace("_", " "), value) for name, value in numbers.items() if isinstance(value, int)]
    print_table("Totals", ["", "Count"], totals)
    print_table(
        "Tokens", ["", "Tokens"], [(name.replace("_", " "), _tokens(name, numbers)) for name in numbers["tokens"]]
    )
    print_table("Record types", [Column("Type", min_width=24), "Count"], list(numbers["records"].items()))
    print_table("Subtypes", [Column("Subtype", min_width=24), "Count"], list(numbers["subtypes"].items()))
    print_table("Content blocks", [Column("Type", min_width=24), "Count"], list(numbers["blocks"].items()))
    print_table(
        "Tools",
        [
            Column("Tool", min_width=24),
            "Uses",
            "Errors",
            Column("Input fields (? not in every use)", drop_rank=1, min_width=12),
        ],
        [(tool["name"], tool["uses"], tool["errors"], fields_of(tool)) for tool in numbers["tools"]],
    )
    print_table(
        "Calls, each counted once",
        [Column("Tool", min_width=24), "Calls", "Failed"],
        [(name, counts["calls"], counts["failed"]) for name, counts in numbers["calls"].items()],
    )
    print_table("Models", [Column("Model", min_width=24), "Messages"], list(numbers["models"].items()))
    print_table("Client versions", [Column("Version", min_width=24), "Records"], list(numbers["versions"].items()))
    print_table("Not in the catalogue", [Column("Name", min_width=24), "Count"], list(numbers["unknown"].items()))


def _tokens(name: str, numbers: dict[str, Any]) -> int | str:
    """Return a sum of tokens; the output is a lower bound if there are messages that do not say how they ended."""
    value = numbers["tokens"][name]
    return f"≥{value:,}" if name == "output" and numbers["lower_bounds"] else value


def fields_of(tool: dict[str, Any]) -> str:
    """Return the input fields of a tool, the most used first; `?` marks a field that some uses do not have."""
    return ", ".join(name if uses == tool["uses"] else f"{name}?" for name, uses in tool["inputs"].items())
