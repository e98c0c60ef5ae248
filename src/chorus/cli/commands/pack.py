"""`chorus pack`: write a conversation with all its side files into one file, for another machine or another path."""

from pathlib import Path

import click

from chorus.cli.output import complain, counted, print_json, printable
from chorus.cli.vault_ids import open_vault, the_one, vault_option
from chorus.keep.packs.packing import Packed
from chorus.keep.packs.packing import pack as make_pack

INCOMPLETE = 1
ENDING = ".pack.tar.zst"


@click.command()
@click.argument("conversation", metavar="ID")
@click.option("-o", "--output", metavar="FILE", help="Write this file; else ID.pack.tar.zst in the current folder.")
@click.option("--force", "is_forced", is_flag=True, help="Replace the file if it exists.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
@vault_option
@click.pass_context
def pack(
    ctx: click.Context, conversation: str, *, output: str | None, is_forced: bool, as_json: bool, vault: str | None
) -> None:
    """Write the session file, its sub-agents and its side files into one file that `chorus unpack` can read.

    ID is the beginning of a conversation's id, four characters or more; the number of a hit of the last search; or a
    query that only this conversation answers. The pack contains the original bytes, and nothing is redacted: whoever
    gets it reads everything that was said and done. The exit code is 1 if one of the files is not in the vault.
    """
    store = open_vault(vault)
    kept = the_one(conversation, store)
    to = Path(output) if output else Path(f"{kept.id}{ENDING}")
    done = make_pack(store, kept, to.absolute(), is_forced=is_forced)
    if as_json:
        print_json(_as_object(done))
    else:
        files, size = counted(len(done.contents.files), "file"), counted(done.size_bytes, "byte")
        click.echo(f"{printable(str(to))}: {files}, {size}; continue elsewhere with: {_unpack_command(done, to)}")
    if done.grown:
        complain(f"{done.grown} has grown since it was recorded: run `chorus sync` first to pack all of it")
    for each in done.contents.left_out:
        complain(f"not packed: {each.path}: {each.reason}")
    if done.contents.left_out:
        ctx.exit(INCOMPLETE)


def _unpack_command(done: Packed, to: Path) -> str:
    import shlex

    large = " --large" if done.is_large else ""
    return printable(f"chorus unpack {shlex.quote(to.name)} --as DIR{large}")


def _as_object(done: Packed) -> dict[str, object]:
    """Return the documented form of `chorus pack --json`."""
    contents = done.contents
    return {
        "path": str(done.path),
        "bytes": done.size_bytes,
        "session": contents.session,
        "project": contents.project,
        "files": [{"name": file.name, "bytes": file.size, "sha256": file.sha256} for file in contents.files],
        "left_out": [{"path": each.path, "reason": each.reason} for each in contents.left_out],
        "grown": done.grown is not None,
        "needs_large": done.is_large,
    }
