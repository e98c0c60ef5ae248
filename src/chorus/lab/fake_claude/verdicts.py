"""What follows from a host's answer to a question, compared with the answer that was recorded."""

from enum import Enum, auto

from msgspec import Struct

from chorus.lab.fake_claude.lines import Line, Value, at, words
from chorus.lab.fake_claude.synthesized import CLOSED, INVALID


class Question(Struct, frozen=True):
    """A request the client made and waits for."""

    id: str
    request: Value
    party: str

    @property
    def subtype(self) -> str:
        return words(self.request, "subtype")

    @property
    def call(self) -> str:
        """The call it is about; empty where it is about none."""
        return words(self.request, "tool_use_id")

    @property
    def decides_call(self) -> bool:
        """Whether the answer decides if the call runs."""
        event = words(self.request, "input", "hook_event_name")
        return self.subtype == "can_use_tool" or (self.subtype == "hook_callback" and event == "PreToolUse")


class Ruling(Enum):
    """Whether a call may run."""

    RUNS = auto()
    DENIED = auto()
    STOPPED = auto()
    """Denied, and the turn ends with it."""


class Verdict(Struct, frozen=True):
    """A ruling, and what the model is told of a call that does not run."""

    ruling: Ruling
    why: str = ""
    by: str = "host"


RUNS = Verdict(Ruling.RUNS)
SILENCE = Verdict(Ruling.DENIED, CLOSED, "fault")
"""The host closed its side while it was asked."""


def judge(question: Question, answer: Value) -> Verdict:
    """What the client makes of a `control_response`."""
    response = at(answer, "response")
    is_error = at(response, "subtype") == "error"
    body = at(response, "response")
    if question.subtype == "hook_callback":
        return _by_hook(question, body)
    if question.subtype != "can_use_tool":
        return RUNS
    if is_error:
        return Verdict(Ruling.DENIED, f"Tool permission request failed: Error: {words(response, 'error')}", "fault")
    if at(body, "behavior") == "allow":
        return RUNS
    if at(body, "behavior") != "deny" or not isinstance(at(body, "message"), str):
        return Verdict(Ruling.DENIED, INVALID, "fault")
    if at(body, "interrupt") is True:
        return Verdict(Ruling.STOPPED)
    return Verdict(Ruling.DENIED, words(body, "message"))


def recorded(question: Question, answer: Value | None, result: Line | None) -> Verdict | None:
    """What was ruled when it was recorded; told by the call's result where the host's side is missing."""
    if answer is not None:
        return judge(question, answer)
    if result is None:
        return None
    listed = at(result.value, "tool_result_meta")
    for meta in listed if isinstance(listed, list) else []:
        if at(meta, "id") != question.call or not at(meta, "non_execution_kind"):
            continue
        if at(meta, "non_execution_kind") == "user-rejected":
            return Verdict(Ruling.STOPPED)
        by_hook = at(meta, "permission_decision", "source") == "hook"
        if by_hook == (question.subtype == "hook_callback"):
            return Verdict(Ruling.DENIED, words(result.value, "tool_use_result").removeprefix("Error: "))
    return RUNS


def _by_hook(question: Question, body: Value) -> Verdict:
    output = at(body, "hookSpecificOutput")
    if not question.decides_call or at(output, "permissionDecision") != "deny":
        return RUNS
    tool = words(question.request, "input", "tool_name")
    why = f"PreToolUse:{tool} hook error: {words(output, 'permissionDecisionReason')}"
    return Verdict(Ruling.DENIED, why, "hook")
