"""Turns a session file into a recording: what a client would have written on standard output at the same time.

Prompts, messages and results come from the file; `system/init` and `result` are synthesized from its content, one of
each for every prompt. Sub-agents are in files of their own and are not shown.
"""

from collections.abc import Sequence

from chorus.lab.fake_claude.lines import ScriptLine, Value, at, blocks, message_text, text_at, write
from chorus.lab.fake_claude.recording import Recording, times_by_stamp
from chorus.lab.fake_claude.synthesized import uuid_of

_ENOUGH = 50
_COMMANDS = ("<command-name>", "<command-message>", "<bash-input>")
_OUTPUTS = ("<local-command-", "<bash-stdout>", "<bash-stderr>")


def is_session_file(lines: Sequence[ScriptLine]) -> bool:
    """Whether the lines are from a session file, and not from standard output, which spells `sessionId` differently."""
    return any("sessionId" in line.value and "session_id" not in line.value for line in lines[:_ENOUGH])


def from_session_file(name: str, lines: Sequence[ScriptLine]) -> Recording:
    """Returns the recording that is derived from a session file."""
    derivation = _Derivation(lines)
    for line in lines:
        derivation.take(line)
    derivation.end_turn()
    output_lines = derivation.lines
    return Recording(name, output_lines, times_by_stamp(output_lines), derivation.sent, session=list(lines))


class _Derivation:
    def __init__(self, lines: Sequence[ScriptLine]) -> None:
        self.lines: list[ScriptLine] = []
        self.sent: list[ScriptLine] = []
        self._session_id = next(filter(None, (text_at(line.value, "sessionId") for line in lines)), "")
        self._model = next(filter(None, (text_at(line.value, "message", "model") for line in lines)), "")
        self._is_open = False
        self._answer = ""
        self._messages: set[str] = set()
        self._last: Value = {}
        self._command: Value | None = None
        """A command that was typed, until it is known whether it goes to the model."""

    def take(self, line: ScriptLine) -> None:
        value = line.value
        if line.kind not in {"user", "assistant"} or at(value, "isSidechain") is True or at(value, "isMeta") is True:
            return
        if line.kind == "assistant":
            if self._command is not None:
                self._begin_turn(self._command)
            self._answer = message_text(value) or self._answer
            self._messages.add(text_at(value, "message", "id"))
            self._add(line.kind, value, {})
            self._last = value
        elif any(block.get("type") == "tool_result" for block in blocks(line)):
            extra = {"tool_use_result": value["toolUseResult"]} if "toolUseResult" in value else {}
            self._add(line.kind, value, extra)
            self._last = value
        elif (text := message_text(value).lstrip()).startswith(_OUTPUTS):
            # The client answered the command by itself: that is no turn.
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
            "cwd": text_at(value, "cwd"),
            "tools": [],
            "mcp_servers": [],
            "model": self._model,
            "permissionMode": text_at(value, "permissionMode") or "default",
            "apiKeySource": "none",
            "claude_code_version": text_at(value, "version"),
        }
        self._emit({"type": "system", "subtype": "init", **init, **self._envelope(), **_stamp(value)})

    def end_turn(self) -> None:
        """Ends the current turn with a result."""
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
        self._emit({"type": "result", **result, **self._envelope(), **_stamp(self._last)})

    def _add(self, kind: str, value: Value, more: Value) -> None:
        fields = {"message": at(value, "message"), "parent_tool_use_id": None, "session_id": self._session_id}
        self._emit({"type": kind, **fields, "uuid": text_at(value, "uuid"), **_stamp(value), **more})

    def _emit(self, value: Value) -> None:
        self.lines.append(write(value))

    def _envelope(self) -> Value:
        return {"session_id": self._session_id, "uuid": uuid_of(self._session_id, str(len(self.lines)))}


def _stamp(value: Value) -> Value:
    stamp = text_at(value, "timestamp")
    return {"timestamp": stamp} if stamp else {}
