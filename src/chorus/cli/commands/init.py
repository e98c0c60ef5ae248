"""`chorus init`: make a folder a workspace with its own vault."""

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
@click.option("--adopt", is_flag=True, help="Use an existing .chorus/, whoever created it.")
@vault_option
def init(folder: str, *, adopt: bool, vault: str | None) -> None:
    """Make DIR (by default the current folder) a workspace with its own vault in DIR/.chorus.

    Chorus never uses a .chorus/ that merely exists in a repository. It uses only those that were created or adopted
    with this command, and that are registered in the home of Chorus.
    """
    place = Path(folder).resolve()
    root = config.guarded_home(vault)
    own = place / config.OWN_VAULT
    if own == root.resolve():
        raise ChorusError(f"{own}: this is the home of Chorus; name the folder of a workspace")
    is_named = any(each.path == str(place) and each.has_own_vault for each in config.load(root).workspaces)
    is_new = _make(own, may_exist=adopt or is_named)
    with config.edit(root) as known:
        workspace = add_workspace(known, place)
        workspace.has_own_vault = True
    verb = "Created" if is_new else "Unchanged:" if is_named else "Adopted"
    click.echo(printable(f"{verb} {own}"))
    click.echo(printable(f"Workspace {workspace.id} is registered in {root / 'config.json'}"))
    click.echo(printable(f"`chorus list --vault {own}` lists its vault"))


def _make(own: Path, *, may_exist: bool) -> bool:
    """Create the folder, readable by this user only; return whether it is new."""
    try:
        status = own.lstat()
    except FileNotFoundError:
        status = None
    if status is not None:
        if not stat.S_ISDIR(status.st_mode):
            raise ChorusError(f"{own}: is not a folder, and links are not followed; move it away first")
        if status.st_uid != os.getuid():
            raise ChorusError(f"{own}: belongs to another user; move it away first")
        if not may_exist:
            raise ChorusError(
                f"{own}: exists already and was not created by this command; check its content, then use --adopt"
            )
        own.chmod(0o700)
        return False
    own.mkdir(mode=0o700)
    safe_files.put_file(own / ".gitignore", b"# Transcripts are private: commit nothing of this folder.\n*\n")
    return True
