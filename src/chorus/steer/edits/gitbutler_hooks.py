"""Hooks of GitButler itself in the client's settings: `but claude …`, which only versions up to 0.19.13 understand.

From 0.20 on such a hook ends with exit code 2, and the client takes that as "do not run this tool".
"""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from chorus.base.but import But
from chorus.keep.sources.file_access import look_at

FIRST_WITHOUT = (0, 20, 0)
"""The first version of GitButler without `but claude`."""
_MAX_BYTES = 4 << 20
_CALL = re.compile(
    r"""(?:^|[\s;&|(){}`'"=/\\])but(?:\.exe)?["')`]*(?:\s+-\S+(?:\s+[^\s-]\S*)??){0,8}\s+claude(?![\w./-])""",
    re.IGNORECASE,
)
"""The program, its options, and the subcommand."""


class ButHook(Struct, frozen=True):
    """A hook that calls `but claude`."""

    path: str
    event: str
    command: str


def settings_files(client: Path, folders: Iterable[Path]) -> list[Path]:
    """Returns the settings files in which such hooks can be: of the client's own folder, and of workspaces."""
    places = [client, *(folder / ".claude" for folder in folders)]
    return [place / name for place in places for name in ("settings.json", "settings.local.json")]


def but_hooks(files: Iterable[Path]) -> list[ButHook]:
    """Returns the hooks in these files that call `but claude`. Files that cannot be read or understood have none."""
    found: list[ButHook] = []
    for path in files:
        data = look_at(path, None, _MAX_BYTES)
        try:
            settings = json.loads(data) if data else None
        except (ValueError, RecursionError):
            continue
        hooks = settings.get("hooks") if isinstance(settings, dict) else None
        for event, groups in hooks.items() if isinstance(hooks, dict) else ():
            found += [ButHook(str(path), event, command) for command in _commands(groups) if _calls_but(command)]
    return found


def advice(hooks: Iterable[ButHook], but: But | None) -> list[str]:
    """Returns what a person should do about these hooks, one line for each file; empty if they work."""
    if but is not None and but.version < FIRST_WITHOUT:
        return []
    why = f"GitButler {but.version_text} has no `but claude` any more" if but else "there is no `but` on PATH"
    risk = "the client may refuse every edit because of it" if but else "it fails at every edit"
    by_file: dict[str, list[str]] = {}
    for hook in hooks:
        by_file.setdefault(hook.path, []).append(hook.event)
    return [
        f"{path}: a hook calls `but claude` ({', '.join(dict.fromkeys(events))}), but {why}, and {risk}: "
        "remove it from the file; Chorus serves GitButler without hooks of its own"
        for path, events in by_file.items()
    ]


def _commands(groups: Any) -> Iterator[str]:
    for group in groups if isinstance(groups, list) else ():
        hooks = group.get("hooks") if isinstance(group, dict) else None
        for hook in hooks if isinstance(hooks, list) else ():
            command = hook.get("command") if isinstance(hook, dict) else None
            if isinstance(command, str):
                yield command


def _calls_but(command: str) -> bool:
    """Returns whether a command calls `but claude`: by any path, after other commands, or in the text for a shell."""
    return _CALL.search(command) is not None
