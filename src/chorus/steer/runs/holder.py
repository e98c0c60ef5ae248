"""The holder: one loop over the client's pipes, the warden's messages, the permission ledger and attached programs.

The client's output is recorded before it is acted on. Its requests go to the ledger; only the holder answers them, and
only with a verified decision.
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
from chorus.steer.client_settings.pinning import PinnedSettings
from chorus.steer.edits.events import HOOK_EVENTS, read_event
from chorus.steer.edits.snapshot_queue import END_S, SnapshotQueue
from chorus.steer.runs import messages
from chorus.steer.runs.approval_port import ApprovalPort
from chorus.steer.runs.client import ClientProcess, Lines
from chorus.steer.runs.pipe_recorder import PipeRecorder
from chorus.steer.runs.questions import RequestRelay
from chorus.steer.runs.run_budgets import RunBudgets
from chorus.steer.runs.run_folders import Ending, Run, RunFolder
from chorus.steer.runs.run_socket import Connection, RunSocket
from chorus.steer.runs.settings_guard import SettingsGuard
from chorus.steer.runs.steering import Steering
from chorus.steer.runs.widening import Widening

_TICK_S = 0.05
_FLUSH_S = 0.5
_WATCH_S = 1.0
"""The longest time between two checks of the settings."""
_ERROR_OUTPUT_BYTES = 8 << 10
_TITLE = 80
_CONTAINED = "the settings of a contained run do not change"
"""Inside there may be a file that nobody outside can see."""
_MAX_CONNECTIONS = 100
"""More connections at once are refused: each uses a file descriptor, and the holder needs some to work."""


class Holder:
    """Holds one run from its start to its end."""

    def __init__(
        self,
        folder: RunFolder,
        run: Run,
        client: ClientProcess,
        run_socket: RunSocket,
        recorder: PipeRecorder,
        approvals: ApprovalPort,
        pinned: PinnedSettings,
        snapshots: SnapshotQueue | None = None,
        budgets: RunBudgets | None = None,
    ) -> None:
        """Without `snapshots`, no snapshots of the workspace are taken; without `budgets`, nothing is limited here."""
        self._folder = folder
        self._run = run
        self._client = client
        self._run_socket = run_socket
        self._recorder = recorder
        self._snapshots = snapshots
        self._budgets = budgets
        self._dialogue = Dialogue(run.session, run.launch.mode)
        self._steering = Steering(client, self._dialogue, recorder)
        self._relay = RequestRelay(approvals, self._dialogue, recorder, self._steering.send_to_client)
        self._steering.widening = Widening(self._relay)
        self._settings_guard = SettingsGuard(pinned, self._dialogue, recorder, self._alarm)
        self._relay.on_allowed = self._settings_guard.allowed
        self._pipes = {"out": Lines(client.stdout), "err": Lines(client.stderr)}
        self._connections: list[Connection] = []
        self._error_output = b""
        self._sent_status: messages.Status | None = None
        self._code: int | None = None
        self._failed = ""
        self._keys = failures.keys_of(os.environ)
        self._is_over = False
        self._went_on = False
        """Whether this process was stopped by a signal, and now goes on."""
        self.is_watched = False
        """Whether a person or the server was attached when the run ended."""
        self._flushed_at = time.monotonic()
        self._signals, wake = os.pipe()
        os.set_blocking(self._signals, False)
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)

    def hold(self) -> None:
        """Runs until the client and every process that it started are gone and the ending is recorded."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: self._steering.stop())
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        signal.signal(signal.SIGCONT, self._note_going_on)
        edits = outgoing.edit_hooks(HOOK_EVENTS) if self._snapshots is not None else {}
        self._steering.request("initialize", hooks={**outgoing.settings_hook(), **edits})
        while not self._is_over:
            self._step()
        self._end()

    def _step(self) -> None:
        with selectors.DefaultSelector() as selector:
            self._register(selector)
            ready = {key.data for key, _ in selector.select(self._timeout_s())}
        if "signals" in ready:
            os.read(self._signals, 512)
        self._check_for_stops()
        if "stdin" in ready:
            self._client.push()
        for stream in self._pipes:
            if stream in ready:
                self._take(stream, self._pipes[stream].read())
        if "warden" in ready:
            self._read_warden_messages()
        if "socket" in ready and (connection := self._run_socket.accept()):
            self._connections.append(connection)
            connection.is_open = len(self._connections) <= _MAX_CONNECTIONS
        for connection in self._connections:
            if connection in ready:
                connection.push()
                for line in connection.read():
                    self._steering.execute(connection, line)
        self._relay.look()
        self._settings_guard.look()
        self._keep_to_budgets()
        self._finish_if_done()
        self._update()

    def _note_going_on(self, *_: object) -> None:
        self._went_on = True

    def _check_for_stops(self) -> None:
        """Ends the run if this process or the warden was stopped: meanwhile nobody watched the client.

        A service manager sends SIGCONT to what it ends, so that is no alarm.
        """
        self._client.press()
        if self._client.was_warden_stopped() and not self._run.tampering:
            self._alarm("its warden was stopped by a signal, so that it could not end the client")
        if self._went_on and not self._steering.is_stopping:
            self._alarm("its holder was stopped by a signal, so that nobody watched the client")
        self._went_on = False

    def _keep_to_budgets(self) -> None:
        if self._budgets is None or self._steering.is_stopping:
            return
        dialogue = self._dialogue
        step = self._budgets.look(session=dialogue.session, turns=dialogue.turns, is_idle=dialogue.state == "idle")
        if step is None:
            return
        if step.act == "interrupt":
            self._steering.interrupt(step.why)
        else:
            self._steering.stop(step.why)

    def _register(self, selector: selectors.BaseSelector) -> None:
        selector.register(self._signals, selectors.EVENT_READ, "signals")
        selector.register(self._client.control, selectors.EVENT_READ, "warden")
        selector.register(self._run_socket.socket, selectors.EVENT_READ, "socket")
        if self._client.has_unwritten:
            selector.register(self._client.stdin, selectors.EVENT_WRITE, "stdin")
        for name, pipe in self._pipes.items():
            if pipe.is_open and not self._recorder.is_full:
                selector.register(pipe.fd, selectors.EVENT_READ, name)
        for connection in self._connections:
            wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if connection.has_unsent else 0)
            selector.register(connection.socket, wanted, connection)

    def _timeout_s(self) -> float:
        if self._relay.is_waiting or self._recorder.trouble:
            return _TICK_S
        return _FLUSH_S if self._recorder.is_dirty else _WATCH_S

    def _take(self, stream: str, pieces: Iterator[tuple[bytes, bool]]) -> None:
        """Records what came through a pipe, then acts on it."""
        for data, is_whole in pieces:
            self._recorder.record(stream, data)
            if stream == "err":
                self._error_output = (self._error_output + data)[-_ERROR_OUTPUT_BYTES:]
            elif is_whole:
                self._hear(data)

    def _hear(self, data: bytes) -> None:
        for line in data.splitlines():
            session = self._dialogue.session
            for effect in self._dialogue.receive(parse_line(line)):
                self._act(effect)
            if self._dialogue.session != session:
                # Bytes of the same piece are recorded under the previous session; they are told apart by their own ids.
                self._run.sessions.append(self._dialogue.session)
                self._save_run()

    def _act(self, effect: effects.Effect) -> None:
        match effect:
            case effects.Ask():
                self._relay.ask(effect.permission_request)
            case effects.Withdraw():
                self._relay.withdraw(effect.request, effect.why)
            case effects.TookEffect():
                self._relay.took_effect(effect.request)
            case effects.Failed():
                self._relay.failed(effect.request, effect.why)
            case effects.AnsweredElsewhere():
                # A hook may have answered: its program and its settings are those of the start, or the run ends now.
                self._settings_guard.objection()
                self._relay.answered_elsewhere(effect.request, effect.behaviour)
            case effects.Refuse():
                self._steering.send_to_client(outgoing.fail(effect.request, effect.why))
            case effects.CheckSettings():
                objection = self._settings_guard.objection() or (_CONTAINED if self._run.contain else "")
                self._steering.send_to_client(outgoing.reload(effect.request, objection))
            case effects.ReportEdit():
                self._take_snapshot(effect.payload)
                self._steering.send_to_client(outgoing.proceed(effect.request))
            case effects.Tampered():
                if effect.request:
                    self._relay.report_tampering(effect.request, effect.why)
                self._alarm(effect.why)
            case effects.ResponseReceived():
                self._steering.reply(effect)
            case _:
                assert_never(effect)

    def _take_snapshot(self, payload: str) -> None:
        data = payload.encode("utf-8", "replace")
        event = read_event(data)
        if self._snapshots is not None and event is not None:
            self._snapshots.put(event, model=self._dialogue.model, payload=data)

    def _note_problems(self) -> None:
        for why in self._snapshots.problems() if self._snapshots is not None else ():
            self._recorder.note(type="no-snapshot", why=why)

    def _alarm(self, why: str) -> None:
        """Stops the run because it can no longer be trusted, and records why."""
        self._recorder.note(type="tampering", why=why)
        self._run.tampering = self._run.tampering or why
        self._save_run()
        self._steering.stop()

    def _finish_if_done(self) -> None:
        """Closes the client's input if the run is to end and nothing is left to do."""
        steering, dialogue = self._steering, self._dialogue
        is_wanted = steering.is_finishing or (self._run.is_once and steering.has_sent and dialogue.turns > 0)
        if is_wanted and self._client.takes_input and (dialogue.is_idle or not steering.has_sent):
            self._client.finish()

    def _read_warden_messages(self) -> None:
        words = self._client.warden_messages()
        for word in words or ():
            if "started" in word:
                self._run.client = word["started"]
                self._recorder.note(type="started", pid=self._run.client)
                self._save_run()
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
            questions=self._relay.open(),
            queued=list(dialogue.queued.values()),
            model=dialogue.model,
            mode=dialogue.mode,
            refused=dialogue.refused.total(),
            trouble=self._run.alarm or self._recorder.trouble or self._relay.trouble,
            limit=self._budgets.words if self._budgets is not None else "",
            advice=failures.advice(last.words, self._keys) if (last := dialogue.last) and last.is_error else "",
        )

    def _update(self) -> None:
        """Updates the vault, the file of the run and all attached programs."""
        if self._recorder.trouble:
            self._recorder.try_again()
        if self._recorder.is_dirty and time.monotonic() - self._flushed_at > _FLUSH_S:
            self._recorder.flush()
            self._flushed_at = time.monotonic()
        if self._steering.first_words and not self._run.title:
            self._run.title = " ".join(self._steering.first_words.split())[:_TITLE]
            self._save_run()
        self._note_problems()
        status = self._status()
        for connection in self._connections:
            connection.catch_up(self._recorder, self._run.sessions)
            if connection.is_asking or (connection.is_attached and status != self._sent_status):
                connection.is_asking = False
                connection.send(status)
        self._sent_status = status
        for connection in [each for each in self._connections if not each.is_open]:
            connection.close()
            self._connections.remove(connection)
            if connection.is_needed:
                self._steering.stop()

    def _save_run(self) -> None:
        try:
            self._folder.write(self._run)
        except (ChorusError, OSError) as error:
            self._recorder.note(type="unwritten", why=str(error))

    def _end(self) -> None:
        for stream, pipe in self._pipes.items():
            while pipe.is_open and not self._recorder.is_full:
                self._take(stream, pipe.read())
                if pipe.is_drained:
                    break
            self._take(stream, pipe.close())
        for effect in self._dialogue.close("the client has ended"):
            self._act(effect)
        self._relay.close("the client has ended")
        self._client.close()
        if self._snapshots is not None:
            self._snapshots.close(END_S)
            self._note_problems()
        # After the snapshots: git, and `but` of GitButler, are processes below this one, too.
        self._client.sweep()
        self._run.ending = self._ending()
        self._recorder.note(type="ended", code=self._code, words=self._run.ending.words)
        self._recorder.flush()
        self._save_run()
        self.is_watched = any(each.is_attached and not each.is_supervised for each in self._connections)
        for connection in self._connections:
            connection.socket.settimeout(_FLUSH_S)
            connection.catch_up(self._recorder, self._run.sessions)
            connection.send(messages.Ended(ending=self._run.ending))
            connection.close()
        self._run_socket.close()

    def _ending(self) -> Ending:
        now = self._recorder.now()
        if self._failed:
            return Ending(at=now, is_failure=True, words=f"the client could not be started: {self._failed}")
        if self._run.tampering:
            words = f"TAMPERING: {self._run.alarm}; it was stopped: `chorus doctor` tells more"
            return Ending(at=now, code=self._code, is_failure=True, words=words)
        if self._steering.why:
            words = f"it was stopped, because {self._steering.why}; `chorus budget list` shows the limits"
            return Ending(at=now, code=self._code, is_failure=True, words=words)
        last = self._dialogue.last
        is_failure, words = failures.explain(
            self._code,
            complaint=self._error_output.decode("utf-8", "replace"),
            result=last.words if last else "",
            is_error=bool(last and last.is_error),
            was_stopped=self._steering.is_stopping,
            keys=self._keys,
        )
        return Ending(at=now, code=self._code, is_failure=is_failure, words=words)
