"""`chorus workspace`: the folders in which agents work."""

from pathlib import Path
from typing import Any

import click

from chorus.base import config
from chorus.cli.output import print_json, print_table, printable
from chorus.cli.steering import refuse_inside_a_run
from chorus.cli.table import Column
from chorus.cli.vault_ids import vault_option
from chorus.steer.workspaces import vetting
from chorus.steer.workspaces.registry import add_workspace, find_workspace, remove_workspace

_COLUMNS = (
    Column("Id"),
    Column("Agents", leaves=2, least=16),
    Column("Notes", leaves=1),
    Column("Folder", least=24, keeps_end=True),
)


@click.group()
def workspace() -> None:
    """Name the folders in which agents work."""


@workspace.command("add")
@click.argument("folder", metavar="[DIR]", default=".", type=click.Path(exists=True, file_okay=False))
@vault_option
def add(folder: str, *, vault: str | None) -> None:
    """Name DIR (the present folder by default) as a workspace."""
    with config.edit(config.home(vault)) as known:
        added = add_workspace(known, Path(folder))
    click.echo(printable(f"{added.id}  {added.path}"))


@workspace.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@vault_option
def list_(*, as_json: bool, vault: str | None) -> None:
    """List the workspaces: those that were named, and those in which sessions were seen."""
    known = config.load(config.home(vault)).workspaces
    if as_json:
        print_json([_told(each) for each in known])
        return
    rows = [(each.id, " ".join(agent.name for agent in each.agents), _words(each), each.path) for each in known]
    print_table("Workspaces", _COLUMNS, rows)
    if not rows:
        click.echo("No workspace yet: `chorus workspace add DIR` names one.")


def _told(each: config.Workspace) -> dict[str, Any]:
    return {
        "id": each.id,
        "path": each.path,
        "agents": [agent.name for agent in each.agents],
        "named": each.is_named,
        "gate": each.gate,
        "gone": not Path(each.path).is_dir(),
    }


def _words(each: config.Workspace) -> str:
    """What is out of the ordinary about a workspace."""
    words = {"gone": not Path(each.path).is_dir(), "strict": each.gate == "strict"}
    return ", ".join(word for word, holds in words.items() if holds)


@workspace.command("trust")
@click.argument("folder", metavar="[DIR]", default=".", type=click.Path(exists=True, file_okay=False))
@vault_option
def trust(folder: str, *, vault: str | None) -> None:
    """Let the client's own settings in DIR act: its hooks, servers and rules, as they are now.

    Says what they do. When one of them changes, an agent works there only after this was said again.
    """
    refuse_inside_a_run()
    trust_folder(Path(folder).resolve(), vault)


def trust_folder(place: Path, vault: str | None) -> None:
    """Write down that a person let what lies in the folder act."""
    for line in vetting.brings(place):
        click.echo(printable(line))
    with config.edit(config.home(vault)) as known:
        found = add_workspace(known, place)
        found.trusted = vetting.digest_of(place)
    outcome = "trusted as it is now" if found.trusted else "brings nothing that acts by itself"
    click.echo(printable(f"{place}: {outcome}"))


@workspace.command("remove")
@click.argument("name", metavar="ID-OR-DIR")
@vault_option
def remove(name: str, *, vault: str | None) -> None:
    """Take a workspace and its agents off the list. Its folder and what is kept of it stay."""
    with config.edit(config.home(vault)) as known:
        found = find_workspace(known, name)
        remove_workspace(known, found)
    click.echo(printable(f"removed {found.id}; its folder and what is kept of it stay"))
