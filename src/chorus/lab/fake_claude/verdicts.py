"""Decides what follows from a host's answer to a question, and what followed in the recording."""

from enum import Enum, auto

from msgspec import Struct

from chorus.lab.fake_claude.lines import ScriptLine, Value, at, text_at
from chorus.lab.fake_claude.synthesized import CLOSED, INVALID


class Question(Struct, frozen=True):
    """A request of the client that waits for an answer."""

    id: str
    request: Value
    speaker: str

    @property
    def subtype(self) -> str:
        return text_at(self.request, "subtype")

    @property
    def call(self) -> str:
        """The call it is about; empty if there is none."""
        return text_at(self.request, "tool_use_id")

    @property
    def decides_call(self) -> bool:
        """Whether the answer decides if the call runs."""
        event = text_at(self.request, "input", "hook_event_name")
        return self.subtype == "can_use_tool" or (self.subtype == "hook_callback" and event == "PreToolUse")


class Ruling(Enum):
    """Whether a call may run."""

    RUNS = auto()
    DENIED = auto()
    STOPPED = auto()
    """Denied, and the turn ends with it."""


class Verdict(Struct, frozen=True):
    """A ruling, and the reason that the model gets for a call that does not run."""

    ruling: Ruling
    why: str = ""
    by: str = "host"


RUNS = Verdict(Ruling.RUNS)
SILENCE = Verdict(Ruling.DENIED, CLOSED, "fault")
"""The host closed its side before it answered."""


def judge(question: Question, answer: Value) -> Verdict:
    """Returns what the client concludes from a `control_response`."""
    response = at(answer, "response")
    is_error = at(response, "subtype") == "error"
    body = at(response, "response")
    if question.subtype == "hook_callback":
        return _by_hook(question, body)
    if question.subtype != "can_use_tool":
        return RUNS
    if is_error:
        return Verdict(Ruling.DENIED, f"Tool permission request failed: Error: {text_at(response, 'error')}", "fault")
    if at(body, "behavior") == "allow":
        return RUNS
    if at(body, "behavior") != "deny" or not isinstance(at(body, "message"), str):
        return Verdict(Ruling.DENIED, INVALID, "fault")
    if at(body, "interrupt") is True:
        return Verdict(Ruling.STOPPED)
    return Verdict(Ruling.DENIED, text_at(body, "message"))


def recorded(question: Question, answer: Value | None, result: ScriptLine | None) -> Verdict | None:
    """Returns the recorded verdict; if the input of the host is missing, according to the result of the call."""
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
            return Verdict(Ruling.DENIED, text_at(result.value, "tool_use_result").removeprefix("Error: "))
    return RUNS


def _by_hook(question: Question, body: Value) -> Verdict:
    output = at(body, "hookSpecificOutput")
    if not question.decides_call or at(output, "permissionDecision") != "deny":
        return RUNS
    tool = text_at(question.request, "input", "tool_name")
    why = f"PreToolUse:{tool} hook error: {text_at(output, 'permissionDecisionReason')}"
    return Verdict(Ruling.DENIED, why, "hook")
