"""Describes what a file of a workspace would do by itself, in words for the person who has to judge it."""

import json
import re
from typing import Any

_MAX_NAMED = 12
_HELPERS = (
    "apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "gcpAuthRefresh", "otelHeadersHelper", "proxyAuthHelper",
    "statusLine",
)  # fmt: skip
_ACTING_KEY = re.compile(r"(?:hooks|allowed-tools|permissionMode|mcpServers|skills)\s*:")
"""Keys of front matter that run, allow or add something; with `skills` an agent starts with them, commands included."""
_ODD = ("?", "*", "&", "!", "<", "{", "[", '"', "'", "%", ".")
"""The first characters of a line whose key is not written plainly: YAML could read any key from it."""


def effects_of(name: str, data: bytes) -> list[str]:
    """Returns what the file of that name does; an empty list if it does nothing."""
    found = _in_front_matter(data) if name.lower().endswith(".md") else _in_settings(data)
    more = [f"and {len(found) - _MAX_NAMED} more"] if len(found) > _MAX_NAMED else []
    return [*found[:_MAX_NAMED], *more]


def _in_settings(data: bytes) -> list[str]:
    try:
        settings = json.loads(data)
    except (ValueError, RecursionError):
        return ["no JSON"]
    if not isinstance(settings, dict):
        return ["no settings"]
    permissions = settings.get("permissions")
    rules = permissions if isinstance(permissions, dict) else {}
    return [
        *(f"runs `{command}`" for command in _commands(settings.get("hooks"))),
        *(f"starts the server {name!r}" for name in _keys(settings.get("mcpServers"))),
        *(f"runs its {name}" for name in _HELPERS if name in settings),
        *(f"enables the plugin {name!r}" for name in _keys(settings.get("enabledPlugins"))),
        *(f"begins in mode {mode}" for mode in _texts([rules.get("defaultMode")])),
        *(f"begins as the agent {name!r}" for name in _texts([settings.get("agent")])),
        *(f"allows {rule}" for rule in _texts(rules.get("allow"))),
        *(f"opens the folder {folder}" for folder in _texts(rules.get("additionalDirectories"))),
        *(f"sets {name}" for name in _keys(settings.get("env"))),
    ]


def _in_front_matter(data: bytes) -> list[str]:
    """Returns the lines that act, as they are written, each with what is indented below it.

    Stricter than the client's YAML: anything that could be one of these keys in disguise counts as one.
    """
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    opening, *lines = text.splitlines() or [""]
    if not opening.startswith("---"):
        return []
    end = next((n for n, line in enumerate(lines) if line.startswith("---")), len(lines))
    written = [line for line in lines[:end] if line.strip() and not line.lstrip().startswith("#")]
    found: list[str] = []
    is_within = False
    for number, line in enumerate(written):
        is_inner = line[0] in " \t-" and number > 0
        if not is_inner:
            is_within = line[0] in " \t-" or line.startswith(_ODD) or _ACTING_KEY.match(line) is not None
            found += [line] if is_within else []
        elif is_within:
            found[-1] += f" {line.strip()}"
    return [f"says `{' '.join(each.split())}`" for each in found]


def _keys(value: Any) -> list[str]:
    return list(value) if isinstance(value, dict) else []


def _texts(value: Any) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _commands(value: Any) -> list[str]:
    """Returns every command in hooks, at any depth."""
    found: list[str] = []
    waiting = [value]
    while waiting:
        each = waiting.pop(0)
        if isinstance(each, dict):
            command = each.get("command")
            found += [command] if isinstance(command, str) else []
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each
    return found
