"""Lines of `--output-format stream-json`: what a client prints while it runs."""

from collections.abc import Iterator
from typing import Any

from chorus.testing.builders import blocks
from chorus.testing.builders.blocks import Block
from chorus.testing.builders.lines import CWD, MODEL, SESSION_ID, Ids, Line, Script, model_message, usage

TOOLS = ["Task", "Bash", "Edit", "Glob", "Grep", "Read", "Write"]


class Run(Script):
    """The standard output of one run; `**more` adds or replaces fields of a line."""

    def __init__(self, session_id: str = SESSION_ID, *, model: str = MODEL, ids: Ids | None = None) -> None:
        super().__init__()
        self.id = session_id
        self.model = model
        self.ids = ids or Ids("run " + session_id)

    def init(self, **more: Any) -> Line:
        """Adds the start of a turn; every turn has one."""
        known = {
            "cwd": CWD,
            "tools": TOOLS,
            "mcp_servers": [],
            "model": self.model,
            "permissionMode": "default",
            "apiKeySource": "none",
            "claude_code_version": "2.1.325",
        }
        return self.system("init", **{**known, **more})

    def user(self, content: str | list[Block], **more: Any) -> Line:
        fields = {"parent_tool_use_id": None, **more}
        return self.line("user", message={"role": "user", "content": content}, **fields)

    def assistant(
        self,
        *content: str | Block,
        message_id: str | None = None,
        stop: str | None = None,
        tokens: dict[str, Any] | None = None,
        **more: Any,
    ) -> list[Line]:
        """Adds a message of the model: one line for each block. On stdout, neither stop reason nor usage is final."""
        message = model_message(self.model, message_id or self.ids.message(), stop, tokens or usage(said=1))
        fields = {"parent_tool_use_id": None, **more}
        return [
            self.line("assistant", message={**message, "content": [block]}, **fields)
            for block in blocks.blocks_of(content)
        ]

    def tool_result(
        self, call: str, content: Any = "", *, is_error: bool | None = None, structured: Any = None, **more: Any
    ) -> Line:
        if structured is not None:
            more = {"tool_use_result": structured, **more}
        return self.user([blocks.tool_result(call, content, is_error=is_error)], **more)

    def result(self, words: str | None = "Done.", *, subtype: str = "success", cost: float = 0.01, **more: Any) -> Line:
        """Adds the end of a turn; with `words=None` there is no `result` key, as after an error."""
        known = {
            "subtype": subtype,
            "is_error": subtype != "success",
            "duration_ms": 1200,
            "duration_api_ms": 900,
            "num_turns": 1,
            "total_cost_usd": cost,
            "usage": usage(),
            "permission_denials": [],
        }
        return self.line("result", **{**known, **({} if words is None else {"result": words}), **more})

    def system(self, subtype: str, **fields: Any) -> Line:
        return self.line("system", subtype=subtype, **fields)

    def task(self, step: str, task: str, call: str, **more: Any) -> Line:
        """Adds a step of a sub-agent or background command: `started`, `progress`, `updated` or `notification`."""
        known = {"task_type": "local_agent", "description": "Look"} if step == "started" else {}
        return self.system(f"task_{step}", task_id=task, tool_use_id=call, **{**known, **more})

    def event(self, kind: str, **fields: Any) -> Line:
        """Adds one event of the API's stream (with `--include-partial-messages`)."""
        return self.line("stream_event", event={"type": kind, **fields}, parent_tool_use_id=None)

    def streamed(self, *fragments: str, message_id: str | None = None, index: int = 0) -> list[Line]:
        """Adds a text block that is still being written, without the complete line that would end it."""
        message = {"id": message_id or self.ids.message(), "type": "message", "role": "assistant", "content": []}
        return list(self._streamed({**message, "model": self.model, "usage": usage(said=1)}, fragments, index))

    def _streamed(self, message: dict[str, Any], fragments: tuple[str, ...], index: int) -> Iterator[Line]:
        yield self.event("message_start", message=message)
        yield self.event("content_block_start", index=index, content_block=blocks.text(""))
        for words in fragments:
            yield self.event("content_block_delta", index=index, delta={"type": "text_delta", "text": words})

    def ask(self, call: str, tool: str, given: dict[str, Any] | None = None, *, request: str = "request-1") -> Line:
        """Adds a permission request: the client asks its host whether a tool may run."""
        asked = {"subtype": "can_use_tool", "tool_name": tool, "input": given or {}, "tool_use_id": call}
        return self.add({"type": "control_request", "request_id": request, "request": asked})

    def answer(self, behavior: str, *, request: str = "request-1", **more: Any) -> Line:
        """Adds the host's answer: `allow` or `deny`."""
        response = {"subtype": "success", "request_id": request, "response": {"behavior": behavior, **more}}
        return self.add({"type": "control_response", "response": response})

    def line(self, kind: str, **fields: Any) -> Line:
        """Adds a line of any type with the fields that all lines on stdout have."""
        return self.add({"type": kind, "session_id": self.id, "uuid": self.ids.uuid(), **fields})
