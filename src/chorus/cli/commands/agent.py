"""`chorus agent`: named workers of a workspace."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from chorus.base import config
from chorus.cli.output import complain, print_json, print_table, printable
from chorus.cli.table import Column
from chorus.cli.vault_ids import vault_option
from chorus.core.protocol.launch import MODES, UNASKED_MODES
from chorus.errors import ChorusError
from chorus.steer.workspaces import registry

_COLUMNS = (
    Column("Name", least=16),
    Column("Model", leaves=3),
    Column("Mode", leaves=1),
    Column("Runs unasked", leaves=2, least=16),
    Column("Workspace", least=16, keeps_end=True),
)
_Command = TypeVar("_Command", bound=Callable[..., Any])


@click.group()
def agent() -> None:
    """Name agents, and say how each of them works."""


def _settings(command: _Command) -> _Command:
    options = (
        click.option("--workspace", metavar="DIR", default=".", help="The workspace; the present folder by default."),
        click.option("--model", help="The model it works with."),
        click.option("--mode", type=click.Choice(MODES), help="The permission mode it begins in."),
        click.option(
            "--allow", multiple=True, metavar="RULE", help="A tool that runs unasked, like 'Bash(git log:*)'."
        ),
        click.option("--deny", multiple=True, metavar="RULE", help="A tool that never runs."),
        click.option("--instructions", metavar="TEXT", help="Added to the system prompt; @FILE reads a file."),
        click.option(
            "--contain",
            type=click.Choice(["network", "offline"]),
            help="Keep it to its workspace, with bubblewrap; with the machine's network, or without any.",
        ),
        click.option("--env", multiple=True, metavar="NAME", help="A variable of your environment that it is given."),
        vault_option,
    )
    for option in reversed(options):
        command = option(command)
    return command


@agent.command("add")
@click.argument("name")
@_settings
def add(name: str, *, workspace: str, vault: str | None, **settings: Any) -> None:
    """Make an agent of this NAME; the folder becomes a workspace if it is none."""
    made = config.Agent(name=name, **_given(settings))
    with config.edit(config.home(vault)) as known:
        place = registry.enclosing(known, Path(workspace).resolve()) or registry.add_workspace(known, Path(workspace))
        registry.add_agent(place, made)
    _warn(made)
    click.echo(printable(f"{name} works in {place.path}: `chorus run --agent {name}`"))


@agent.command("edit")
@click.argument("name")
@_settings
@click.option(
    "--clear",
    multiple=True,
    type=click.Choice(["model", "mode", "allow", "deny", "instructions", "env", "contain"]),
    help="A setting that it shall no longer have.",
)
def edit(name: str, *, workspace: str, vault: str | None, clear: tuple[str, ...], **settings: Any) -> None:
    """Change the settings of agent NAME that are given; a list is replaced as a whole."""
    empty = {"allow": [], "deny": [], "env": [], "contain": ""}
    cleared = {_FIELDS[each]: empty.get(each) for each in clear}
    changes = {**cleared, **_given(settings)}
    if not changes:
        raise ChorusError("there is nothing to change; `chorus agent edit --help` names the settings")
    with config.edit(config.home(vault)) as known:
        found = registry.find_agent(_workspace(known, workspace), name)
        registry.change_agent(found, **changes)
    _warn(found)
    click.echo(printable(f"{name}: changed {', '.join(sorted(changes))}; runs that go on keep what they began with"))


@agent.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@vault_option
def list_(*, as_json: bool, vault: str | None) -> None:
    """List the agents of all workspaces."""
    import msgspec

    found = registry.every_agent(config.load(config.home(vault)).workspaces)
    if as_json:
        print_json([{"workspace": place.id, "path": place.path, **msgspec.to_builtins(each)} for place, each in found])
        return
    rows = [
        (each.name, each.model or "", each.mode or "", " ".join(each.allowed_tools), place.path)
        for place, each in found
    ]
    print_table("Agents", _COLUMNS, rows)
    if not rows:
        click.echo("No agent yet: `chorus agent add NAME` makes one.")


@agent.command("remove")
@click.argument("name")
@click.option("--workspace", metavar="DIR", default=".", help="The workspace; the present folder by default.")
@vault_option
def remove(name: str, *, workspace: str, vault: str | None) -> None:
    """Remove agent NAME. What it did stays kept."""
    with config.edit(config.home(vault)) as known:
        registry.remove_agent(_workspace(known, workspace), name)
    click.echo(printable(f"removed {name}; what it did stays kept"))


_FIELDS = {
    "model": "model",
    "mode": "mode",
    "allow": "allowed_tools",
    "deny": "denied_tools",
    "instructions": "instructions",
    "env": "environment",
    "contain": "contain",
}


def _given(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings that were given, by the names they have in the file."""
    found = {
        _FIELDS[name]: list(value) if isinstance(value, tuple) else value for name, value in settings.items() if value
    }
    text = found.get("instructions")
    if isinstance(text, str) and text.startswith("@"):
        try:
            found["instructions"] = Path(text[1:]).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ChorusError(f"{text[1:]}: {error}") from error
    return found


def _workspace(known: config.Config, folder: str) -> config.Workspace:
    found = registry.enclosing(known, Path(folder).resolve())
    return found or registry.find_workspace(known, folder)


def _warn(made: config.Agent) -> None:
    if made.mode in UNASKED_MODES:
        complain(
            f"{made.name} will do everything unasked; whatever reaches it, a web page too, can make it run commands"
        )
