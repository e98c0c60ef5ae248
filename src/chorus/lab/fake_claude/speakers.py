"""Finds who wrote a line: the main agent, or a sub-agent, named by the call that started it."""

from collections.abc import Iterable

from chorus.lab.fake_claude.lines import ScriptLine, at, blocks, text_at


class Speakers:
    """What the lines of a recording say about its sub-agents."""

    def __init__(self, lines: Iterable[ScriptLine]) -> None:
        self._calls: dict[str, str] = {}
        self._in_background: dict[str, bool] = {}
        self._nested: set[str] = set()
        for line in lines:
            parent, agent = text_at(line.value, "parent_tool_use_id"), text_at(line.value, "agent_id")
            if parent and agent:
                self._calls.setdefault(agent, parent)
            if line.kind == "system" and line.subtype == "task_started":
                self._calls.setdefault(text_at(line.value, "task_id"), text_at(line.value, "tool_use_id"))

    def of(self, line: ScriptLine) -> str:
        """Returns the call that started the speaker; empty for the main agent."""
        value = line.value
        if line.kind == "control_request":
            agent = text_at(value, "request", "agent_id") or text_at(value, "request", "input", "agent_id")
            return self._calls.get(agent, agent)
        if line.kind == "system" and line.subtype.startswith("task_"):
            return self._calls.get(text_at(value, "task_id"), text_at(value, "tool_use_id"))
        return text_at(value, "parent_tool_use_id")

    def is_inner(self, line: ScriptLine) -> bool:
        """Whether the line is only for hosts that want the text of sub-agents. Call this for each line, in order.

        That is the text of a sub-agent in the foreground, and everything from a sub-agent of a sub-agent.
        """
        if line.kind == "system" and line.subtype == "task_started":
            self._note_start(line)
        call = text_at(line.value, "parent_tool_use_id")
        if line.kind not in {"assistant", "user"} or not call:
            return False
        kinds = {at(block, "type") for block in blocks(line)}
        is_text = line.kind == "assistant" and bool(kinds) and kinds <= {"text", "thinking"}
        return call in self._nested or (is_text and self._in_background.get(call) is False)

    def _note_start(self, line: ScriptLine) -> None:
        # A resumed agent has a new call, but its lines keep the first one.
        call = self._calls.get(text_at(line.value, "task_id"), "")
        self._in_background[call] = at(line.value, "is_backgrounded") is True
        depth = at(line.value, "spawn_depth")
        if isinstance(depth, int) and depth > 1:
            self._nested.add(call)
