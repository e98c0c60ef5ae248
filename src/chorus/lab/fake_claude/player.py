"""The player: given what the caller says and what time it is, the lines to say, and when to look again.

It never waits and reads no clock. Steps are said in recorded order; each waits for its time, for a prompt, for an
interrupt, or for the answers its speaker needs. Where the caller does something else than the recorded host, the player
leaves the recording for as short as it can (`made_up`) and comes back after the call or the turn in question.
"""

from msgspec import Struct

from chorus.lab.fake_claude.lines import Line, Value, at, read, words, write
from chorus.lab.fake_claude.naming import with_request_id
from chorus.lab.fake_claude.open_questions import Asking
from chorus.lab.fake_claude.other_course import Course
from chorus.lab.fake_claude.pace import Pace
from chorus.lab.fake_claude.pending_requests import PATIENCE_S, Desk
from chorus.lab.fake_claude.playback import Manner
from chorus.lab.fake_claude.prompts import Prompts
from chorus.lab.fake_claude.registered_hooks import RegisteredHooks
from chorus.lab.fake_claude.replies import Reply, find, invented
from chorus.lab.fake_claude.script import Need, Script, Step, is_echo
from chorus.lab.fake_claude.synthesized import Author
from chorus.lab.fake_claude.verdicts import RUNS, SILENCE, Question, Ruling, Verdict, judge, recorded

DIFFERS = 2
NO_MORE = "fake-claude: the recording goes no further here"


class Saying(Struct):
    """What the player wants done now."""

    lines: list[Line]
    wake: float | None
    """When to call again, if the caller says nothing before."""
    code: int | None
    """The exit code, when it is over."""
    complaint: str = ""


class Player:
    """Plays one script to one caller."""

    def __init__(self, script: Script, manner: Manner, author: Author) -> None:
        self._script = script
        self._manner = manner
        self._author = author
        self._prompts = Prompts(script.prompts)
        self._desk = Desk(script.replies)
        self._place = 0
        self._said: list[Line] = []
        self._asking = Asking(script.cancelled)
        self._hooks = RegisteredHooks()
        self._pace = Pace(manner)
        self._course = Course()
        self._interrupt: str | None = None
        self._may_take_up = 0
        self._results = 0
        self._owes_echo = False
        self._is_deaf = False
        self._code = 0
        self._ending: int | None = None
        self._complaint = ""
        self.skipped: set[str] = set()
        """The uuids of recorded lines that were not said."""

    @property
    def status(self) -> str:
        """`waiting` for an answer, `busy` with a turn, or `idle`."""
        if self._asking.is_about_permission():
            return "waiting"
        return "busy" if self._is_busy else "idle"

    @property
    def is_complete(self) -> bool:
        """Whether every step was played."""
        return self._place >= len(self._script.steps)

    def hear(self, raw: bytes) -> None:
        """Take one line of the caller. One that is no JSON ends everything, as it ends the client."""
        if self._ending is not None or not raw.strip():
            return
        line = read(raw)
        match line.kind:
            case "user":
                self._prompts.add(line.value)
            case "control_request":
                self._hear_request(line.value)
            case "control_response":
                self._hear_answer(line.value)
            case _ if line.is_unread:
                size = len(raw.decode(errors="replace").rstrip("\r\n"))
                self._end(1, f"Error parsing streaming input line (type=unknown, {size} chars): SyntaxError\n")
            case _:
                pass

    def end_input(self) -> None:
        """Nothing more will be said by the caller: what is under way is finished, then it is over."""
        self._is_deaf = True
        for question in self._asking.give_up():
            self._settle(question, SILENCE if question.subtype == "can_use_tool" else RUNS)

    def stop(self) -> None:
        """SIGINT: the turn is interrupted and it is over, with a clean exit code."""
        if self._is_busy:
            self._stop_turn()
        self._ending = 0

    def advance(self, now: float) -> Saying:
        """Everything that can be said at this moment."""
        wake = self._give_replies(now)
        while self._ending is None and self._place < len(self._script.steps):
            step = self._script.steps[self._place]
            if self._is_busy:
                self._may_take_up = self._prompts.take_up(self._may_take_up)
            if not self._may_play(step):
                break
            due = self._pace.due(step)
            if due > now:
                wake = due if wake is None else min(wake, due)
                break
            self._place += 1
            self._play(step)
            self._pace.note(step, now)
        if self._ending is None and self.is_complete and self._manner.is_streaming:
            self._refuse_prompts()
        said, self._said = self._said, []
        return Saying(said, wake, self._ended(), self._complaint)

    def _give_replies(self, now: float) -> float | None:
        ready, since = self._desk.ready(now, -1 if self._is_busy else self._results)
        for asked in ready:
            self._give(asked.reply, asked.request_id)
        return None if since is None else since + PATIENCE_S

    def _may_play(self, step: Step) -> bool:
        if step.need is Need.PROMPT:
            self._answer_local_commands()
            if not self._prompts:
                return False
        if step.need is Need.INTERRUPT and self._interrupt is None and not self._is_deaf:
            return False
        return not self._asking.holds_up(step)

    def _play(self, step: Step) -> None:
        line = step.line
        if step.need is Need.PROMPT and not self._begin_turn():
            return
        if step.reply is not None:
            self._play_interrupt(step.reply)
        elif line.kind == "control_request":
            self._play_question(line, step.party)
        elif line.kind == "control_cancel_request":
            if self._asking.take_back(words(line.value, "request_id")):
                self._say(line)
        elif line.kind == "control_response":
            self._play_answer(line)
        elif line.kind == "command_lifecycle" or is_echo(line):
            retold = self._prompts.retold(line)
            if retold is not None and (self._manner.replays or line.kind != "user"):
                self._say(retold)
        elif line.kind == "result":
            self._play_result(line)
        else:
            self._play_other(step)

    def _answer_local_commands(self) -> None:
        """Commands that the client answers by itself cost no turn of the recording."""
        while (command := self._prompts.next_local_command()) is not None:
            self._prompts.drop()
            for line in self._author.local_command(command):
                self._say(line)

    def _begin_turn(self) -> bool:
        self._prompts.begin_turn()
        turn = self._script.steps[self._place - 1].turn
        self._may_take_up = self._script.absorbed[turn]
        self._owes_echo = self._manner.replays and not self._script.echoes(turn)
        difference = self._prompts.difference() if self._manner.is_strict else None
        if difference is not None:
            self._end(DIFFERS, f"fake-claude: {difference}\n")
        return difference is None

    def _play_interrupt(self, reply: Reply) -> None:
        for line in reply.before:
            self._asking.take_back(words(line.value, "request_id"))
        if self._interrupt is not None:
            self._give(reply, self._interrupt)
        self._interrupt = None

    def _play_question(self, line: Line, party: str) -> None:
        question = Question(words(line.value, "request_id"), at(line.value, "request") or {}, party)
        if self._course.has_dropped(question.call, party):
            return
        if question.subtype == "can_use_tool" and not self._manner.asks:
            self._deny_unasked(question)
            return
        if not self._manner.is_streaming:
            return
        if question.subtype == "hook_callback":
            callback = self._hooks.callback_for(question.request)
            if callback is None:
                # Nobody registered such a hook here: the call goes on as if there were none.
                self._settle(question, RUNS)
                return
            line = _with_callback(line, callback)
        self._say(line)
        self._asking.ask(question)
        if self._is_deaf:
            self.end_input()

    def _deny_unasked(self, question: Question) -> None:
        tool = words(question.request, "tool_name")
        why = f"Claude requested permissions to use {tool}, but you haven't granted it yet."
        self._say(self._author.nobody_asked(tool, question.call, why))
        self._settle(question, Verdict(Ruling.DENIED, why, "fault"))

    def _play_answer(self, line: Line) -> None:
        """The caller's own answer, repeated: as recorded where it is the same, else as it was given."""
        given = self._asking.answer_to(words(line.value, "response", "request_id"))
        if self._manner.replays and given is not None:
            self._say(line if given == line.value else write(given))

    def _play_result(self, line: Line) -> None:
        if self._course.denials:
            known = at(line.value, "permission_denials")
            denials = [*(known if isinstance(known, list) else []), *self._course.denials]
            line = write({**line.value, "permission_denials": denials})
        self._finish(line)

    def _play_other(self, step: Step) -> None:
        line = step.line
        instead = self._course.follow(line, step.party)
        if instead is not None:
            self.skipped.add(words(line.value, "uuid"))
            for made_up in instead:
                self._say(made_up)
        elif not step.is_inner or self._manner.forwards:
            self._say(line)
        if self._owes_echo and line.subtype == "init":
            self._owes_echo = False
            self._say(self._author.echo(self._prompts.prompt))

    def _hear_request(self, value: Value) -> None:
        request_id, request = words(value, "request_id"), at(value, "request")
        request = request if isinstance(request, dict) else {}
        subtype = words(request, "subtype")
        if subtype == "initialize":
            self._hooks.register(request)
        if subtype == "interrupt" and self._is_busy:
            self._hear_interrupt(request_id)
            return
        reply = find(self._script.replies, request)
        if reply is not None:
            self._desk.ask(reply, request_id)
        else:
            body = invented(request)
            self._say(self._author.reply(request_id, body))
            if subtype == "set_permission_mode" and body["subtype"] == "success":
                self._say(self._author.mode_changed(words(request, "mode")))
        if subtype == "end_session":
            self._is_deaf = True

    def _hear_interrupt(self, request_id: str) -> None:
        if self._script.steps[self._place].need is Need.INTERRUPT:
            self._interrupt = request_id
        else:
            self._stop_turn(request_id)

    def _hear_answer(self, value: Value) -> None:
        question = self._asking.take(value)
        if question is None:
            return
        if self._manner.replays and not self._script.has_echo(question.id):
            self._say(write(value))
        self._settle(question, judge(question, value))

    def _settle(self, question: Question, verdict: Verdict) -> None:
        """Where the verdict is not the recorded one, see to it that the recording is left."""
        result = self._script.results.get(question.call)
        then = recorded(question, self._script.answers.get(question.id), result)
        if not question.decides_call or then == verdict or _is_same(then, verdict):
            return
        if verdict.ruling is Ruling.STOPPED:
            self._course.deny(question)
            self._stop_turn()
            return
        if verdict.ruling is Ruling.DENIED:
            outcome = self._author.denied(question.call, question.party, verdict.why, by=verdict.by)
            if then is None or then.ruling is not Ruling.DENIED:
                self._course.deny(question)
        else:
            outcome = self._author.allowed(question.call, question.party)
        if then is not None and then.ruling is not Ruling.STOPPED:
            self._course.replace(question, outcome)
            return
        self._course.running.pop(question.call, None)
        self._say(outcome)
        self._leave_turn([NO_MORE], "aborted_tools")

    def _stop_turn(self, request_id: str | None = None) -> None:
        """End the turn as an interrupt does: questions are taken back, calls rejected, and it says so."""
        for name in self._asking.take_back_all():
            self._say(self._author.cancel(name))
        if request_id is not None:
            self._say(self._author.reply(request_id, invented({"subtype": "interrupt"})))
        stopped = self._course.running
        for call, party in stopped.items():
            self._say(self._author.rejected(call, party))
        self._say(self._author.interruption(of_tool=bool(stopped)))
        why = f"[ede_diagnostic] result_type=user last_content_type=n/a stop_reason={'tool_use' if stopped else 'null'}"
        self._leave_turn([why], "aborted_tools" if stopped else "aborted_streaming")

    def _leave_turn(self, errors: list[str], reason: str) -> None:
        """Say a result of our own and go on behind the recorded one."""
        template, behind = self._script.end_of_turn(self._place)
        for step in self._script.steps[self._place : behind]:
            self.skipped.add(words(step.line.value, "uuid"))
        self._place = behind
        self._asking.take_back_all()
        denials = self._course.denials
        line = self._author.failure(template, errors, reason)
        self._finish(write({**line.value, "permission_denials": denials}) if denials else line)

    def _finish(self, result: Line) -> None:
        self._results += 1
        self._course = Course(dropped=self._course.dropped)
        self._code = 1 if at(result.value, "is_error") is True else 0
        self._say(result)

    def _refuse_prompts(self) -> None:
        """Messages beyond the last recorded turn are answered with an error, so that nobody waits in vain."""
        self._may_take_up = self._prompts.take_up(self._may_take_up)
        self._answer_local_commands()
        while self._prompts:
            self._prompts.begin_turn()
            turns = len(self._script.absorbed)
            why = f"fake-claude: the recording has no turn for this message; it holds {turns}"
            self._finish(self._author.failure(None, [why], "completed"))

    def _give(self, reply: Reply, request_id: str) -> None:
        for line in reply.before:
            self._say(line)
        then = words(reply.line.value, "response", "request_id")
        self._say(Line(with_request_id(reply.line.raw, then, request_id), reply.line.value))
        for line in reply.after:
            self._say(line)

    def _say(self, line: Line) -> None:
        self._author.timestamp = words(line.value, "timestamp") or self._author.timestamp
        if self._manner.shows(line):
            self._said.append(line)

    def _end(self, code: int, complaint: str) -> None:
        self._ending = code
        self._complaint = complaint

    @property
    def _is_busy(self) -> bool:
        return self._script.is_in_turn(self._place)

    def _ended(self) -> int | None:
        if self._ending is not None:
            return self._ending
        if self.is_complete and self._script.is_cut:
            return 1
        if not self._is_deaf or self._desk:
            return None
        if self.is_complete:
            return self._code
        needs_prompt = self._script.steps[self._place].need is Need.PROMPT
        return self._code if needs_prompt and not self._prompts else None


def _with_callback(line: Line, callback: str) -> Line:
    """A recorded question to a hook, for the hook that is registered here."""
    request = at(line.value, "request")
    if words(request, "callback_id") == callback or not isinstance(request, dict):
        return line
    return write({**line.value, "request": {**request, "callback_id": callback}})


def _is_same(then: Verdict | None, now: Verdict) -> bool:
    return then is not None and then.ruling is now.ruling and (now.ruling is not Ruling.DENIED or then.why == now.why)
