"""Compares the settings that act now with those from the start of a run.

The client reads its settings again whenever one of the files changes, so an agent that may write a file could make the
client run programs or allow calls without asking. The same holds for the programs that settings name. Cosmetic
settings, our own hooks, and rules that an approver allowed the client to write do not count.
"""

import json
import os
import shlex
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from msgspec import Struct

from chorus.errors import ChorusError
from chorus.keep.sources.discover import config_folder
from chorus.steer.client_settings.effects import effects_of
from chorus.steer.client_settings.file_changes import Change, content_of, difference, stamp_of
from chorus.steer.client_settings.pinned_programs import PinnedPrograms
from chorus.steer.client_settings.workspace_files import ClientFile, settings_files, user_files, workspace_files
from chorus.steer.hooks.blockers import managed_folder

HARMLESS = frozenset(
    {
        "$schema", "theme", "model", "verbose", "language", "cleanupPeriodDays", "outputStyle", "includeCoAuthoredBy",
        "spinnerTipsEnabled", "alwaysThinkingEnabled", "effortLevel", "editorMode", "autoUpdatesChannel", "tui",
        "preferredNotifChannel", "prefersReducedMotion", "showTurnDuration", "terminalProgressBarEnabled",
    }
)  # fmt: skip
"""Settings that have no effect on what runs."""
_MAX_BYTES = 4 << 20
_TOO_MANY = "holds more files than can be compared"
_PLUGIN_FILES = ("hooks/*.json", ".mcp.json", ".claude-plugin/*.json")


class AllowedRule(Struct, frozen=True):
    """A rule, or a folder, that an approver let the client write into settings."""

    destination: str
    """Where: `userSettings`, `projectSettings` or `localSettings`."""
    name: str
    """The list in which it may appear: `allow`, `deny`, `ask` or `additionalDirectories`."""
    text: str


class _Seen(Struct):
    stamp: tuple[int, ...]
    text: str
    effects: str


_GONE = _Seen((), "", "")


class PinnedSettings:
    """The effects of the settings of one workspace, the person, the machine and installed plugins."""

    def __init__(self, folder: Path, *, hook_program: Path | None = None) -> None:
        """`hook_program` is the program that `chorus hooks` writes into settings."""
        self._folder = folder
        self._hook_program = str(hook_program) if hook_program else ""
        self._rules: set[AllowedRule] = set()
        self._plugins = _plugin_files()
        self._seen: dict[Path, _Seen] = {}
        self._programs = PinnedPrograms(folder, hook_program)
        self._crowded: set[Path] = set()
        self._is_pinned = False
        self.changes()

    def expect(self, rules: Iterable[AllowedRule]) -> None:
        """Expects these rules or folders in settings, because an approver allowed the client to write them."""
        self._rules.update(rules)

    def changes(self) -> list[Change]:
        """Returns what changed since the last call; each change is reported once. Never raises.

        A folder with too many files to compare counts as a change, because a file that acts could hide among them.
        """
        found: list[Change] = []
        for each in self._files(found):
            before = self._seen.get(each.path)
            now = self._look(each, before)
            if now is before or now is None:
                continue
            self._seen[each.path] = now
            then = self._effects(each, before.text) if before else ""
            if now.effects != then:
                found.append(_change(each, before.text if before else "", now.text))
        found += self._programs.changes({path: seen.text for path, seen in self._seen.items()})
        is_pinned, self._is_pinned = self._is_pinned, True
        return found if is_pinned else []

    def _files(self, found: list[Change]) -> list[ClientFile]:
        """Returns the files to compare; adds folders that became too crowded to `found`."""
        config = config_folder()
        listed = [*settings_files(self._folder), *_managed(), *self._plugins]
        for place, files_in in ((self._folder, workspace_files), (config, user_files)):
            try:
                listed += files_in(place)
            except (ChorusError, OSError) as error:
                if place not in self._crowded:
                    self._crowded.add(place)
                    words = _TOO_MANY if isinstance(error, ChorusError) else f"cannot be compared: {error.strerror}"
                    found.append(Change(str(place), words, ""))
        listed += [ClientFile(str(config / name), config / name) for name in ("settings.json", "settings.local.json")]
        files = {each.path: each for each in listed}
        gone = [ClientFile(str(path), path) for path in self._seen.keys() - files.keys()]
        return [*files.values(), *gone]

    def _look(self, file: ClientFile, before: _Seen | None) -> _Seen | None:
        """Returns the current content of a file: the same object if it is unchanged, None if there never was a file."""
        try:
            status = file.path.stat()
            stamp = stamp_of(status)
            if before is not None and before.stamp == stamp:
                return before
            if not stat.S_ISREG(status.st_mode):
                # Opening a pipe would wait for its other end, while the client could read settings from it.
                return None if stat.S_ISDIR(status.st_mode) else _Seen(stamp, "", "it is no regular file")
            text = content_of(file.path, _MAX_BYTES).decode("utf-8", "replace")
        except (OSError, ValueError):
            return _GONE if before is not None and before.stamp else before
        return _Seen(stamp, text, self._effects(file, text))

    def _effects(self, file: ClientFile, text: str) -> str:
        """Returns the part of a text that decides what runs, for comparison."""
        if not text.strip():
            return ""
        if file.path.suffix == ".md":
            return "\n".join(effects_of(file.name, text.encode()))
        try:
            settings = json.loads(text)
        except (ValueError, RecursionError):
            return text
        if not isinstance(settings, dict):
            return text
        kept = {name: value for name, value in settings.items() if name not in HARMLESS}
        if "permissions" in kept:
            kept["permissions"] = self._without_expected(kept["permissions"], self._destination(file.path))
        if "hooks" in kept:
            kept["hooks"] = self._without_ours(kept["hooks"])
        kept = {name: value for name, value in kept.items() if value not in ({}, [], None)}
        return json.dumps(kept, sort_keys=True) if kept else ""

    def _destination(self, path: Path) -> str:
        """Returns the client's name for a settings file."""
        if path.name == "settings.local.json":
            return "localSettings"
        return "userSettings" if path.parent == config_folder() else "projectSettings"

    def _without_expected(self, permissions: Any, destination: str) -> Any:
        if not isinstance(permissions, dict):
            return permissions
        kept = dict(permissions)
        for rule in self._rules:
            if rule.destination == destination and isinstance(kept.get(rule.name), list):
                kept[rule.name] = [text for text in kept[rule.name] if text != rule.text]
        return {name: value for name, value in kept.items() if value != []}

    def _without_ours(self, hooks: Any) -> Any:
        if not isinstance(hooks, dict) or not self._hook_program:
            return hooks
        kept: dict[str, Any] = {}
        for event, groups in hooks.items():
            others = groups
            if isinstance(groups, list):
                others = [group for group in groups if not self._is_ours(group)]
            if others != []:
                kept[event] = others
        return kept

    def _is_ours(self, group: Any) -> bool:
        hooks = group.get("hooks") if isinstance(group, dict) else None
        if not isinstance(hooks, list) or len(hooks) != 1 or not isinstance(hooks[0], dict):
            return False
        try:
            words = shlex.split(str(hooks[0].get("command")))
        except ValueError:
            return False
        is_plain = hooks[0].get("type") == "command" and set(hooks[0]) <= {"type", "command", "timeout"}
        return words == [self._hook_program] and is_plain


def _change(file: ClientFile, before: str, now: str) -> Change:
    name = str(file.path)
    did, does = effects_of(name, before.encode()) if before else [], effects_of(name, now.encode()) if now else []
    words = [each for each in does if each not in did] or [f"no longer {each}" for each in did if each not in does]
    return Change(name, ", ".join(words) or "acts in another way", difference(name, before, now))


def _managed() -> list[ClientFile]:
    folder = managed_folder()
    found = [folder / "managed-settings.json", folder / "managed-mcp.json", *_listed(folder / "managed-settings.d")]
    return [ClientFile(str(path), path) for path in found]


def _plugin_files() -> list[ClientFile]:
    """Returns the files of installed plugins that act.

    A new version takes effect only after a restart of the client.
    """
    installed = config_folder() / "plugins"
    found = [path for kind in _PLUGIN_FILES for path in installed.glob(f"cache/*/*/*/{kind}")]
    found += [path for kind in _PLUGIN_FILES for path in installed.glob(f"marketplaces/*/plugins/*/{kind}")]
    return [ClientFile(str(path), path) for path in found]


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder / name for name in os.listdir(folder) if name.endswith(".json"))  # noqa: PTH208 - names
    except OSError:
        return []
