"""The holder: one loop over the client's pipes, the warden's word, the ledger and whoever is attached.

What the client says is kept before it is acted on. What it asks goes to the ledger; the holder alone answers it, and
only with a decision that verified.
"""

import os
import selectors
import signal
import time
from collections.abc import Iterator
from typing import assert_never

from chorus.core.protocol import dialogue as effects
from chorus.core.protocol import failures, outgoing
from chorus.core.protocol.dialogue import Dialogue
from chorus.core.protocol.incoming import parse_line
from chorus.errors import ChorusError
from chorus.steer.client_settings.pinning import Pinned
from chorus.steer.runs import messages
from chorus.steer.runs.approval_port import Questions
from chorus.steer.runs.client import ClientProcess, Lines
from chorus.steer.runs.pipe_recorder import Keeper
from chorus.steer.runs.questions import Answering
from chorus.steer.runs.run_folders import Ending, Run, RunFolder
from chorus.steer.runs.run_socket import Door, Visitor
from chorus.steer.runs.settings_guard import Guarding
from chorus.steer.runs.steering import Steering
from chorus.steer.runs.widening import Widening

_TICK_S = 0.05
_FLUSH_S = 0.5
_WATCH_S = 1.0
"""How often the settings are looked at, at least."""
_COMPLAINT_BYTES = 8 << 10
_TITLE = 80
_CONTAINED = "the settings of a contained run do not change"
"""Inside there may be a file that nobody outside sees."""
_MAX_VISITORS = 100
"""More connections at once are turned away: each costs a descriptor, and without those nothing can be held."""


class Holder:
    """Holds one run from its start to its end."""

    def __init__(
        self,
        folder: RunFolder,
        run: Run,
        client: ClientProcess,
        door: Door,
        keeper: Keeper,
        questions: Questions,
        pinned: Pinned,
    ) -> None:
        self._folder = folder
        self._run = run
        self._client = client
        self._door = door
        self._keeper = keeper
        self._dialogue = Dialogue(run.session, run.launch.mode)
        self._steering = Steering(client, self._dialogue, keeper)
        self._answering = Answering(questions, self._dialogue, keeper, self._steering.say)
        self._steering.widening = Widening(self._answering)
        self._guarding = Guarding(pinned, self._dialogue, keeper, self._alarm)
        self._answering.on_allowed = self._guarding.allowed
        self._pipes = {"out": Lines(client.stdout), "err": Lines(client.stderr)}
        self._visitors: list[Visitor] = []
        self._complaint = b""
        self._told_status: messages.Status | None = None
        self._code: int | None = None
        self._failed = ""
        self._keys = failures.keys_of(os.environ)
        self._is_over = False
        self.is_watched = False
        """Whether a person or the server was attached when the run ended."""
        self._flushed_at = time.monotonic()
        self._signals, wake = os.pipe()
        os.set_blocking(self._signals, False)
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)

    def hold(self) -> None:
        """Return when the client and all it started are gone, and that is written down."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: self._steering.stop())
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        self._steering.request("initialize", hooks=outgoing.settings_hook())
        while not self._is_over:
            self._turn()
        self._end()

    def _turn(self) -> None:
        with selectors.DefaultSelector() as selector:
            self._register(selector)
            ready = {key.data for key, _ in selector.select(self._patience())}
        if "signals" in ready:
            os.read(self._signals, 512)
        if "stdin" in ready:
            self._client.push()
        for stream in self._pipes:
            if stream in ready:
                self._take(stream, self._pipes[stream].read())
        if "warden" in ready:
            self._listen_to_warden()
        if "door" in ready and (visitor := self._door.let_in()):
            self._visitors.append(visitor)
            visitor.is_open = len(self._visitors) <= _MAX_VISITORS
        for visitor in self._visitors:
            if visitor in ready:
                visitor.push()
                for line in visitor.read():
                    self._steering.obey(visitor, line)
        self._answering.look()
        self._guarding.look()
        self._finish_if_done()
        self._keep_up()

    def _register(self, selector: selectors.BaseSelector) -> None:
        selector.register(self._signals, selectors.EVENT_READ, "signals")
        selector.register(self._client.control, selectors.EVENT_READ, "warden")
        selector.register(self._door.socket, selectors.EVENT_READ, "door")
        if self._client.has_unwritten:
            selector.register(self._client.stdin, selectors.EVENT_WRITE, "stdin")
        for name, pipe in self._pipes.items():
            if pipe.is_open and not self._keeper.is_full:
                selector.register(pipe.fd, selectors.EVENT_READ, name)
        for visitor in self._visitors:
            wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if visitor.has_unsent else 0)
            selector.register(visitor.connection, wanted, visitor)

    def _patience(self) -> float:
        if self._answering.is_waiting or self._keeper.trouble:
            return _TICK_S
        return _FLUSH_S if self._keeper.is_dirty else _WATCH_S

    def _take(self, stream: str, pieces: Iterator[tuple[bytes, bool]]) -> None:
        """Keep what has come through a pipe, then act on it."""
        for data, is_whole in pieces:
            self._keeper.keep(stream, data)
            if stream == "err":
                self._complaint = (self._complaint + data)[-_COMPLAINT_BYTES:]
            elif is_whole:
                self._hear(data)

    def _hear(self, data: bytes) -> None:
        for line in data.splitlines():
            session = self._dialogue.session
            for effect in self._dialogue.receive(parse_line(line)):
                self._act(effect)
            if self._dialogue.session != session:
                # What came in the same piece is kept with the session before; its own ids tell it apart.
                self._run.sessions.append(self._dialogue.session)
                self._write_down()

    def _act(self, effect: effects.Effect) -> None:
        match effect:
            case effects.Ask():
                self._answering.ask(effect.permission_request)
            case effects.Withdraw():
                self._answering.withdraw(effect.request, effect.why)
            case effects.TookEffect():
                self._answering.took_effect(effect.request)
            case effects.AnsweredElsewhere():
                self._answering.answered_elsewhere(effect.request, effect.behaviour)
            case effects.Refuse():
                self._steering.say(outgoing.fail(effect.request, effect.why))
            case effects.CheckSettings():
                objection = self._guarding.objection() or (_CONTAINED if self._run.contain else "")
                self._steering.say(outgoing.reload(effect.request, objection))
            case effects.Tampered():
                if effect.request:
                    self._answering.denounce(effect.request, effect.why)
                self._alarm(effect.why)
            case effects.ResponseReceived():
                self._steering.reply(effect)
            case _:
                assert_never(effect)

    def _alarm(self, why: str) -> None:
        """The run can no longer be trusted: it is stopped, and that is written down."""
        self._keeper.note(type="tampering", why=why)
        self._run.tampering = self._run.tampering or why
        self._write_down()
        self._steering.stop()

    def _finish_if_done(self) -> None:
        """Close the client's input once nothing is left to do, if the run is to end then."""
        steering, dialogue = self._steering, self._dialogue
        is_wanted = steering.is_finishing or (self._run.is_once and steering.has_sent and dialogue.turns > 0)
        if is_wanted and self._client.takes_input and (dialogue.is_idle or not steering.has_sent):
            self._client.finish()

    def _listen_to_warden(self) -> None:
        words = self._client.words()
        for word in words or ():
            if "started" in word:
                self._run.client = word["started"]
                self._keeper.note(type="started", pid=self._run.client)
                self._write_down()
            self._failed = word.get("failed", self._failed)
            self._code = word.get("exited", self._code)
        if words is None or any("swept" in word or "failed" in word for word in words):
            self._is_over = True

    def _status(self) -> messages.Status:
        dialogue = self._dialogue
        is_ending = self._steering.is_stopping or not self._client.takes_input
        is_waiting = dialogue.is_waiting or dialogue.state == "requires_action"
        return messages.Status(
            run=self._run.id,
            session=dialogue.session,
            state="ending" if is_ending else "waiting" if is_waiting else dialogue.state,
            questions=self._answering.open(),
            queued=list(dialogue.queued.values()),
            model=dialogue.model,
            mode=dialogue.mode,
            refused=dialogue.refused.total(),
            trouble=self._run.alarm or self._keeper.trouble or self._answering.trouble,
            advice=failures.advice(last.words, self._keys) if (last := dialogue.last) and last.is_error else "",
        )

    def _keep_up(self) -> None:
        """Bring the vault, what is written down, and all who are attached up to date."""
        if self._keeper.trouble:
            self._keeper.try_again()
        if self._keeper.is_dirty and time.monotonic() - self._flushed_at > _FLUSH_S:
            self._keeper.flush()
            self._flushed_at = time.monotonic()
        if self._steering.first_words and not self._run.title:
            self._run.title = " ".join(self._steering.first_words.split())[:_TITLE]
            self._write_down()
        status = self._status()
        for visitor in self._visitors:
            visitor.catch_up(self._keeper, self._run.sessions)
            if visitor.is_asking or (visitor.is_attached and status != self._told_status):
                visitor.is_asking = False
                visitor.tell(status)
        self._told_status = status
        for visitor in [each for each in self._visitors if not each.is_open]:
            visitor.close()
            self._visitors.remove(visitor)
            if visitor.is_needed:
                self._steering.stop()

    def _write_down(self) -> None:
        try:
            self._folder.write(self._run)
        except (ChorusError, OSError) as error:
            self._keeper.note(type="unwritten", why=str(error))

    def _end(self) -> None:
        for stream, pipe in self._pipes.items():
            while pipe.is_open and not self._keeper.is_full:
                self._take(stream, pipe.read())
                if pipe.is_dry:
                    break
            self._take(stream, pipe.close())
        for effect in self._dialogue.close("the client has ended"):
            self._act(effect)
        self._answering.close("the client has ended")
        self._client.close()
        self._run.ending = self._ending()
        self._keeper.note(type="ended", code=self._code, words=self._run.ending.words)
        self._keeper.flush()
        self._write_down()
        self.is_watched = any(each.is_attached and not each.is_supervised for each in self._visitors)
        for visitor in self._visitors:
            visitor.connection.settimeout(_FLUSH_S)
            visitor.catch_up(self._keeper, self._run.sessions)
            visitor.tell(messages.Ended(ending=self._run.ending))
            visitor.close()
        self._door.close()

    def _ending(self) -> Ending:
        now = self._keeper.now()
        if self._failed:
            return Ending(at=now, is_failure=True, words=f"the client could not be started: {self._failed}")
        if self._run.tampering:
            words = f"TAMPERING: {self._run.alarm}; it was stopped: `chorus doctor` tells more"
            return Ending(at=now, code=self._code, is_failure=True, words=words)
        last = self._dialogue.last
        is_failure, words = failures.explain(
            self._code,
            complaint=self._complaint.decode("utf-8", "replace"),
            result=last.words if last else "",
            is_error=bool(last and last.is_error),
            was_stopped=self._steering.is_stopping,
            keys=self._keys,
        )
        return Ending(at=now, code=self._code, is_failure=is_failure, words=words)
