"""Finds what prevents installed hooks from running: settings of any source, and environment variables."""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from chorus.keep.sources.file_access import look_at

_MANAGED = {
    "darwin": Path("/Library/Application Support/ClaudeCode"),
    "win32": Path(r"C:\Program Files\ClaudeCode"),
}
_MANAGED_ELSEWHERE = Path("/etc/claude-code")
_MAX_BYTES = 8 << 20
_DISABLED = '{}: "disableAllHooks" is set, so the client runs no hook'
_OFF = ("", "0", "false", "no", "off")


def managed_folder() -> Path:
    """Returns the folder of the settings that an administrator manages."""
    return _MANAGED.get(sys.platform, _MANAGED_ELSEWHERE)


def blockers(own: Path, folder: Path, managed: Path, environment: Mapping[str, str]) -> list[str]:
    """Returns everything that prevents hooks of Chorus from running for a client in `folder`, in words. Never raises.

    `own` is the client's folder of this user. Settings that cannot be parsed are ignored here.
    """
    found = [text for path in _managed_files(managed) for text in _by_manager(path, _settings(path))]
    local = folder / ".claude"
    files = (own / "settings.json", local / "settings.json", local / "settings.local.json")
    found += [_DISABLED.format(path) for path in files if _settings(path).get("disableAllHooks") is True]
    modes = {"CLAUDE_CODE_SIMPLE": "bare mode", "CLAUDE_CODE_SAFE_MODE": "safe mode"}
    set_ = [name for name in modes if environment.get(name, "").lower() not in _OFF]
    return found + [f"{name} is set: a client started here is in {modes[name]}, and runs no hook" for name in set_]


def _by_manager(path: Path, settings: dict[str, Any]) -> Iterator[str]:
    if settings.get("disableAllHooks") is True:
        yield _DISABLED.format(path)
    if settings.get("allowManagedHooksOnly") is True:
        yield f'{path}: "allowManagedHooksOnly" is set, so the client runs the hooks of managed settings only'
    strict = settings.get("strictPluginOnlyCustomization")
    if strict is True or (isinstance(strict, list) and "hooks" in strict):
        yield f'{path}: "strictPluginOnlyCustomization" is set, so the client runs the hooks of plugins only'


def _managed_files(folder: Path) -> list[Path]:
    try:
        more = sorted((folder / "managed-settings.d").glob("*.json"))
    except OSError:
        more = []
    return [folder / "managed-settings.json", *more]


def _settings(path: Path) -> dict[str, Any]:
    data = look_at(path, None, _MAX_BYTES)
    try:
        found = msgspec.json.decode(data or b"{}")
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
