"""The lines that a client writes into its session file during a run.

If the recording has a session file, its own lines are written: each when the line of standard output with the same uuid
is written, together with those before it. All other lines are converted to the form of the file.
"""

from collections.abc import Sequence

from chorus.lab.fake_claude.lines import ScriptLine, Value, at, text_at, write

_RENAMED = {"tool_use_result": "toolUseResult"}
_DROPPED = {"session_id", "parent_tool_use_id", "tool_result_meta", "request_id", "type", "isReplay"}


class SessionFile:
    """Turns lines of standard output into lines to append."""

    def __init__(self, recorded: Sequence[ScriptLine], session_id: str, folder: str) -> None:
        self._recorded = recorded
        self._places = {text_at(line.value, "uuid"): place for place, line in enumerate(recorded)}
        self._next = 0
        self._session_id = session_id
        self._folder = folder
        self._last: str | None = None

    def prompt(self, message: Value, uuid: str, timestamp: str) -> list[ScriptLine]:
        """Returns the lines for a prompt, if the recording has no session file."""
        if self._recorded:
            return []
        value = {"message": at(message, "message"), "uuid": text_at(message, "uuid") or uuid, "timestamp": timestamp}
        return [self._record("user", value)]

    def add(self, line: ScriptLine, skipped: set[str]) -> list[ScriptLine]:
        """Returns the lines to append after this one was written; those of `skipped` lines are left out."""
        uuid = text_at(line.value, "uuid")
        place = self._places.get(uuid) if uuid else None
        if place is not None:
            return self._up_to(place + 1, skipped)
        is_main = not text_at(line.value, "parent_tool_use_id")
        if line.kind not in {"user", "assistant"} or not is_main or at(line.value, "isReplay") is True:
            return []
        return [self._record(line.kind, line.value)]

    def close(self, skipped: set[str]) -> list[ScriptLine]:
        """Returns the rest of the recorded file."""
        return self._up_to(len(self._recorded), skipped)

    def _up_to(self, end: int, skipped: set[str]) -> list[ScriptLine]:
        wanted = self._recorded[self._next : end]
        lines = [line for line in wanted if not (uuid := text_at(line.value, "uuid")) or uuid not in skipped]
        self._next = max(self._next, end)
        if lines:
            self._last = text_at(lines[-1].value, "uuid") or self._last
        return lines

    def _record(self, kind: str, value: Value) -> ScriptLine:
        parent, self._last = self._last, text_at(value, "uuid")
        head = {"parentUuid": parent, "isSidechain": False, "userType": "external", "cwd": self._folder}
        kept = {_RENAMED.get(key, key): field for key, field in value.items() if key not in _DROPPED}
        return write({**head, "sessionId": self._session_id, "type": kind, **kept})
