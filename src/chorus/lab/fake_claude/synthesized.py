"""Builds lines that are not in the recording, in the format and wording of client 2.1.325."""

import hashlib
from typing import Any

from chorus.lab.fake_claude.lines import ScriptLine, Value, at, write

REJECTED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the"
    " new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to"
    " proceed."
)
INVALID = (
    "The canUseTool callback returned an invalid permission result. Expected {behavior: 'allow', updatedInput?: object}"
    " or {behavior: 'deny', message: string}. updatedPermissions may hold at most 4096 updates, rules and"
    " directories in all."
)
CLOSED = "Tool permission request failed: AbortError: Tool permission stream closed before response received"
_BY_HOST = {"decision": "reject", "source": "user_reject"}
_BY_FAULT = {"decision": "reject", "source": "config", "reason_type": "other"}
_BY_HOOK = {"decision": "reject", "source": "hook", "reason_type": "hook"}


def uuid_of(*parts: str) -> str:
    """Returns an id in the form of a UUID, always the same for the same parts."""
    digest = hashlib.blake2b("\0".join(parts).encode(errors="replace"), digest_size=16).hexdigest()
    return f"{digest[:8]}-{digest[8:12]}-4{digest[13:16]}-8{digest[17:20]}-{digest[20:]}"


class LineBuilder:
    """Builds lines with the session's id and unique ids; `salt` makes these differ between processes."""

    def __init__(self, session_id: str, salt: str) -> None:
        self.session_id = session_id
        self._salt = salt
        self._count = 0
        self.timestamp = ""
        """The timestamp for lines that have one."""

    def denied(self, call: str, speaker: str, why: str, *, by: str = "host") -> ScriptLine:
        """Returns the result of a call that was not allowed to run; `by` is `host`, `fault` or `hook`."""
        decision = {"host": _BY_HOST, "fault": _BY_FAULT, "hook": _BY_HOOK}[by]
        meta = {"id": call, "non_execution_kind": "permission-rule", "permission_decision": decision}
        return self._outcome(call, speaker, why, f"Error: {why}", meta)

    def rejected(self, call: str, speaker: str) -> ScriptLine:
        """Returns the result of a call that an interrupt stopped."""
        meta = {"id": call, "non_execution_kind": "user-rejected"}
        return self._outcome(call, speaker, REJECTED, "User rejected tool use", meta)

    def allowed(self, call: str, speaker: str) -> ScriptLine:
        """Returns the result of a call that was denied in the recording, and is allowed now."""
        text = "(fake-claude: this call was denied when it was recorded, so there is no output to show)"
        return self._outcome(call, speaker, text, text, None)

    def interruption(self, *, of_tool: bool) -> ScriptLine:
        text = "[Request interrupted by user for tool use]" if of_tool else "[Request interrupted by user]"
        return self._user([{"type": "text", "text": text}], "", {})

    def failure(self, template: ScriptLine | None, errors: list[str], reason: str) -> ScriptLine:
        """Returns a result that ends a turn early; its figures are those of the recorded result, if there is one."""
        kept = {key: value for key, value in (template.value if template else {}).items() if key != "result"}
        outcome = {
            "type": "result",
            "subtype": "error_during_execution",
            "is_error": True,
            "errors": errors,
            "terminal_reason": reason,
        }
        plain = {"duration_ms": 0, "duration_api_ms": 0, "num_turns": 0, "total_cost_usd": 0, "usage": {}}
        return write({**plain, "permission_denials": [], **kept, **outcome, **self._envelope()})

    def local_command(self, command: str) -> list[ScriptLine]:
        """Returns the answer to a command that the client answers by itself: a message, and a result without turns."""
        text = f"(fake-claude: the recording has no answer to /{command})"
        message = {
            "id": uuid_of(self._salt, command, str(self._count)),
            "type": "message",
            "role": "assistant",
            "model": "<synthetic>",
            "content": [{"type": "text", "text": text}],
            "stop_reason": "stop_sequence",
            "usage": {"input_tokens": 0, "output_tokens": 0},
        }
        run = {"local_command_run": {"command": command, "args": ""}}
        details = {"message": message, "parent_tool_use_id": None, **run, **self._envelope(), **self._time()}
        result = {
            "subtype": "success",
            "is_error": False,
            "duration_ms": 0,
            "duration_api_ms": 0,
            "num_turns": 0,
            "result": text,
            "total_cost_usd": 0,
            "usage": {},
            "permission_denials": [],
            "local_command": command,
        }
        return [write({"type": "assistant", **details}), write({"type": "result", **result, **self._envelope()})]

    def cancel(self, request_id: str) -> ScriptLine:
        return write({"type": "control_cancel_request", "request_id": request_id})

    def reply(self, request_id: str, body: Value) -> ScriptLine:
        return write({"type": "control_response", "response": {"subtype": "", "request_id": request_id, **body}})

    def mode_changed(self, mode: str) -> ScriptLine:
        fields = {"subtype": "status", "status": None, "permissionMode": mode}
        return write({"type": "system", **fields, **self._envelope()})

    def permission_denied(self, tool: str, call: str, why: str) -> ScriptLine:
        fields = {"subtype": "permission_denied", "tool_name": tool, "tool_use_id": call, "message": why}
        return write({"type": "system", **fields, **self._envelope()})

    def echo(self, message: Value) -> ScriptLine:
        """Returns a message of the host, as `--replay-user-messages` repeats it."""
        envelope = self._envelope()
        uuid = at(message, "uuid")
        if isinstance(uuid, str):
            envelope["uuid"] = uuid
        fields = {"message": at(message, "message"), "parent_tool_use_id": None, **envelope, **self._time()}
        return write({"type": "user", **fields, "isReplay": True})

    def _outcome(self, call: str, speaker: str, text: str, details: Any, meta: Value | None) -> ScriptLine:
        block = {"type": "tool_result", "content": text, "is_error": meta is not None, "tool_use_id": call}
        more = {"tool_use_result": details, **({"tool_result_meta": [meta]} if meta else {})}
        return self._user([block], speaker, more)

    def _user(self, content: list[Value], speaker: str, more: Value) -> ScriptLine:
        message = {"role": "user", "content": content}
        fields = {"message": message, "parent_tool_use_id": speaker or None, **self._envelope(), **self._time()}
        return write({"type": "user", **fields, **more})

    def _envelope(self) -> Value:
        self._count += 1
        return {"session_id": self.session_id, "uuid": uuid_of(self._salt, str(self._count))}

    def _time(self) -> Value:
        return {"timestamp": self.timestamp} if self.timestamp else {}
