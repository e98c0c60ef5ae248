"""Flat events: the dialect of older wrappers, one event per text fragment, tool call or tool result."""

from typing import Any

from chorus.testing.builders import blocks
from chorus.testing.builders.blocks import Block
from chorus.testing.builders.lines import Line, Script

_SNAKE = {
    "toolName": "tool_name",
    "toolInput": "tool_input",
    "toolUseId": "tool_use_id",
    "isError": "is_error",
    "sessionId": "session_id",
}


class Flat(Script):
    """A stream of flat events; with `snake_case`, field names are in snake_case instead of camelCase."""

    def __init__(self, *, snake_case: bool = False) -> None:
        super().__init__()
        self._names = _SNAKE if snake_case else {}

    def start(self, session_id: str) -> Line:
        return self.event("session_start", session_id=session_id)

    def user(self, content: str | list[Block]) -> Line:
        return self.event("user", message={"role": "user", "content": content})

    def text(self, words: str) -> Line:
        """Adds a fragment of the answer."""
        return self.event("text", text=words)

    def tool_use(self, call: str, name: str, given: dict[str, Any] | None = None) -> Line:
        return self.event("tool_use", id=call, toolName=name, toolInput=given or {})

    def tool_result(self, call: str, content: Any = "", *, is_error: bool = False) -> Line:
        return self.event("tool_result", toolUseId=call, isError=is_error, content=content)

    def assistant(self, *content: str | Block) -> Line:
        """Adds the whole answer, which repeats the fragments before it."""
        return self.event("assistant", message={"role": "assistant", "content": blocks.blocks_of(content)})

    def permission_request(self, prompt: str, **metadata: Any) -> Line:
        return self.event("permission_request", prompt=prompt, **({"metadata": metadata} if metadata else {}))

    def result(self, session_id: str | None = None, *, stop: str = "end_turn", given: int = 10, said: int = 20) -> Line:
        outcome = {"stopReason": stop, "usage": {"inputTokens": given, "outputTokens": said}}
        return self.event("result", **({"sessionId": session_id} if session_id else {}), result=outcome)

    def error(self, kind: str, message: str) -> Line:
        return self.event("error", error={"type": kind, "message": message})

    def event(self, kind: str, **fields: Any) -> Line:
        return self.add({"type": kind, **{self._names.get(name, name): field for name, field in fields.items()}})
