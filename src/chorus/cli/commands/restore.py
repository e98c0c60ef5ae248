"""`chorus restore`: write a recorded session back to disk, as the client wrote it."""

import shlex
from pathlib import Path
from typing import Any

import click
from msgspec import structs

from chorus.cli.output import complain, counted, print_json, print_table, printable
from chorus.cli.table import Column
from chorus.cli.vault_ids import open_vault, the_one, vault_option
from chorus.keep.archive.listing import Kept
from chorus.keep.restore.all_copies import Version, restore_all_versions, versions
from chorus.keep.restore.restoring import Restored
from chorus.keep.restore.restoring import restore as give_back
from chorus.keep.sources.discover import CONFIG_VARIABLE, config_folder
from chorus.keep.vault.files import FileVault

INCOMPLETE = 1
_COLUMNS = (
    Column("Stream", min_width=16),
    Column("Revision", is_right=True),
    Column("Bytes", drop_rank=1, is_right=True),
    Column("Notes", min_width=12),
    Column("Source", min_width=24, keeps_end=True),
)


@click.command()
@click.argument("conversation", metavar="ID")
@click.option("--to", metavar="DIR", type=click.Path(file_okay=False), help="Write below DIR/projects instead.")
@click.option("--revision", type=int, metavar="N", help="Restore revision N of the session; 0 is the first.")
@click.option("--list", "is_listing", is_flag=True, help="Only list all copies and revisions.")
@click.option("--all", "is_all", is_flag=True, help="Write all copies and revisions, each as a file below --to DIR.")
@click.option("--force", "is_forced", is_flag=True, help="Replace files that differ.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
@vault_option
@click.pass_context
def restore(
    ctx: click.Context,
    conversation: str,
    *,
    to: str | None,
    revision: int | None,
    is_listing: bool,
    is_all: bool,
    is_forced: bool,
    as_json: bool,
    vault: str | None,
) -> None:
    """Write the session file, its sub-agents and its side files back, byte for byte, to where the client finds them.

    ID is the beginning of a conversation's id, four characters or more; the number of a hit of the last search; or a
    query that only this conversation answers. The files get the current time, so that the client does not delete them
    as too old. If a file exists and differs, nothing is written without --force. The exit code is 1 if one of the files
    is not in the vault.
    """
    store = open_vault(vault)
    kept = the_one(conversation, store)
    folder = Path(to).absolute() if to else None
    if is_listing:
        _list(store, kept, as_json=as_json)
        return
    if is_all:
        if folder is None or revision is not None:
            raise click.UsageError("--all needs --to DIR, and cannot be used with --revision")
        _restore_all(ctx, store, kept, folder, is_forced=is_forced, as_json=as_json)
        return
    done = give_back(store, kept, to=folder, revision=revision, is_forced=is_forced)
    command = resume_command(done)
    if as_json:
        print_json(as_object(kept, done, command))
    else:
        for file in done.files:
            click.echo(f"{file.outcome:9}  {printable(file.path)}  ({counted(file.size_bytes, 'byte')})")
        click.echo(f"{counted(len(done.files), 'file')}; continue with: {printable(command)}")
    for each in done.left_out:
        complain(f"not restored: {each.path}: {each.reason}")
    if done.left_out:
        ctx.exit(INCOMPLETE)


def _list(vault: FileVault, kept: Kept, *, as_json: bool) -> None:
    found = versions(vault, kept)
    if as_json:
        print_json(
            {"conversation": kept.id, "versions": [{**structs.asdict(each), "file": each.file} for each in found]}
        )
        return
    rows = [
        (
            each.stream,
            str(each.revision),
            _size(each),
            each.reason or ("last" if each.is_last else ""),
            each.source or "",
        )
        for each in found
    ]
    print_table("Copies and revisions", _COLUMNS, rows)


def _size(version: Version) -> str:
    return "" if version.size_bytes is None else f"{version.size_bytes:,}"


def _restore_all(
    ctx: click.Context, vault: FileVault, kept: Kept, folder: Path, *, is_forced: bool, as_json: bool
) -> None:
    given, left_out = restore_all_versions(vault, kept, folder, is_forced=is_forced)
    if as_json:
        files = [{"path": file.path, "bytes": file.size_bytes, "outcome": file.outcome} for file in given]
        left = [{"path": each.path, "reason": each.reason} for each in left_out]
        print_json({"conversation": kept.id, "files": files, "left_out": left})
    else:
        for file in given:
            click.echo(f"{file.outcome:9}  {printable(file.path)}  ({counted(file.size_bytes, 'byte')})")
    for each in left_out:
        complain(f"not restored: {each.path}: {each.reason}")
    if left_out:
        ctx.exit(INCOMPLETE)


def as_object(kept: Kept, done: Restored, command: str) -> dict[str, Any]:
    """Return the documented form of `chorus restore --json`."""
    return {
        "conversation": kept.id,
        "session": done.session,
        "config_dir": str(done.config_dir),
        "files": [{"path": file.path, "bytes": file.size_bytes, "outcome": file.outcome} for file in done.files],
        "left_out": [{"path": each.path, "reason": each.reason} for each in done.left_out],
        "resume": command,
    }


def resume_command(done: Restored) -> str:
    """Return the shell command that continues the session, in the folder where the client looks for it."""
    is_usual = done.config_dir == config_folder()
    setting = "" if is_usual else f"{CONFIG_VARIABLE}={shlex.quote(str(done.config_dir))} "
    where = f"cd {shlex.quote(done.cwd)} && " if done.cwd else ""
    return f"{where}{setting}claude --resume {shlex.quote(done.session)}"
