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
    Column("Name", min_width=16),
    Column("Model", drop_rank=3),
    Column("Mode", drop_rank=1),
    Column("Allowed", drop_rank=2, min_width=16),
    Column("Workspace", min_width=16, keeps_end=True),
)
_Command = TypeVar("_Command", bound=Callable[..., Any])


@click.group()
def agent() -> None:
    """Manage named agents and their settings."""


def _settings(command: _Command) -> _Command:
    options = (
        click.option("--workspace", metavar="DIR", default=".", help="The workspace; by default the current folder."),
        click.option("--model", help="The model it uses."),
        click.option("--mode", type=click.Choice(MODES), help="Its permission mode at the start."),
        click.option(
            "--allow",
            multiple=True,
            metavar="RULE",
            help="A tool that may run without asking, like 'Bash(git log:*)'.",
        ),
        click.option("--deny", multiple=True, metavar="RULE", help="A tool that never runs; may be repeated."),
        click.option("--instructions", metavar="TEXT", help="Text added to the system prompt; @FILE reads a file."),
        click.option(
            "--contain",
            type=click.Choice(["network", "offline"]),
            help="Contain it in its workspace with bubblewrap; with the network of the machine, or without any.",
        ),
        click.option(
            "--env", multiple=True, metavar="NAME", help="An environment variable to pass on; may be repeated."
        ),
        vault_option,
    )
    for option in reversed(options):
        command = option(command)
    return command


@agent.command("add")
@click.argument("name")
@_settings
def add(name: str, *, workspace: str, vault: str | None, **settings: Any) -> None:
    """Create an agent with this NAME. If the folder is not a workspace yet, it becomes one."""
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
    help="A setting to remove; may be repeated.",
)
def edit(name: str, *, workspace: str, vault: str | None, clear: tuple[str, ...], **settings: Any) -> None:
    """Change settings of agent NAME. A list is replaced as a whole."""
    empty = {"allow": [], "deny": [], "env": [], "contain": ""}
    cleared = {_FIELDS[each]: empty.get(each) for each in clear}
    changes = {**cleared, **_given(settings)}
    if not changes:
        raise ChorusError("nothing to change; `chorus agent edit --help` lists the settings")
    with config.edit(config.home(vault)) as known:
        found = registry.find_agent(_workspace(known, workspace), name)
        registry.change_agent(found, **changes)
    _warn(found)
    click.echo(printable(f"{name}: changed {', '.join(sorted(changes))}; current runs keep their old settings"))


@agent.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@vault_option
def list_(*, as_json: bool, vault: str | None) -> None:
    """List the agents of all workspaces."""
    import msgspec

    found = registry.every_agent(config.load(config.guarded_home(vault)).workspaces)
    if as_json:
        print_json([{"workspace": place.id, "path": place.path, **msgspec.to_builtins(each)} for place, each in found])
        return
    rows = [
        (each.name, each.model or "", each.mode or "", " ".join(each.allowed_tools), place.path)
        for place, each in found
    ]
    print_table("Agents", _COLUMNS, rows)
    if not rows:
        click.echo("No agents yet: `chorus agent add NAME` creates one.")


@agent.command("remove")
@click.argument("name")
@click.option("--workspace", metavar="DIR", default=".", help="The workspace; by default the current folder.")
@vault_option
def remove(name: str, *, workspace: str, vault: str | None) -> None:
    """Remove agent NAME. Its conversations stay in the vault."""
    with config.edit(config.home(vault)) as known:
        registry.remove_agent(_workspace(known, workspace), name)
    click.echo(printable(f"removed {name}; its conversations stay in the vault"))


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
    """Return the settings that were given, by their names in the settings file."""
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
        complain(f"{made.name} will do everything without asking; any text it reads, even a web page, can make it act")
