"""Watches the client's settings during a run: a change that an approver allowed is expected, any other ends the run."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from chorus.core.protocol.dialogue import Dialogue
from chorus.core.protocol.frames import PermissionRequest
from chorus.steer.client_settings.pinning import AllowedRule, PinnedSettings
from chorus.steer.runs.approval_port import PermissionDecision
from chorus.steer.runs.pipe_recorder import PipeRecorder

_LOOK_S = 1.0
_FILES = ("userSettings", "projectSettings", "localSettings")
_BEHAVIOURS = ("allow", "deny", "ask")


class SettingsGuard:
    """Checks the settings regularly, and whenever the client asks about them."""

    def __init__(
        self, pinned: PinnedSettings, dialogue: Dialogue, recorder: PipeRecorder, alarm: Callable[[str], None]
    ) -> None:
        self._pinned = pinned
        self._dialogue = dialogue
        self._recorder = recorder
        self._alarm = alarm
        self._looked_at = time.monotonic()

    def allowed(self, request: PermissionRequest, decision: PermissionDecision) -> None:
        """Expects the changes of rules or of the mode that came with an approval."""
        for each in map(_read, decision.suggestions):
            if each.get("type") == "setMode" and isinstance(each.get("mode"), str):
                self._dialogue.mode_allowed(each["mode"])
            self._pinned.expect(_rules(each))

    def look(self) -> None:
        """Checks the settings if the last check is long enough ago."""
        if time.monotonic() - self._looked_at >= _LOOK_S:
            self.objection()

    def objection(self) -> str:
        """Returns why the current settings must not be used; an empty text if they may. A wrong change ends the run."""
        self._looked_at = time.monotonic()
        found = self._pinned.changes()
        for change in found:
            self._recorder.note(type="settings", path=change.path, words=change.words, diff=change.diff)
        if not found:
            return ""
        first = found[0]
        why = f"{first.path} was changed while it worked ({first.words})"
        self._alarm(f"{why}\n{first.diff}" if first.diff else why)
        return why


def _read(suggestion: str) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(suggestion)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _rules(suggestion: dict[str, Any]) -> Iterator[AllowedRule]:
    """Yields the rules and folders that a suggestion would write into a settings file, as they appear there.

    What is only for the session is written nowhere.
    """
    destination, behaviour = suggestion.get("destination"), suggestion.get("behavior")
    if destination not in _FILES:
        return
    rules = suggestion.get("rules") if behaviour in _BEHAVIOURS else None
    for rule in rules if isinstance(rules, list) else ():
        if isinstance(rule, dict) and isinstance(rule.get("toolName"), str):
            content = rule.get("ruleContent")
            text = f"{rule['toolName']}({content})" if content else rule["toolName"]
            yield AllowedRule(str(destination), str(behaviour), text)
    folders = suggestion.get("directories")
    for folder in folders if isinstance(folders, list) else ():
        if isinstance(folder, str):
            yield AllowedRule(str(destination), "additionalDirectories", folder)
