"""A request as a rule sees it: one action for each program that would run, and each file that would be touched."""

import posixpath
from typing import Any

from msgspec import Struct

from chorus.core.conversation.tool_facts import facts_of
from chorus.core.rules.reached_hosts import host_of
from chorus.core.rules.runners import expanded
from chorus.core.rules.shell import commands_of
from chorus.core.rules.shell_words import Command, Unknown, Word

SHELL_TOOL, WRITE_TOOL, READ_TOOL = "Bash", "Write", "Read"
_SHELL_FIELDS = frozenset({"command", "description", "timeout", "run_in_background"})
_NAMING_FIELDS = ("file_path", "notebook_path", "path")
"""The fields that name one file or folder, and no pattern."""
_DEVICES = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin"})
_MAX_FOLDERS = 8


class Action(Struct, frozen=True, kw_only=True):
    """One thing that a request would do."""

    tool: str
    """The tool that a rule must name to allow it. For a redirection that is `Write` or `Read`."""
    words: tuple[Word, ...] = ()
    """The words of a command; empty for anything else."""
    assigned: tuple[str, ...] = ()
    is_opaque: bool = False
    must_name: int = 0
    is_shell: bool = False
    """Whether a command line does it."""
    folders: tuple[str, ...] | None = ()
    """The folders that it may run in; None if that is not known."""
    paths: tuple[str, ...] | None = ()
    """The files of a tool or a redirection, as written; None if they are not known."""
    hosts: tuple[str, ...] | None = ()
    """The hosts that a tool reaches; None if they are not known."""
    label: str = ""
    """The action in a few words."""


def actions_of(tool: str, given: dict[str, Any], cwd: str) -> list[Action]:
    """Returns the actions of a call. Raises `Unknown` if it is not understood completely."""
    if tool == SHELL_TOOL:
        return _of_line(given, cwd)
    facts = facts_of(tool)
    if facts.kind == "command":
        raise Unknown(f"the command lines of `{tool}` are not understood")
    label = tool
    paths: list[str] = []
    is_known = facts.kind in ("reader", "editor") and not any(name in given for name in ("url", "query"))
    for name in facts.path_fields:
        value = given.get(name)
        if value is None:
            continue
        if not isinstance(value, str) or "\0" in value:
            is_known = False
        else:
            paths.append(value)
            label = f"{tool} {value}" if name in _NAMING_FIELDS else label
    hosts = _hosts(given)
    return [
        Action(
            tool=tool,
            folders=(cwd,) if cwd.startswith("/") else None,
            paths=tuple(paths or ([cwd] if facts.works_in_folder else [])) if is_known else None,
            hosts=hosts,
            label=f"{tool} {hosts[0]}" if hosts else label,
        )
    ]


def _hosts(given: dict[str, Any]) -> tuple[str, ...] | None:
    found = host_of(given["url"]) if isinstance(given.get("url"), str) else None
    return (found,) if found is not None else None


def _of_line(given: dict[str, Any], cwd: str) -> list[Action]:
    line = given.get("command")
    if not isinstance(line, str):
        raise Unknown("the command is not a text")
    if unusual := [name for name, value in given.items() if name not in _SHELL_FIELDS and value]:
        raise Unknown(f"`{unusual[0]}` of the tool")
    found: list[Action] = []
    folders: tuple[str, ...] | None = (posixpath.normpath(cwd),) if cwd.startswith("/") else None
    for command in expanded(commands_of(line)):
        found += _of_command(command, folders)
        folders = _after(command, folders)
    if not found:
        raise Unknown("there is no command")
    return found


def _of_command(command: Command, folders: tuple[str, ...] | None) -> list[Action]:
    found: list[Action] = []
    for redirection in command.redirections:
        target = redirection.target
        if target.is_fixed and target.text in _DEVICES:
            continue
        tool = WRITE_TOOL if redirection.is_write else READ_TOOL
        found.append(
            Action(
                tool=tool,
                is_shell=True,
                folders=folders,
                paths=(target.text,) if target.is_fixed else None,
                label=f"{'>' if redirection.is_write else '<'} {target.text}",
            )
        )
    if command.words or command.assigned:
        shown = " ".join([*(f"{name}=…" for name in command.assigned), *(word.text for word in command.words)])
        found.append(
            Action(
                tool=SHELL_TOOL,
                words=command.words,
                assigned=command.assigned,
                is_opaque=command.is_opaque,
                must_name=command.must_name,
                is_shell=True,
                folders=folders,
                paths=None,
                hosts=None,
                label=shown,
            )
        )
    return found


def _after(command: Command, folders: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Returns the folders that the commands after this one may run in: `cd` may also have failed."""
    if not command.words or command.words[0].text != "cd":
        return folders
    words = command.words[1:]
    if folders is None or len(words) != 1 or not words[0].is_fixed or words[0].text.startswith(("-", "+", "~")):
        return None
    moved = {posixpath.normpath(posixpath.join(each, words[0].text)) for each in folders} | set(folders)
    return tuple(sorted(moved)) if len(moved) <= _MAX_FOLDERS else None
