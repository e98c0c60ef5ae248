"""The permission tool: the MCP messages that the client exchanges with it. Pure.

The client calls it instead of asking a person (`claude -p --permission-prompt-tool mcp__chorus__approve`). A call
contains what a PermissionRequest hook receives, except the session: that is known from the process that started the
tool.
"""

import json
import re
from typing import Any, Literal

import msgspec
from msgspec import Raw, Struct, field

from chorus.steer.hooks.payloads import ASKING

TOOL = "approve"
UNREACHABLE = "Chorus could not be asked: start `chorus serve` and try again."
UNANSWERED = "Nobody answered in Chorus."
OLDEST_CLIENT = (2, 1, 150)
"""The oldest client that was seen to list the sessions of `claude -p`; 2.1.50 does not."""
NO_SESSION = (
    "Chorus cannot tell which session asks: no client that lists its sessions stands above the tool. "
    "It takes Claude Code 2.1.150 or newer, and a client of this user and CLAUDE_CONFIG_DIR."
)
_VERSION = "2025-06-18"
_UNKNOWN = -32601
_DESCRIPTION = "Asks a person in Chorus whether a tool may be used."
_SCHEMA = {
    "type": "object",
    "properties": {"tool_name": {"type": "string"}, "input": {"type": "object"}, "tool_use_id": {"type": "string"}},
    "required": ["tool_name", "input"],
}
_NUMBER = re.compile(r"[0-9]{1,9}")
_REFUSALS = (msgspec.DecodeError, msgspec.ValidationError, UnicodeError, RecursionError)


def too_old(client: tuple[int, ...] | None) -> str:
    """Returns why a client of this version cannot be answered."""
    named = ".".join(map(str, client or ()))
    return f"Chorus cannot tell which session asks: Claude Code {named} does not say it, 2.1.150 and newer do."


class Call(Struct, frozen=True):
    """The request, with its input as exact JSON text."""

    tool: str = field(name="tool_name")
    given: Raw = field(name="input")

    def hook_text(self, session: str, cwd: str) -> bytes:
        """Returns the same request as a PermissionRequest hook receives it."""
        head = json.dumps({"hook_event_name": ASKING, "session_id": session, "cwd": cwd, "tool_name": self.tool})
        return f'{head[:-1]},"tool_input":'.encode() + bytes(self.given) + b"}"

    def answer(self, output: bytes) -> str:
        """Returns the answer for the client, from what a hook would print; no output becomes a denial."""
        try:
            decision = _printed.decode(output).made.decision
        except _REFUSALS:
            return denial(UNANSWERED)
        if decision.behaviour != "allow":
            return denial(decision.message or UNANSWERED)
        return '{"behavior":"allow","updatedInput":' + (bytes(decision.input) or bytes(self.given)).decode() + "}"


class McpMessage(Struct, frozen=True):
    """A line from the client: a request if it has an id."""

    method: str = ""
    id: int | str | None = None
    params: Raw = Raw(b"{}")

    @property
    def call(self) -> Call | None:
        """The permission request in it; None if there is none."""
        if self.method != "tools/call":
            return None
        try:
            named = _named.decode(self.params)
        except _REFUSALS:
            return None
        return named.arguments if named.name == TOOL else None

    @property
    def client(self) -> tuple[int, ...] | None:
        """The client's version if this is its introduction; None otherwise, or if it is malformed."""
        if self.method != "initialize":
            return None
        try:
            said = _introduced.decode(self.params).client.version
        except _REFUSALS:
            return None
        numbers = said.split(".")
        return tuple(map(int, numbers)) if 0 < len(numbers) < 5 and all(map(_NUMBER.fullmatch, numbers)) else None

    def reply(self, version: str) -> bytes | None:
        """Returns the reply to anything but a call; None if no reply is needed."""
        if self.id is None:
            return None
        match self.method:
            case "initialize":
                info = {"name": "chorus", "version": version}
                return self._result({"protocolVersion": _VERSION, "capabilities": {"tools": {}}, "serverInfo": info})
            case "tools/list":
                return self._result({"tools": [{"name": TOOL, "description": _DESCRIPTION, "inputSchema": _SCHEMA}]})
            case "ping":
                return self._result({})
            case _:
                error = {"code": _UNKNOWN, "message": "This server knows one tool, and nothing else."}
                return _line({"jsonrpc": "2.0", "id": self.id, "error": error})

    def answered(self, text: str) -> bytes:
        """Returns the line that answers a call."""
        return self._result({"content": [{"type": "text", "text": text}]})

    def _result(self, result: dict[str, Any]) -> bytes:
        return _line({"jsonrpc": "2.0", "id": self.id, "result": result})


def read_message(line: bytes) -> McpMessage | None:
    """Returns the message on a line; None if it is malformed."""
    try:
        return _message.decode(line)
    except _REFUSALS:
        return None


def denial(why: str) -> str:
    return json.dumps({"behavior": "deny", "message": why})


def _line(value: dict[str, Any]) -> bytes:
    return msgspec.json.encode(value) + b"\n"


class _Named(Struct, frozen=True):
    name: str
    arguments: Call


class _Who(Struct, frozen=True):
    version: str = ""


class _Introduced(Struct, frozen=True):
    client: _Who = field(name="clientInfo")


class _Decision(Struct, frozen=True):
    behaviour: Literal["allow", "deny"] = field(name="behavior")
    message: str = ""
    input: Raw = field(name="updatedInput", default=Raw(b""))


class _Made(Struct, frozen=True):
    decision: _Decision


class _Printed(Struct, frozen=True):
    """What a hook prints."""

    made: _Made = field(name="hookSpecificOutput")


_message = msgspec.json.Decoder(McpMessage)
_named = msgspec.json.Decoder(_Named)
_introduced = msgspec.json.Decoder(_Introduced)
_printed = msgspec.json.Decoder(_Printed)
