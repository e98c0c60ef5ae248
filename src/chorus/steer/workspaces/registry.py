"""Workspaces and agents in the settings: finds, adds, changes and removes them. Every value is checked on entry."""

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from msgspec import structs

from chorus.base.config import Agent, Config, Workspace
from chorus.core.protocol import launch
from chorus.core.protocol.environment import allowed
from chorus.errors import ChorusError
from chorus.keep.vault.keys import OBSERVED_AGENT, workspace_id

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")


def add_workspace(config: Config, path: Path) -> Workspace:
    """Adds a folder as a workspace and returns it; returns the existing one if it is known."""
    place = str(path.resolve())
    if not Path(place).is_dir():
        raise ChorusError(f"{path}: no folder; a workspace is a folder in which agents work")
    known = next((each for each in config.workspaces if each.path == place), None)
    if known is None:
        known = Workspace(id=workspace_id(place), path=place)
        config.workspaces.append(known)
    known.is_named = True
    return known


def find_workspace(config: Config, name: str) -> Workspace:
    """Returns the workspace with this folder, id, or unique beginning of an id.

    Raises `ChorusError` if there is not one.
    """
    place = str(Path(name).resolve())
    found = [each for each in config.workspaces if place == each.path or name == each.id]
    found = found or [each for each in config.workspaces if each.id.startswith(name)]
    if len(found) > 1:
        raise ChorusError(f"{name}: several workspaces begin so: {', '.join(each.id for each in found[:5])}")
    if not found:
        raise ChorusError(f"{name}: no workspace; `chorus workspace list` names them, `chorus workspace add` adds one")
    return found[0]


def enclosing(config: Config, folder: Path) -> Workspace | None:
    """Returns the innermost workspace with agents around a folder.

    If there is none, it is the workspace of the folder itself, or None.
    """
    by_path = {each.path: each for each in config.workspaces}
    above = [by_path[str(place)] for place in (folder, *folder.parents) if str(place) in by_path]
    return next((each for each in above if each.agents), None) or by_path.get(str(folder))


def remove_workspace(config: Config, workspace: Workspace) -> None:
    """Removes a workspace and its agents from the list; its folder and its recorded data stay."""
    config.workspaces.remove(workspace)


def add_agent(workspace: Workspace, agent: Agent) -> None:
    """Adds an agent after a check of its settings. Raises `ChorusError` if one is not valid."""
    if not _NAME.fullmatch(agent.name):
        raise ChorusError(f"{agent.name!r}: an agent's name is small letters, digits, - and _, at most 40")
    if agent.name == OBSERVED_AGENT:
        raise ChorusError(f"{agent.name}: this name stands for sessions without an agent; choose another")
    if any(each.name == agent.name for each in workspace.agents):
        raise ChorusError(f"{agent.name}: is there already; `chorus agent edit` changes it")
    workspace.agents.append(checked(agent))


def find_agent(workspace: Workspace, name: str) -> Agent:
    found = next((each for each in workspace.agents if each.name == name), None)
    if found is None:
        there = ", ".join(each.name for each in workspace.agents) or "none"
        raise ChorusError(f"{name}: no agent of {workspace.id} (there is {there}); `chorus agent add` makes one")
    return found


def change_agent(agent: Agent, **changes: object) -> None:
    """Changes settings of an agent; all of them are checked before any is changed."""
    wanted = checked(structs.replace(agent, **changes))
    for name in changes:
        setattr(agent, name, getattr(wanted, name))


def remove_agent(workspace: Workspace, name: str) -> None:
    workspace.agents.remove(find_agent(workspace, name))


def checked(agent: Agent) -> Agent:
    """Returns `agent` if all its settings are valid. Raises `ChorusError` that names the first wrong one."""
    if agent.model is not None:
        launch.model(agent.model)
    if agent.mode is not None:
        launch.mode(agent.mode)
    _each(launch.rule, (*agent.allowed_tools, *agent.denied_tools))
    if agent.instructions is not None:
        launch.instructions(agent.instructions)
    _each(allowed, agent.environment)
    return agent


def every_agent(workspaces: Iterable[Workspace]) -> list[tuple[Workspace, Agent]]:
    return [(workspace, agent) for workspace in workspaces for agent in workspace.agents]


def _each(check: Callable[[str], str], values: Sequence[str]) -> None:
    for value in values:
        check(value)
