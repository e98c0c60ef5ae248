"""A session file as a recording: what a client would have said on standard output while it wrote the file.

Prompts, messages and results are the file's own; `system/init` and `result` are made up from what the file tells, one
of each for every prompt. Sub-agents lie in files of their own and are not shown.
"""

from collections.abc import Sequence

from chorus.lab.fake_claude.lines import Line, Value, at, blocks, said, words, write
from chorus.lab.fake_claude.recording import Recording, times_by_stamp
from chorus.lab.fake_claude.synthesized import uuid_of

_ENOUGH = 50
_COMMANDS = ("<command-name>", "<command-message>", "<bash-input>")
_OUTPUTS = ("<local-command-", "<bash-stdout>", "<bash-stderr>")


def is_session_file(lines: Sequence[Line]) -> bool:
    """Whether lines are those a client keeps, not those it says: told by the spelling of the session's id."""
    return any("sessionId" in line.value and "session_id" not in line.value for line in lines[:_ENOUGH])


def from_session_file(name: str, lines: Sequence[Line]) -> Recording:
    """The recording that a session file tells of."""
    derivation = _Derivation(lines)
    for line in lines:
        derivation.take(line)
    derivation.end_turn()
    said_lines = derivation.lines
    return Recording(name, said_lines, times_by_stamp(said_lines), derivation.sent, session=list(lines))


class _Derivation:
    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines: list[Line] = []
        self.sent: list[Line] = []
        self._session_id = next(filter(None, (words(line.value, "sessionId") for line in lines)), "")
        self._model = next(filter(None, (words(line.value, "message", "model") for line in lines)), "")
        self._is_open = False
        self._answer = ""
        self._messages: set[str] = set()
        self._last: Value = {}
        self._command: Value | None = None
        """A command that was typed, until it is known whether the model is asked for it."""

    def take(self, line: Line) -> None:
        value = line.value
        if line.kind not in {"user", "assistant"} or at(value, "isSidechain") is True or at(value, "isMeta") is True:
            return
        if line.kind == "assistant":
            if self._command is not None:
                self._begin_turn(self._command)
            self._answer = said(value) or self._answer
            self._messages.add(words(value, "message", "id"))
            self._add(line.kind, value, {})
            self._last = value
        elif any(block.get("type") == "tool_result" for block in blocks(line)):
            told = {"tool_use_result": value["toolUseResult"]} if "toolUseResult" in value else {}
            self._add(line.kind, value, told)
            self._last = value
        elif (text := said(value).lstrip()).startswith(_OUTPUTS):
            # The client answered the command by itself: that costs no turn.
            self._command = None
        elif text.startswith(_COMMANDS):
            self._command = value
        else:
            self._begin_turn(value)

    def _begin_turn(self, value: Value) -> None:
        self.end_turn()
        self._command, self._last = None, value
        self.sent.append(write({"type": "user", "message": at(value, "message")}))
        self._is_open, self._answer, self._messages = True, "", set()
        init = {
            "cwd": words(value, "cwd"),
            "tools": [],
            "mcp_servers": [],
            "model": self._model,
            "permissionMode": words(value, "permissionMode") or "default",
            "apiKeySource": "none",
            "claude_code_version": words(value, "version"),
        }
        self._say({"type": "system", "subtype": "init", **init, **self._envelope(), **_stamp(value)})

    def end_turn(self) -> None:
        """Close the turn under way with a result."""
        if not self._is_open:
            return
        self._is_open = False
        result = {
            "subtype": "success",
            "is_error": False,
            "duration_ms": 0,
            "duration_api_ms": 0,
            "num_turns": len(self._messages),
            "result": self._answer,
            "total_cost_usd": 0,
            "usage": at(self._last, "message", "usage") or {},
            "permission_denials": [],
        }
        self._say({"type": "result", **result, **self._envelope(), **_stamp(self._last)})

    def _add(self, kind: str, value: Value, more: Value) -> None:
        fields = {"message": at(value, "message"), "parent_tool_use_id": None, "session_id": self._session_id}
        self._say({"type": kind, **fields, "uuid": words(value, "uuid"), **_stamp(value), **more})

    def _say(self, value: Value) -> None:
        self.lines.append(write(value))

    def _envelope(self) -> Value:
        return {"session_id": self._session_id, "uuid": uuid_of(self._session_id, str(len(self.lines)))}


def _stamp(value: Value) -> Value:
    stamp = words(value, "timestamp")
    return {"timestamp": stamp} if stamp else {}
