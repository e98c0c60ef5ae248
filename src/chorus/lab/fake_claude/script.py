"""A recording as a script: steps in recorded order, what each waits for, and prepared replies.

A script separates what the client wrote by itself (steps) from what it wrote in reply to a request (replies). Steps
keep the order of the recording, whatever the caller does; a reply is given when its request comes.
"""

from collections.abc import Iterable, Sequence
from enum import Enum, auto

from msgspec import Struct

from chorus.lab.fake_claude.lines import ScriptLine, Value, at, results, text_at
from chorus.lab.fake_claude.recording import Recording
from chorus.lab.fake_claude.replies import Reply, subtype_of
from chorus.lab.fake_claude.speakers import Speakers
from chorus.lab.fake_claude.turns import begins_turn, follows_result, is_self_started


class Need(Enum):
    """What a caller must do before a step is played."""

    NOTHING = auto()
    PROMPT = auto()
    INTERRUPT = auto()


class Step(Struct):
    """One line to be written."""

    line: ScriptLine
    time: float | None = None
    """Its time, in seconds of the recording's clock."""
    need: Need = Need.NOTHING
    speaker: str = ""
    """Who wrote it: the id of the call that started a sub-agent; empty for the main agent."""
    is_inner: bool = False
    """Whether the line is only for hosts that requested the text of sub-agents."""
    reply: Reply | None = None
    """With `Need.INTERRUPT`: the reply to the interrupt, which this step is."""
    turn: int = -1
    """The number of prompts before it, minus one."""


class Script(Struct):
    """What will be written, and what is needed to decide it."""

    steps: list[Step]
    replies: list[Reply]
    prompts: list[Value]
    """The user messages of the recording, in order."""
    answers: dict[str, Value]
    """The answers of the recorded host, by the id of the question."""
    results: dict[str, ScriptLine]
    """The recorded result of each call."""
    absorbed: list[int]
    """For each turn, how many further messages it absorbed while it ran."""
    cancelled: set[str]
    """Questions that the client itself cancelled."""
    is_cut: bool
    """Whether the last turn has no result: the client was killed, or the recording ends too early."""
    ends: list[int] = []
    """For each step, the position after the last result of its turn; 0 if no result follows in that turn."""
    repeated: set[str] = set()
    """Answers of the host that were repeated on standard output, by the id of the question."""
    echoing: set[int] = set()
    """Turns whose prompt was repeated on standard output."""

    def is_in_turn(self, place: int) -> bool:
        """Whether a turn is running before the step at this position."""
        if place >= len(self.steps) or self.steps[place].need is Need.PROMPT:
            return False
        has_begun = self.steps[place].turn >= 0 or not self.absorbed
        return has_begun and (self.ends[place] > 0 or (self.is_cut and self._is_last_turn(place)))

    def end_of_turn(self, place: int) -> tuple[ScriptLine | None, int]:
        """Returns the result that would end the turn at this position, and the position to continue at."""
        behind = self.ends[place] if place < len(self.ends) else 0
        ahead = (step.line for step in self.steps[place:behind] if step.line.kind == "result")
        return next(ahead, None), behind or len(self.steps)

    def echoes(self, turn: int) -> bool:
        return turn in self.echoing

    def has_echo(self, question: str) -> bool:
        return question in self.repeated

    def _is_last_turn(self, place: int) -> bool:
        return self.steps[place].turn == self.steps[-1].turn


def write_script(recording: Recording) -> Script:
    """Returns the script of a recording. Never fails: every line gets a place, whatever it contains."""
    builder = _Builder(recording)
    for number, line in enumerate(recording.lines):
        builder.take(number, line)
    return builder.script()


class _Builder:
    def __init__(self, recording: Recording) -> None:
        self._lines = recording.lines
        self._times = recording.times
        self._prompts = _prompts(recording)
        self._asked = {
            text_at(line.value, "request_id"): at(line.value, "request")
            for line in recording.sent
            if line.kind == "control_request"
        }
        self._answers = {
            text_at(line.value, "response", "request_id"): line.value
            for line in recording.sent
            if line.kind == "control_response"
        }
        self._questions = {text_at(line.value, "request_id") for line in self._lines if line.kind == "control_request"}
        self._coming = _coming_results(self._lines)
        self._speakers = Speakers(self._lines)
        self._steps: list[Step] = []
        self._replies: list[Reply] = []
        self._gap_ends = _gap_ends(self._lines, self._questions)
        self._waiting: list[ScriptLine] = []
        self._is_in_turn = False
        self._turn = -1
        self._gap = 0

    def take(self, number: int, line: ScriptLine) -> None:
        if _is_reply(line, self._questions):
            self._take_reply(line)
        elif self._is_between(number) and self._gap and self._is_caused(line):
            self._wait_for_reply(line)
        else:
            self._take_step(number, line)

    def _is_between(self, number: int) -> bool:
        return not self._is_in_turn and number < self._gap_ends.get(self._gap, -1)

    def _is_caused(self, line: ScriptLine) -> bool:
        """Whether a line between two turns belongs to a reply of that gap, and not to the turn before."""
        has_reply = bool(self._replies) and self._replies[-1].gap == self._gap
        return has_reply or not follows_result(line)

    def _wait_for_reply(self, line: ScriptLine) -> None:
        """Adds a line to a reply: to the next one, or to the last one if the line reports a state that this one
        changed.
        """
        last = self._replies[-1] if self._replies else None
        if last is not None and last.gap == self._gap and not self._waiting and _reports_state(line):
            last.after.append(line)
        else:
            self._waiting.append(line)

    def _take_reply(self, line: ScriptLine) -> None:
        request = self._asked.get(text_at(line.value, "response", "request_id"))
        reply = Reply(
            subtype=text_at(request, "subtype") or subtype_of(line.value),
            request=request if isinstance(request, dict) else None,
            line=line,
            before=self._waiting,
            gap=-1 if self._is_in_turn else self._gap,
        )
        self._waiting = []
        if self._is_in_turn and reply.subtype == "interrupt":
            while self._steps and self._steps[-1].line.kind == "control_cancel_request":
                reply.before.insert(0, self._steps.pop().line)
            self._steps.append(Step(line, need=Need.INTERRUPT, reply=reply, turn=self._turn))
        else:
            self._replies.append(reply)

    def _take_step(self, number: int, line: ScriptLine) -> None:
        last = self._replies[-1] if self._replies else None
        if not self._is_in_turn and last is not None and last.gap == self._gap and _reports_state(line):
            last.after.append(line)
            return
        is_inner = self._speakers.is_inner(line)
        step = Step(line, time=self._time(number), speaker=self._speakers.of(line), is_inner=is_inner)
        if not self._is_in_turn and number >= self._gap_ends.get(self._gap, -1) and self._begins(line):
            self._is_in_turn = True
            if self._needs_prompt(number):
                self._turn += 1
                step.need = Need.PROMPT
        step.turn = self._turn
        self._steps.append(step)
        if line.kind == "result":
            self._is_in_turn = False
            self._gap += 1

    def _begins(self, line: ScriptLine) -> bool:
        # A run in the format `json` consists only of its result.
        return begins_turn(line) or (line.kind == "result" and not self._gap)

    def _needs_prompt(self, number: int) -> bool:
        if self._prompts and self._turn + 1 >= len(self._prompts):
            return False
        return not is_self_started(self._coming[number])

    def _time(self, number: int) -> float | None:
        return self._times[number] if number < len(self._times) else None

    def script(self) -> Script:
        cancelled = {text_at(line.value, "request_id") for line in self._lines if line.kind == "control_cancel_request"}
        return Script(
            steps=self._steps,
            replies=self._replies,
            prompts=self._prompts,
            answers=self._answers,
            results={call: line for line in reversed(self._lines) for call in results(line)},
            absorbed=_absorbed(self._steps, self._turn + 1, len(self._prompts)),
            cancelled=cancelled,
            is_cut=self._is_in_turn,
            ends=_ends(self._steps),
            repeated={
                text_at(step.line.value, "response", "request_id")
                for step in self._steps
                if step.line.kind == "control_response" and step.reply is None
            },
            echoing={step.turn for step in self._steps if is_echo(step.line)},
        )


def is_echo(line: ScriptLine) -> bool:
    """Whether a `user` line repeats a message of the host; the output of a local command is marked in the same way."""
    content = at(line.value, "message", "content")
    is_local = isinstance(content, str) and content.startswith("<local-command")
    return line.kind == "user" and at(line.value, "isReplay") is True and not is_local


def _prompts(recording: Recording) -> list[Value]:
    sent = [line.value for line in recording.sent if line.kind == "user"]
    prompt = recording.invocation.prompt
    if sent or prompt is None or recording.invocation.is_streaming:
        return sent
    return [{"type": "user", "message": {"role": "user", "content": prompt}}]


def _gap_ends(lines: Sequence[ScriptLine], questions: set[str]) -> dict[int, int]:
    """Returns, for each gap between turns, the position of the last reply in it; gap 0 is before the first turn."""
    ends: dict[int, int] = {}
    gap, is_open = 0, True
    for number, line in enumerate(lines):
        if line.kind == "result":
            gap, is_open = gap + 1, True
        elif line.kind in {"assistant", "stream_event"} or (line.kind == "system" and line.subtype == "init"):
            is_open = False
        elif is_open and _is_reply(line, questions):
            ends[gap] = number
    return ends


def _coming_results(lines: Sequence[ScriptLine]) -> list[ScriptLine | None]:
    """Returns, for each position, the next result from there on."""
    coming: list[ScriptLine | None] = []
    result = None
    for line in reversed(lines):
        result = line if line.kind == "result" else result
        coming.append(result)
    return coming[::-1]


def _is_reply(line: ScriptLine, questions: set[str]) -> bool:
    """Whether a line replies to the host; the host's own answers may be repeated in the same form."""
    return line.kind == "control_response" and text_at(line.value, "response", "request_id") not in questions


def _ends(steps: Sequence[Step]) -> list[int]:
    ends = [0] * len(steps)
    behind = 0
    for place in range(len(steps) - 1, -1, -1):
        step = steps[place]
        if step.line.kind == "result" and not behind:
            behind = place + 1
        ends[place] = behind
        if step.need is Need.PROMPT:
            behind = 0
    return ends


def _reports_state(line: ScriptLine) -> bool:
    """Whether a line reports what a request of the host has changed."""
    return line.kind == "system" and line.subtype == "status" and not text_at(line.value, "status")


def _absorbed(steps: Iterable[Step], turns: int, prompts: int) -> list[int]:
    """Distributes the messages that began no turn over the turns that absorbed them."""
    counts = [0] * turns
    surplus = prompts - turns
    if surplus <= 0 or not turns:
        return counts
    for step in steps:
        if step.turn >= 0 and is_echo(step.line):
            counts[step.turn] += 1
    counts = [max(0, count - 1) for count in counts]
    return counts if sum(counts) == surplus else [surplus, *[0] * (turns - 1)]
