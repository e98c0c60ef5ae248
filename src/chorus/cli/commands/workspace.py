"""`chorus workspace`: manage the folders in which agents work."""

import os
from pathlib import Path
from typing import Any

import click

from chorus.base import config
from chorus.cli.output import print_json, print_table, printable
from chorus.cli.pager import paged
from chorus.cli.steering import refuse_inside_a_run
from chorus.cli.table import Column
from chorus.cli.vault_ids import vault_option
from chorus.steer.workspaces import vetting
from chorus.steer.workspaces.registry import add_workspace, find_workspace, remove_workspace

_COLUMNS = (
    Column("Id"),
    Column("Agents", drop_rank=2, min_width=16),
    Column("Notes", drop_rank=1),
    Column("Folder", min_width=24, keeps_end=True),
)


@click.group()
def workspace() -> None:
    """Manage the folders in which agents work."""


@workspace.command("add")
@click.argument("folder", metavar="[DIR]", default=".", type=click.Path(exists=True, file_okay=False))
@vault_option
def add(folder: str, *, vault: str | None) -> None:
    """Make DIR (by default the current folder) a workspace."""
    with config.edit(config.home(vault)) as known:
        added = add_workspace(known, Path(folder))
    click.echo(printable(f"{added.id}  {added.path}"))


@workspace.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@vault_option
@paged
def list_(*, as_json: bool, vault: str | None) -> None:
    """List all workspaces.

    These are the folders that were added, and the folders in which sessions were found.
    """
    known = config.load(config.guarded_home(vault)).workspaces
    if as_json:
        print_json([_as_json(each) for each in known])
        return
    rows = [(each.id, " ".join(agent.name for agent in each.agents), _words(each), each.path) for each in known]
    print_table("Workspaces", _COLUMNS, rows)
    if not rows:
        click.echo("No workspaces yet: `chorus workspace add DIR` adds one.")


def _as_json(each: config.Workspace) -> dict[str, Any]:
    """Return the documented form of a workspace in `chorus workspace list --json`."""
    return {
        "id": each.id,
        "path": each.path,
        "agents": [agent.name for agent in each.agents],
        "named": each.is_named,
        "gate": each.gate,
        "gone": _is_gone(each),
    }


def _words(each: config.Workspace) -> str:
    """Return notes about a workspace: whether its folder is gone, and whether it is strict."""
    words = {"gone": _is_gone(each), "strict": each.gate == "strict"}
    return ", ".join(word for word, is_set in words.items() if is_set)


def _is_gone(each: config.Workspace) -> bool:
    """Return whether the folder of a workspace does not exist. Its path is a text of a transcript, perhaps no path."""
    return not os.path.isdir(each.path)  # noqa: PTH112 - `Path.is_dir` raises if the text is too long for a path


@workspace.command("trust")
@click.argument("folder", metavar="[DIR]", default=".", type=click.Path(exists=True, file_okay=False))
@vault_option
def trust(folder: str, *, vault: str | None) -> None:
    """Trust the client's settings in DIR: its hooks, servers and rules, as they are now.

    Prints what they do. If one of them changes, no agent works there until you run this command again.
    """
    refuse_inside_a_run()
    trust_folder(Path(folder).resolve(), vault)


def trust_folder(place: Path, vault: str | None) -> None:
    """Print what the settings in the folder do, and record that a person trusts them."""
    for line in vetting.brings(place):
        click.echo(printable(line))
    with config.edit(config.home(vault)) as known:
        found = add_workspace(known, place)
        found.trusted = vetting.digest_of(place)
    outcome = "trusted as it is now" if found.trusted else "has no settings that need trust"
    click.echo(printable(f"{place}: {outcome}"))


@workspace.command("remove")
@click.argument("name", metavar="ID-OR-DIR")
@vault_option
def remove(name: str, *, vault: str | None) -> None:
    """Remove a workspace and its agents from the list. Its folder and its conversations stay."""
    with config.edit(config.home(vault)) as known:
        found = find_workspace(known, name)
        remove_workspace(known, found)
    click.echo(printable(f"removed {found.id}; its folder and its conversations stay"))
