"""`chorus verify`: that reading loses no byte, and how much of it the typed model reaches."""

import click

from chorus.census.processes import count
from chorus.census.sources import streams_of
from chorus.census.verification import Verification
from chorus.cli.output import FAILED_SOURCE, complain, counted, print_json, print_table
from chorus.cli.progress import progress
from chorus.errors import SourceUnreadable

DIFFERENT = 1


@click.command()
@click.argument("sources", metavar="SOURCE…", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
@click.pass_context
def verify(ctx: click.Context, sources: tuple[str, ...], *, as_json: bool) -> None:
    """Read each SOURCE, put its records together again, and compare the result with the original byte for byte.

    SOURCE is a file, a folder (every *.jsonl below it) or - for standard input. Also tells which share of the JSON
    values in each type of record the typed model covers. The exit code is 1 when a file differs.
    """
    names = streams_of(sources)
    failures: list[SourceUnreadable] = []
    with progress("Verifying", names) as advance:
        found = count(Verification, names, advance=advance, failed=failures.append)
    if as_json:
        print_json(found.as_json())
    else:
        print_verification(found)
    for failure in failures:
        complain(str(failure))
    if failures or found.differences:
        ctx.exit(FAILED_SOURCE if failures else DIFFERENT)


def print_verification(found: Verification) -> None:
    """The verdict, each difference, and the coverage as a table."""
    shares = found.coverage.shares() | {"total": found.coverage.total()}
    print_table(
        "Covered by the typed model", ["Type", "Share"], [(name, f"{share:.2%}") for name, share in shares.items()]
    )
    print_table(
        "Differences",
        ["File", "Offset", "Reason"],
        [(each.file, each.offset, each.reason) for each in found.differences],
    )
    verdict = f"{len(found.differences)} differ" if found.differences else "identical, byte for byte"
    sizes = (counted(found.files, "file"), counted(found.lines, "line"), counted(found.size_bytes, "byte"))
    click.echo(f"{', '.join(sizes)}: {verdict}")
