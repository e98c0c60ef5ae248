"""`chorus index`: bring the index up to date, or rebuild it."""

import sys
from datetime import UTC, datetime

import click

from chorus.cli.output import counted, print_json, say
from chorus.cli.progress import progress
from chorus.cli.vault_ids import open_vault, vault_option
from chorus.errors import ChorusError
from chorus.find.index.sqlite.opening import FILE, FOLDER
from chorus.find.indexing.writer import index_writer
from chorus.keep.archive.listing import conversations


@click.command()
@click.option("--rebuild", "is_rebuild", is_flag=True, help="Build it again from the vault.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@vault_option
def index(*, is_rebuild: bool, as_json: bool, vault: str | None) -> None:
    """Bring the index up to date with the vault.

    `chorus sync` does this as well. The index is built from the vault and can be deleted at any time: this loses
    nothing except the time to build it again.
    """
    kept_in = open_vault(vault)
    kept = list(conversations(kept_in))
    names = [str(kept_in.path(key)) for each in kept for key in each.content] if sys.stderr.isatty() else []
    with index_writer(kept_in, datetime.now(UTC)) as keeper:
        if keeper is None:
            raise ChorusError(f"{kept_in.root / FOLDER}: another process is updating it at the moment")
        with progress("Indexing", names) as advance:
            if is_rebuild:
                keeper.rebuild(advance)
                changed = len(kept)
            else:
                changed = keeper.catch_up(advance=advance)
    size_bytes = (kept_in.root / FOLDER / FILE).stat().st_size
    if as_json:
        print_json({"conversations": len(kept), "changed": changed, "bytes": size_bytes})
        return
    say(f"{counted(len(kept), 'conversation')}, {changed:,} indexed; the index takes {size_bytes / 1e6:.1f} MB")
