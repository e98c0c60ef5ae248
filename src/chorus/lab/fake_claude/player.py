"""The player: receives the caller's lines and the time, and returns the lines to write and when to be called again.

It never waits and reads no clock. Steps are played in recorded order; each waits for its time, a prompt, an interrupt,
or the answers that its speaker needs. Where the caller acts differently from the recorded host, the player leaves the
recording for as short as possible (`synthesized`) and returns to it after that call or turn.
"""

from msgspec import Struct

from chorus.lab.fake_claude.lines import ScriptLine, Value, at, read, text_at, write
from chorus.lab.fake_claude.naming import with_request_id
from chorus.lab.fake_claude.open_questions import OpenQuestions
from chorus.lab.fake_claude.other_course import Deviations
from chorus.lab.fake_claude.pace import Pace
from chorus.lab.fake_claude.pending_requests import PATIENCE_S, PendingRequests
from chorus.lab.fake_claude.playback import Playback
from chorus.lab.fake_claude.prompts import Prompts
from chorus.lab.fake_claude.registered_hooks import RegisteredHooks
from chorus.lab.fake_claude.replies import Reply, find, synthesized_body
from chorus.lab.fake_claude.script import Need, Script, Step, is_echo
from chorus.lab.fake_claude.synthesized import LineBuilder
from chorus.lab.fake_claude.verdicts import RUNS, SILENCE, Question, Ruling, Verdict, judge, recorded

DIFFERS = 2
NO_MORE = "fake-claude: the recording goes no further here"


class PlayerOutput(Struct):
    """What the player wants to be done now."""

    lines: list[ScriptLine]
    wake: float | None
    """When to call again, if the caller sends nothing before."""
    code: int | None
    """The exit code, at the end."""
    stderr: str = ""


class Player:
    """Plays one script to one caller."""

    def __init__(self, script: Script, playback: Playback, builder: LineBuilder) -> None:
        self._script = script
        self._playback = playback
        self._builder = builder
        self._prompts = Prompts(script.prompts)
        self._pending = PendingRequests(script.replies)
        self._place = 0
        self._lines: list[ScriptLine] = []
        self._questions = OpenQuestions(script.cancelled)
        self._hooks = RegisteredHooks()
        self._pace = Pace(playback)
        self._deviations = Deviations()
        self._interrupt: str | None = None
        self._may_absorb = 0
        self._results = 0
        self._owes_echo = False
        self._has_input_ended = False
        self._code = 0
        self._ending: int | None = None
        self._stderr = ""
        self.skipped: set[str] = set()
        """The uuids of recorded lines that were not written."""

    @property
    def status(self) -> str:
        """`waiting` for an answer, `busy` with a turn, or `idle`."""
        if self._questions.is_about_permission():
            return "waiting"
        return "busy" if self._is_busy else "idle"

    @property
    def is_complete(self) -> bool:
        """Whether every step was played."""
        return self._place >= len(self._script.steps)

    def receive(self, raw: bytes) -> None:
        """Handles one line of the caller. A line that is no JSON ends everything, as it ends the client."""
        if self._ending is not None or not raw.strip():
            return
        line = read(raw)
        match line.kind:
            case "user":
                self._prompts.add(line.value)
            case "control_request":
                self._receive_request(line.value)
            case "control_response":
                self._receive_answer(line.value)
            case _ if line.is_unread:
                size = len(raw.decode(errors="replace").rstrip("\r\n"))
                self._end(1, f"Error parsing streaming input line (type=unknown, {size} chars): SyntaxError\n")
            case _:
                pass

    def end_input(self) -> None:
        """Handles the end of the caller's input: finishes what is running, then ends."""
        self._has_input_ended = True
        for question in self._questions.give_up():
            self._settle(question, SILENCE if question.subtype == "can_use_tool" else RUNS)

    def stop(self) -> None:
        """Handles SIGINT: interrupts the turn and ends, with exit code 0."""
        if self._is_busy:
            self._stop_turn()
        self._ending = 0

    def advance(self, now: float) -> PlayerOutput:
        """Returns everything that can be written at this moment."""
        wake = self._give_replies(now)
        while self._ending is None and self._place < len(self._script.steps):
            step = self._script.steps[self._place]
            if self._is_busy:
                self._may_absorb = self._prompts.absorb(self._may_absorb)
            if not self._may_play(step):
                break
            due = self._pace.due(step)
            if due > now:
                wake = due if wake is None else min(wake, due)
                break
            self._place += 1
            self._play(step)
            self._pace.note(step, now)
        if self._ending is None and self.is_complete and self._playback.is_streaming:
            self._refuse_prompts()
        lines, self._lines = self._lines, []
        return PlayerOutput(lines, wake, self._ended(), self._stderr)

    def _give_replies(self, now: float) -> float | None:
        ready, since = self._pending.ready(now, -1 if self._is_busy else self._results)
        for asked in ready:
            self._give(asked.reply, asked.request_id)
        return None if since is None else since + PATIENCE_S

    def _may_play(self, step: Step) -> bool:
        if step.need is Need.PROMPT:
            self._answer_local_commands()
            if not self._prompts:
                return False
        if step.need is Need.INTERRUPT and self._interrupt is None and not self._has_input_ended:
            return False
        return not self._questions.is_waited_for(step)

    def _play(self, step: Step) -> None:
        line = step.line
        if step.need is Need.PROMPT and not self._begin_turn():
            return
        if step.reply is not None:
            self._play_interrupt(step.reply)
        elif line.kind == "control_request":
            self._play_question(line, step.speaker)
        elif line.kind == "control_cancel_request":
            if self._questions.cancel(text_at(line.value, "request_id")):
                self._emit(line)
        elif line.kind == "control_response":
            self._play_answer(line)
        elif line.kind == "command_lifecycle" or is_echo(line):
            adapted = self._prompts.adapted(line)
            if adapted is not None and (self._playback.replays or line.kind != "user"):
                self._emit(adapted)
        elif line.kind == "result":
            self._play_result(line)
        else:
            self._play_other(step)

    def _answer_local_commands(self) -> None:
        """Answers commands that the client answers by itself; they use no turn of the recording."""
        while (command := self._prompts.next_local_command()) is not None:
            self._prompts.drop()
            for line in self._builder.local_command(command):
                self._emit(line)

    def _begin_turn(self) -> bool:
        self._prompts.begin_turn()
        turn = self._script.steps[self._place - 1].turn
        self._may_absorb = self._script.absorbed[turn]
        self._owes_echo = self._playback.replays and not self._script.echoes(turn)
        difference = self._prompts.difference() if self._playback.is_strict else None
        if difference is not None:
            self._end(DIFFERS, f"fake-claude: {difference}\n")
        return difference is None

    def _play_interrupt(self, reply: Reply) -> None:
        for line in reply.before:
            self._questions.cancel(text_at(line.value, "request_id"))
        if self._interrupt is not None:
            self._give(reply, self._interrupt)
        self._interrupt = None

    def _play_question(self, line: ScriptLine, speaker: str) -> None:
        question = Question(text_at(line.value, "request_id"), at(line.value, "request") or {}, speaker)
        if self._deviations.has_dropped(question.call, speaker):
            return
        if question.subtype == "can_use_tool" and not self._playback.asks:
            self._deny_unasked(question)
            return
        if not self._playback.is_streaming:
            return
        if question.subtype == "hook_callback":
            callback = self._hooks.callback_for(question.request)
            if callback is None:
                # No such hook is registered here: the call continues without it.
                self._settle(question, RUNS)
                return
            line = _with_callback(line, callback)
        self._emit(line)
        self._questions.ask(question)
        if self._has_input_ended:
            self.end_input()

    def _deny_unasked(self, question: Question) -> None:
        tool = text_at(question.request, "tool_name")
        why = f"Claude requested permissions to use {tool}, but you haven't granted it yet."
        self._emit(self._builder.permission_denied(tool, question.call, why))
        self._settle(question, Verdict(Ruling.DENIED, why, "fault"))

    def _play_answer(self, line: ScriptLine) -> None:
        """Repeats the caller's own answer: the recorded line if it is the same, else the given answer."""
        given = self._questions.answer_to(text_at(line.value, "response", "request_id"))
        if self._playback.replays and given is not None:
            self._emit(line if given == line.value else write(given))

    def _play_result(self, line: ScriptLine) -> None:
        if self._deviations.denials:
            known = at(line.value, "permission_denials")
            denials = [*(known if isinstance(known, list) else []), *self._deviations.denials]
            line = write({**line.value, "permission_denials": denials})
        self._finish(line)

    def _play_other(self, step: Step) -> None:
        line = step.line
        instead = self._deviations.follow(line, step.speaker)
        if instead is not None:
            self.skipped.add(text_at(line.value, "uuid"))
            for made_up in instead:
                self._emit(made_up)
        elif not step.is_inner or self._playback.forwards:
            self._emit(line)
        if self._owes_echo and line.subtype == "init":
            self._owes_echo = False
            self._emit(self._builder.echo(self._prompts.prompt))

    def _receive_request(self, value: Value) -> None:
        request_id, request = text_at(value, "request_id"), at(value, "request")
        request = request if isinstance(request, dict) else {}
        subtype = text_at(request, "subtype")
        if subtype == "initialize":
            self._hooks.register(request)
        if subtype == "interrupt" and self._is_busy:
            self._receive_interrupt(request_id)
            return
        reply = find(self._script.replies, request)
        if reply is not None:
            self._pending.ask(reply, request_id)
        else:
            body = synthesized_body(request)
            self._emit(self._builder.reply(request_id, body))
            if subtype == "set_permission_mode" and body["subtype"] == "success":
                self._emit(self._builder.mode_changed(text_at(request, "mode")))
        if subtype == "end_session":
            self._has_input_ended = True

    def _receive_interrupt(self, request_id: str) -> None:
        if self._script.steps[self._place].need is Need.INTERRUPT:
            self._interrupt = request_id
        else:
            self._stop_turn(request_id)

    def _receive_answer(self, value: Value) -> None:
        question = self._questions.take(value)
        if question is None:
            return
        if self._playback.replays and not self._script.has_echo(question.id):
            self._emit(write(value))
        self._settle(question, judge(question, value))

    def _settle(self, question: Question, verdict: Verdict) -> None:
        """Leaves the recording if the verdict differs from the recorded one."""
        result = self._script.results.get(question.call)
        then = recorded(question, self._script.answers.get(question.id), result)
        if not question.decides_call or then == verdict or _is_same(then, verdict):
            return
        if verdict.ruling is Ruling.STOPPED:
            self._deviations.deny(question)
            self._stop_turn()
            return
        if verdict.ruling is Ruling.DENIED:
            outcome = self._builder.denied(question.call, question.speaker, verdict.why, by=verdict.by)
            if then is None or then.ruling is not Ruling.DENIED:
                self._deviations.deny(question)
        else:
            outcome = self._builder.allowed(question.call, question.speaker)
        if then is not None and then.ruling is not Ruling.STOPPED:
            self._deviations.replace(question, outcome)
            return
        self._deviations.running.pop(question.call, None)
        self._emit(outcome)
        self._leave_turn([NO_MORE], "aborted_tools")

    def _stop_turn(self, request_id: str | None = None) -> None:
        """Ends the turn like an interrupt: cancels questions, rejects calls, and writes a result that says so."""
        for name in self._questions.cancel_all():
            self._emit(self._builder.cancel(name))
        if request_id is not None:
            self._emit(self._builder.reply(request_id, synthesized_body({"subtype": "interrupt"})))
        stopped = self._deviations.running
        for call, speaker in stopped.items():
            self._emit(self._builder.rejected(call, speaker))
        self._emit(self._builder.interruption(of_tool=bool(stopped)))
        why = f"[ede_diagnostic] result_type=user last_content_type=n/a stop_reason={'tool_use' if stopped else 'null'}"
        self._leave_turn([why], "aborted_tools" if stopped else "aborted_streaming")

    def _leave_turn(self, errors: list[str], reason: str) -> None:
        """Writes a synthesized result and continues after the recorded one."""
        template, behind = self._script.end_of_turn(self._place)
        for step in self._script.steps[self._place : behind]:
            self.skipped.add(text_at(step.line.value, "uuid"))
        self._place = behind
        self._questions.cancel_all()
        denials = self._deviations.denials
        line = self._builder.failure(template, errors, reason)
        self._finish(write({**line.value, "permission_denials": denials}) if denials else line)

    def _finish(self, result: ScriptLine) -> None:
        self._results += 1
        self._deviations = Deviations(dropped=self._deviations.dropped)
        self._code = 1 if at(result.value, "is_error") is True else 0
        self._emit(result)

    def _refuse_prompts(self) -> None:
        """Answers messages beyond the last recorded turn with an error, so that the caller does not wait for ever."""
        self._may_absorb = self._prompts.absorb(self._may_absorb)
        self._answer_local_commands()
        while self._prompts:
            self._prompts.begin_turn()
            turns = len(self._script.absorbed)
            why = f"fake-claude: the recording has no turn for this message; it holds {turns}"
            self._finish(self._builder.failure(None, [why], "completed"))

    def _give(self, reply: Reply, request_id: str) -> None:
        for line in reply.before:
            self._emit(line)
        then = text_at(reply.line.value, "response", "request_id")
        self._emit(ScriptLine(with_request_id(reply.line.raw, then, request_id), reply.line.value))
        for line in reply.after:
            self._emit(line)

    def _emit(self, line: ScriptLine) -> None:
        self._builder.timestamp = text_at(line.value, "timestamp") or self._builder.timestamp
        if self._playback.shows(line):
            self._lines.append(line)

    def _end(self, code: int, stderr: str) -> None:
        self._ending = code
        self._stderr = stderr

    @property
    def _is_busy(self) -> bool:
        return self._script.is_in_turn(self._place)

    def _ended(self) -> int | None:
        if self._ending is not None:
            return self._ending
        if self.is_complete and self._script.is_cut:
            return 1
        if not self._has_input_ended or self._pending:
            return None
        if self.is_complete:
            return self._code
        needs_prompt = self._script.steps[self._place].need is Need.PROMPT
        return self._code if needs_prompt and not self._prompts else None


def _with_callback(line: ScriptLine, callback: str) -> ScriptLine:
    """Returns a recorded question to a hook, addressed to the hook that is registered here."""
    request = at(line.value, "request")
    if text_at(request, "callback_id") == callback or not isinstance(request, dict):
        return line
    return write({**line.value, "request": {**request, "callback_id": callback}})


def _is_same(then: Verdict | None, now: Verdict) -> bool:
    return then is not None and then.ruling is now.ruling and (now.ruling is not Ruling.DENIED or then.why == now.why)
