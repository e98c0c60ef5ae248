"""Tracks calls of a turn that differ from the recording: not run, or run although they were denied."""

from msgspec import Struct

from chorus.lab.fake_claude.lines import ScriptLine, Value, at, calls, results, text_at
from chorus.lab.fake_claude.verdicts import Question


class Deviations(Struct):
    """Which calls are running, and which recorded events did not happen."""

    running: dict[str, str] = {}
    """Calls without a result yet, each with the speaker that made it."""
    outcomes: dict[str, ScriptLine] = {}
    """Results that replace recorded ones."""
    dropped: set[str] = set()
    """Calls whose recorded work is left out, with everything that sub-agents did for them."""
    denials: list[Value] = []
    """Denials that are not in the recorded result."""

    def replace(self, question: Question, outcome: ScriptLine) -> None:
        """Gives this outcome to the call of the question."""
        self.outcomes[question.call] = outcome
        self.dropped.add(question.call)

    def deny(self, question: Question) -> None:
        """Adds the call of the question to the denials of the turn."""
        request = question.request
        tool = text_at(request, "tool_name") or text_at(request, "input", "tool_name")
        given = at(request, "input", "tool_input") if question.subtype == "hook_callback" else at(request, "input")
        self.denials.append({"tool_name": tool, "tool_use_id": question.call, "tool_input": given})

    def has_dropped(self, call: str, speaker: str) -> bool:
        """Whether something belongs to work that did not happen: it concerns such a call, or was written for one."""
        return call in self.dropped or speaker in self.dropped

    def follow(self, line: ScriptLine, speaker: str) -> list[ScriptLine] | None:
        """Returns the lines that replace a recorded line; None for the line itself."""
        ended = results(line)
        for call in ended:
            self.running.pop(call, None)
        instead = [self.outcomes[call] for call in ended if call in self.outcomes]
        if instead or self.has_dropped(text_at(line.value, "tool_use_id"), speaker):
            self.dropped.update(calls(line))
            return instead
        self.running.update(dict.fromkeys(calls(line), speaker))
        return None
