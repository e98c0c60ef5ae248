"""Adds our hooks to the client's settings, or removes them: text in, text out. Pure.

Only our hooks are changed, which are those that call a program of our name. Everything else keeps its bytes, order and
layout; a text that cannot be parsed is refused, never repaired.
"""

import shlex
from typing import Any

from msgspec import Struct

from chorus.core.conversation.tool_facts import MCP_PREFIX, TOOLS
from chorus.steer.hooks.json_text import Node, NotEditable, Rendered, cut, layout, parse, put

PROGRAM = "chorus-hook"
ASKING = "PermissionRequest"
ASK_TIMEOUT_S = 600
"""When the client ends a hook that asks a person; the hook itself gives up a minute before."""
TELL_TIMEOUT_S = 10
EVENTS = (ASKING, "Notification", "Stop", "SessionStart", "SessionEnd")
EDIT_EVENTS = ("UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "SubagentStop")
"""The events that snapshots of files need besides `EVENTS`; installed only if a person asks for them."""
_OF_TOOLS = ("PreToolUse", "PostToolUse", "PostToolUseFailure")
_WRITING = [name for name, facts in TOOLS.items() if facts.kind in ("editor", "command")]
EDIT_MATCHER = "|".join([*_WRITING, f"{MCP_PREFIX}.*"])
"""The tools that can change files, in the client's syntax."""
EMPTY = "{}\n"


class HookEntry(Struct, frozen=True):
    """One of our hooks in a text."""

    event: str
    command: str
    is_whole: bool
    """Whether it is as installed: alone in its group, for every tool, with its timeout."""


def added(text: str, command: str, *, with_edits: bool = False) -> str:
    """Returns the text with our hooks, each once; the same text if they are already correct. Raises `NotEditable`.

    The hooks for snapshots are added with `with_edits`; if some of them are there already, they are completed.
    """
    for event in wanted_events(text, with_edits=with_edits):
        wanted = group_of(event, command)
        ours = _ours(_hooks(_root(text)), event)
        if [group.value for group, _ in ours] == [wanted]:
            continue
        text = _without(text, event) if ours else text
        text = _with(text, event, wanted)
    return text


def wanted_events(text: str, *, with_edits: bool = False) -> tuple[str, ...]:
    """Returns the events that a text should have hooks of ours for. Raises `NotEditable`."""
    has_edits = with_edits or any(each.event in EDIT_EVENTS for each in entries(text))
    return (*EVENTS, *EDIT_EVENTS) if has_edits else EVENTS


def removed(text: str) -> str:
    """Returns the text without our hooks and without containers that are then empty. Raises `NotEditable`."""
    for event in list(_events(_root(text))):
        text = _without(text, event)
    return text


def entries(text: str) -> list[HookEntry]:
    """Returns our hooks in a text. Raises `NotEditable`."""
    hooks = _hooks(_root(text))
    found = []
    for event in _events(_root(text)):
        for group, hook in _ours(hooks, event):
            command = hook.value["command"]
            found.append(HookEntry(event, command, group.value == group_of(event, command)))
    return found


def is_ours(hook: Any) -> bool:
    """Returns whether a hook calls a program of our name, in any folder."""
    if not isinstance(hook, dict) or not isinstance(hook.get("command"), str):
        return False
    try:
        words = shlex.split(hook["command"])
    except ValueError:
        return False
    return bool(words) and words[0].rpartition("/")[2] == PROGRAM


def group_of(event: str, command: str) -> dict[str, Any]:
    """Returns the group that is written for one event."""
    asks = event == ASKING
    hook = {"type": "command", "command": command, "timeout": ASK_TIMEOUT_S if asks else TELL_TIMEOUT_S}
    if event in _OF_TOOLS:
        return {"matcher": EDIT_MATCHER, "hooks": [hook]}
    return {"matcher": "*", "hooks": [hook]} if asks else {"hooks": [hook]}


def _root(text: str) -> Node:
    root = parse(text if text.strip("\ufeff \t\r\n") else EMPTY)
    if root.members is None:
        raise NotEditable("line 1: the settings are no object")
    return root


def _hooks(root: Node) -> Node | None:
    hooks = (root.members or {}).get("hooks")
    if hooks is not None and hooks.members is None:
        raise NotEditable('"hooks" is no object')
    return hooks


def _events(root: Node) -> list[str]:
    hooks = _hooks(root)
    return list(hooks.members or {}) if hooks is not None else []


def _ours(hooks: Node | None, event: str) -> list[tuple[Node, Node]]:
    """Returns our hooks of an event, each with its group; groups of an unknown shape are ignored."""
    groups = (hooks.members or {}).get(event) if hooks is not None else None
    found = []
    for group in (groups.items or []) if groups is not None else []:
        listed = (group.members or {}).get("hooks")
        found += [(group, hook) for hook in (listed.items or []) if is_ours(hook.value)] if listed is not None else []
    return found


def _with(text: str, event: str, group: dict[str, Any]) -> str:
    text = text if text.strip("\ufeff \t\r\n") else EMPTY
    root = _root(text)
    hooks = _hooks(root)
    unit, newline = layout(text, root)
    if hooks is None:
        return put(text, root, Rendered({event: [group]}, unit, newline), "hooks")
    groups = (hooks.members or {}).get(event)
    if groups is None:
        return put(text, hooks, Rendered([group], unit, newline), event)
    if groups.items is None:
        raise NotEditable(f'"hooks.{event}" is no list')
    return put(text, groups, Rendered(group, unit, newline))


def _without(text: str, event: str) -> str:
    """Returns the text without our hooks of an event; each is cut at the outermost container that has nothing else."""
    while True:
        root = _root(text)
        hooks = _hooks(root)
        ours = _ours(hooks, event)
        if not ours or hooks is None or hooks.members is None:
            return text
        group, hook = ours[0]
        listed = (group.members or {})["hooks"]
        groups = hooks.members[event]
        holders = [(listed, hook), (groups, group), (hooks, groups), (root, hooks)]
        depth = 0
        while depth < len(holders) - 1 and len(holders[depth][0].children) == 1:
            depth += 1
        text = cut(text, *holders[depth])
