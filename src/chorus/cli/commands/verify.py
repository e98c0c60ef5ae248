"""`chorus verify`: check that the vault is complete, or that reading a source loses no byte."""

import click

from chorus.cli.output import FAILED_SOURCE, complain, counted, print_json, print_table, say
from chorus.cli.progress import progress
from chorus.cli.table import Column
from chorus.cli.vault_ids import open_vault, refuse_without_vault, vault_option
from chorus.errors import SourceUnreadable
from chorus.keep.restore.blobs import blob_names
from chorus.keep.restore.checking import VaultCheck, check, mark_suspects
from chorus.keep.vault.files import FileVault
from chorus.lab.census.parallel import count
from chorus.lab.census.sources import streams_of
from chorus.lab.census.verification import Verification

DIFFERENT = 1
_FILE = Column("File", min_width=24, keeps_end=True)
_REASON = Column("Reason", min_width=24)


@click.command()
@click.argument("sources", metavar="[SOURCE…]", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
@vault_option
@click.pass_context
def verify(ctx: click.Context, sources: tuple[str, ...], *, as_json: bool, vault: str | None) -> None:
    """Check the whole vault, or read each SOURCE and compare the result with the original, byte for byte.

    Without SOURCE: check every line against its checksum and place, every side file against its name, and the recorded
    data against the sources that still exist. The exit code is 1 if the vault is damaged.

    SOURCE is a file, a folder (every *.jsonl below it) or - for standard input. Its records are joined again and
    compared. Also reports which share of the JSON values of each record type the typed model covers. The exit code is 1
    if a file differs.
    """
    if not sources:
        verify_vault(ctx, open_vault(vault), as_json=as_json)
        return
    names = streams_of(sources, complain)
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
    """Print the coverage and each difference as tables, and the verdict."""
    shares = found.coverage.shares() | {"total": found.coverage.total()}
    print_table(
        "Covered by the typed model", ["Type", "Share"], [(name, f"{share:.2%}") for name, share in shares.items()]
    )
    print_table(
        "Differences",
        [_FILE, "Offset", _REASON],
        [(each.file, each.offset, each.reason) for each in found.differences],
    )
    verdict = f"{len(found.differences)} differ" if found.differences else "identical, byte for byte"
    sizes = (counted(found.files, "file"), counted(found.lines, "line"), counted(found.size_bytes, "byte"))
    say(f"{', '.join(sizes)}: {verdict}")


def verify_vault(ctx: click.Context, vault: FileVault, *, as_json: bool) -> None:
    """Check the whole vault and print the result; exit with code 1 if it is damaged."""
    refuse_without_vault(vault)
    paths = [vault.path(key) for key in list(vault.keys())]
    files = [str(path) for path in paths if path.exists()]
    with progress("Verifying", files) as advance:
        found = check(vault, blob_names(vault.root), advance=advance)
    if as_json:
        print_json(found.as_json())
    else:
        print_vault_check(found)
    if found.damaged:
        if not vault.is_too_new:
            mark_suspects(vault)
        ctx.exit(DIFFERENT)


def print_vault_check(found: VaultCheck) -> None:
    """Print the damaged places, the sources that were rewritten, and the verdict."""
    print_table(
        "Damaged",
        [Column("Stream", min_width=24, keeps_end=True), "Line", _REASON],
        [(each.stream, str(each.line or ""), each.reason) for each in found.damaged],
    )
    print_table(
        "Sources that differ from the recorded data (run chorus sync to record a new revision)",
        [_FILE],
        [(path,) for path in found.sources["differs"]],
    )
    states = {"differs": "different"}
    sources = ", ".join(f"{len(paths):,} {states.get(state, state)}" for state, paths in found.sources.items())
    sizes = (counted(found.streams, "stream"), counted(found.lines, "line"), counted(found.size_bytes, "byte"))
    verdict = (
        f"{len(found.damaged)} damaged; the rest can be read, and chorus sync records again what sources still have"
        if found.damaged
        else "complete"
    )
    say(f"{', '.join(sizes)}, {counted(found.blobs, 'side file')}: {verdict}")
    say(f"Sources: {sources}")
