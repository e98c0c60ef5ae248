"""Calls of a turn that take another course than the recorded one: not run, or run though they were denied."""

from msgspec import Struct

from chorus.lab.fake_claude.lines import Line, Value, at, calls, results, words
from chorus.lab.fake_claude.verdicts import Question


class Course(Struct):
    """What is under way, and what did not happen."""

    running: dict[str, str] = {}
    """Calls without a result yet, each with the party that made it."""
    outcomes: dict[str, Line] = {}
    """Results that take the place of recorded ones."""
    dropped: set[str] = set()
    """Calls whose recorded work is left out, with all that sub-agents did for them."""
    denials: list[Value] = []
    """Denials that the recorded result does not list."""

    def replace(self, question: Question, outcome: Line) -> None:
        """Let the call in question have this outcome."""
        self.outcomes[question.call] = outcome
        self.dropped.add(question.call)

    def deny(self, question: Question) -> None:
        """List the call in question among the denials of the turn."""
        request = question.request
        tool = words(request, "tool_name") or words(request, "input", "tool_name")
        given = at(request, "input", "tool_input") if question.subtype == "hook_callback" else at(request, "input")
        self.denials.append({"tool_name": tool, "tool_use_id": question.call, "tool_input": given})

    def has_dropped(self, call: str, party: str) -> bool:
        """Whether something is about work that did not happen: about such a call, or said for one."""
        return call in self.dropped or party in self.dropped

    def follow(self, line: Line, party: str) -> list[Line] | None:
        """What to say in place of a recorded line; None for the line itself."""
        ended = results(line)
        for call in ended:
            self.running.pop(call, None)
        instead = [self.outcomes[call] for call in ended if call in self.outcomes]
        if instead or self.has_dropped(words(line.value, "tool_use_id"), party):
            self.dropped.update(calls(line))
            return instead
        self.running.update(dict.fromkeys(calls(line), party))
        return None
