"""Who says a line: the main agent, or a sub-agent, named by the call that started it."""

from collections.abc import Iterable

from chorus.lab.fake_claude.lines import Line, at, blocks, words


class Parties:
    """What the lines of a recording tell of its sub-agents."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self._calls: dict[str, str] = {}
        self._in_background: dict[str, bool] = {}
        self._nested: set[str] = set()
        for line in lines:
            parent, agent = words(line.value, "parent_tool_use_id"), words(line.value, "agent_id")
            if parent and agent:
                self._calls.setdefault(agent, parent)
            if line.kind == "system" and line.subtype == "task_started":
                self._calls.setdefault(words(line.value, "task_id"), words(line.value, "tool_use_id"))

    def of(self, line: Line) -> str:
        """The call that started the speaker; empty for the main agent."""
        value = line.value
        if line.kind == "control_request":
            agent = words(value, "request", "agent_id") or words(value, "request", "input", "agent_id")
            return self._calls.get(agent, agent)
        if line.kind == "system" and line.subtype.startswith("task_"):
            return self._calls.get(words(value, "task_id"), words(value, "tool_use_id"))
        return words(value, "parent_tool_use_id")

    def keeps_inside(self, line: Line) -> bool:
        """Whether only a host that wants the text of sub-agents is told the line. To be asked in order, of each line.

        That is what a sub-agent in the foreground writes, and all that a sub-agent of a sub-agent does.
        """
        if line.kind == "system" and line.subtype == "task_started":
            self._note_start(line)
        call = words(line.value, "parent_tool_use_id")
        if line.kind not in {"assistant", "user"} or not call:
            return False
        kinds = {at(block, "type") for block in blocks(line)}
        is_text = line.kind == "assistant" and bool(kinds) and kinds <= {"text", "thinking"}
        return call in self._nested or (is_text and self._in_background.get(call) is False)

    def _note_start(self, line: Line) -> None:
        # An agent that is resumed has a new call, and its lines keep the first one.
        call = self._calls.get(words(line.value, "task_id"), "")
        self._in_background[call] = at(line.value, "is_backgrounded") is True
        depth = at(line.value, "spawn_depth")
        if isinstance(depth, int) and depth > 1:
            self._nested.add(call)
