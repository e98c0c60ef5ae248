"""`chorus init`: a person names a workspace, which then may have a vault of its own."""

import os
import stat
from pathlib import Path

import click

from chorus.base import config
from chorus.cli.output import printable
from chorus.cli.vault_ids import vault_option
from chorus.errors import ChorusError
from chorus.keep.vault import safe_files
from chorus.steer.workspaces.registry import add_workspace


@click.command()
@click.argument("folder", metavar="[DIR]", default=".", type=click.Path(exists=True, file_okay=False))
@click.option("--adopt", is_flag=True, help="Use a .chorus/ that is there already, whoever made it.")
@vault_option
def init(folder: str, *, adopt: bool, vault: str | None) -> None:
    """Name DIR (the present folder by default) as a workspace that has a vault of its own in DIR/.chorus.

    A .chorus/ that merely lies in a repository is never used: only one that was named here, and that is written down
    in Chorus' home.
    """
    place = Path(folder).resolve()
    root = config.home(vault)
    own = place / config.OWN_VAULT
    if own == root.resolve():
        raise ChorusError(f"{own}: this is Chorus' home already; name the folder of a workspace")
    is_named = any(each.path == str(place) and each.has_own_vault for each in config.load(root).workspaces)
    is_new = _make(own, may_exist=adopt or is_named)
    with config.edit(root) as known:
        workspace = add_workspace(known, place)
        workspace.has_own_vault = True
    verb = "Made" if is_new else "Kept" if is_named else "Adopted"
    click.echo(printable(f"{verb} {own}"))
    click.echo(printable(f"Workspace {workspace.id} is named in {root / 'config.json'}"))
    click.echo(printable(f"`chorus list --vault {own}` looks into its own vault"))


def _make(own: Path, *, may_exist: bool) -> bool:
    """Make the folder for this user alone; tells whether it is new."""
    try:
        status = own.lstat()
    except FileNotFoundError:
        status = None
    if status is not None:
        if not stat.S_ISDIR(status.st_mode):
            raise ChorusError(f"{own}: is no folder, and links are not followed; move it away first")
        if status.st_uid != os.getuid():
            raise ChorusError(f"{own}: belongs to another user; move it away first")
        if not may_exist:
            raise ChorusError(
                f"{own}: is there already, and was not made here; look at what it holds, then use --adopt"
            )
        own.chmod(0o700)
        return False
    own.mkdir(mode=0o700)
    safe_files.put_file(own / ".gitignore", b"# Transcripts are private: nothing in here is to be committed.\n*\n")
    return True
