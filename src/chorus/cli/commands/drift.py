"""`chorus drift`: list what the data contains that Chorus does not know."""

import click

from chorus.cli.output import FAILED_SOURCE, complain, counted, print_json, print_table, say
from chorus.cli.pager import paged
from chorus.cli.progress import progress
from chorus.cli.table import Column
from chorus.cli.vault_ids import Named, all_kept, counted_in_vault, named, open_vault, vault_option
from chorus.errors import SourceUnreadable
from chorus.lab.census.parallel import count
from chorus.lab.census.sources import streams_of
from chorus.lab.census.survey import Survey

DRIFTED = 1
_NAME = Column("Name", min_width=24)
_COLUMNS = ("Kind", _NAME, "Count", Column("First version", drop_rank=1))


@click.command()
@click.argument("sources", metavar="[SOURCE…]", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
@vault_option
@click.pass_context
@paged
def drift(ctx: click.Context, sources: tuple[str, ...], *, as_json: bool, vault: str | None) -> None:
    """List the types, kinds, fields and shapes that are not in the catalogue of known records.

    Examines each SOURCE, or the whole vault. SOURCE is a file, a folder (every *.jsonl below it), - for standard input,
    or a conversation in the vault: its id, the number of a hit of the last search, or a query that only this
    conversation answers. The exit code is 1 if something was found. Kinds that are known by name only are also listed,
    because their fields are not known.
    """
    kept_in = open_vault(vault)
    chosen = named(sources, kept_in) if sources else Named(kept=all_kept(kept_in))
    names = streams_of(chosen.files, complain)
    failures: list[SourceUnreadable] = []
    with progress("Comparing", names) as advance:
        found = count(Survey, names, advance=advance, failed=failures.append)
    for reading in counted_in_vault(kept_in, chosen.kept, failures):
        found.take_from(reading)
    findings = found.drift.findings()
    if as_json:
        print_json(found.as_json())
    else:
        rows = [(each.kind, each.name, each.count, each.first_version or "") for each in findings]
        print_table("Not in the catalogue", _COLUMNS, rows)
        if by_name := found.drift.known_by_name():
            print_table("Known by name only", [_NAME, "Count"], list(by_name.items()))
        sizes = (counted(found.files, "file"), counted(found.records, "record"))
        say(f"{', '.join(sizes)}: {counted(len(findings), 'finding')}")
    for failure in failures:
        complain(str(failure))
    if failures or findings:
        ctx.exit(FAILED_SOURCE if failures else DRIFTED)
