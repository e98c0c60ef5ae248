"""Executes the commands of attached programs and answers them."""

import uuid
from typing import Any, assert_never

import msgspec

from chorus.core.protocol import launch, outgoing
from chorus.core.protocol.dialogue import Dialogue, ResponseReceived
from chorus.errors import ChorusError
from chorus.steer.runs import messages
from chorus.steer.runs.client import ClientProcess
from chorus.steer.runs.pipe_recorder import PipeRecorder
from chorus.steer.runs.run_folders import STREAMS
from chorus.steer.runs.run_socket import Connection
from chorus.steer.runs.widening import Widening

_ANSWERED_LATER = (messages.Interrupt, messages.SetModel, messages.SetMode)
_ENDING = "the run is ending; `chorus resume` continues the session"


class Steering:
    """Turns commands into lines for the client, and its replies into answers."""

    def __init__(self, client: ClientProcess, dialogue: Dialogue, recorder: PipeRecorder) -> None:
        self.widening: Widening | None = None
        """Asks an approver for a wider mode; None means that no wider mode is given."""
        self._client = client
        self._dialogue = dialogue
        self._recorder = recorder
        self._replies: dict[str, tuple[Connection, int]] = {}
        self._wider_modes: dict[str, str] = {}
        """Our requests to the client that an approver allowed, with the name of the permission request."""
        self.first_words = ""
        """The first message of the run."""
        self.has_sent = False
        self.is_stopping = False
        self._why_stopped = ""
        self._why_interrupted = ""
        self._interrupted_turn: int | None = None
        """The turn that Chorus interrupted by itself; a turn is interrupted once."""
        self.is_finishing = False
        """Whether no more messages are accepted, and the run ends when its work is done."""

    @property
    def why(self) -> str:
        """Why Chorus stopped the run, or interrupted its last turn, by itself; empty if it did neither."""
        if self._why_stopped:
            return self._why_stopped
        # A run with one message ends with the interrupted turn, before it would be stopped.
        is_last = self._interrupted_turn in (self._dialogue.turns, self._dialogue.turns - 1)
        return self._why_interrupted if is_last else ""

    def execute(self, connection: Connection, line: bytes) -> None:
        """Executes a command if its sender may give it, and answers."""
        command = messages.command(line)
        if isinstance(command, str):
            connection.send(messages.Answer(id=0, error=command))
            return
        if connection.is_supervised and not isinstance(command, messages.Attach | messages.Ask):
            self._recorder.note(type="refused", command=type(command).__name__)
            connection.send(messages.Answer(id=command.id, error="an agent may not steer runs"))
            return
        try:
            self._execute(connection, command)
        except ChorusError as error:
            connection.send(messages.Answer(id=command.id, error=str(error)))
            return
        if not isinstance(command, _ANSWERED_LATER):
            connection.send(messages.Answer(id=command.id))

    def send_to_client(self, line: bytes) -> None:
        """Records a line and sends it to the client."""
        if self._client.takes_input:
            self._recorder.record("in", line)
            self._client.write(line)

    def request(self, subtype: str, **fields: Any) -> str:
        """Sends a control request to the client and returns its id."""
        name = f"chorus-{uuid.uuid4().hex[:12]}"
        self._dialogue.request_sent(name, subtype)
        self.send_to_client(outgoing.request(name, subtype, **fields))
        return name

    def reply(self, done: ResponseReceived) -> None:
        """Passes the client's reply on to the connection that asked for it."""
        if done.subtype == "set_permission_mode" and done.error is None:
            self._dialogue.mode = _mode_in(done.body) or self._dialogue.mode
        allowed = self._wider_modes.pop(done.request, None)
        if allowed is not None and self.widening is not None:
            self.widening.confirm(allowed, done.error)
        connection, number = self._replies.pop(done.request, (None, 0))
        if connection is not None:
            connection.send(messages.Answer(id=number, error=done.error or ""))

    def interrupt(self, why: str) -> bool:
        """Interrupts the turn for a reason of our own; returns False if that was done or cannot be done any more."""
        if not self._client.takes_input or self._interrupted_turn == self._dialogue.turns:
            return False
        self._note_interruption(why)
        self.request("interrupt")
        return True

    def stop(self, why: str = "") -> None:
        """Ends the client at once."""
        if why and not self.is_stopping:
            self._why_stopped = why
            self._recorder.note(type="stopped", why=why)
        self.is_stopping = True
        self._client.stop()

    def _execute(self, connection: Connection, command: messages.AnyCommand) -> None:
        match command:
            case messages.Attach():
                connection.streams = [each for each in command.streams if each in STREAMS]
                connection.places.update(command.places)
                connection.is_needed = command.is_needed and not connection.is_supervised
                connection.is_asking = connection.is_attached = True
            case messages.Ask():
                connection.is_asking = True
            case messages.Send():
                self._send(command)
            case messages.Interrupt():
                if command.why and self._interrupted_turn == self._dialogue.turns:
                    connection.send(messages.Answer(id=command.id))
                    return
                self._note_interruption(command.why)
                self._ask_client(connection, command, "interrupt")
            case messages.SetModel():
                self._ask_client(connection, command, "set_model", model=launch.model(command.model))
            case messages.SetMode():
                wanted = launch.mode(command.mode)
                if wanted in launch.UNASKED_MODES:
                    raise ChorusError(f"{wanted}: a run can be started in this mode, but not switched to it")
                self._set_mode(connection, command, wanted)
            case messages.Finish():
                self.is_finishing = True
            case messages.Stop():
                self.stop(command.why)
            case _:
                assert_never(command)

    def _note_interruption(self, why: str) -> None:
        if why:
            self._interrupted_turn = self._dialogue.turns
            self._why_interrupted = why
            self._recorder.note(type="interrupted", why=why)

    def _set_mode(self, connection: Connection, command: messages.SetMode, wanted: str) -> None:
        """Changes the mode at once, or asks an approver first if the client would do more without asking."""
        if self.widening is None or not self.widening.needs_approver(self._dialogue.mode, wanted):
            self._ask_client(connection, command, "set_permission_mode", mode=wanted)
            return
        if not self._client.takes_input:
            raise ChorusError(_ENDING)

        def apply(name: str) -> None:
            self._dialogue.mode_allowed(wanted)
            self._wider_modes[self.request("set_permission_mode", mode=wanted)] = name

        request = self.widening.ask(self._dialogue.mode, wanted, apply)
        connection.send(messages.Answer(id=command.id, body={"request": request}))

    def _ask_client(self, connection: Connection, command: messages.AnyCommand, subtype: str, **fields: Any) -> None:
        if not self._client.takes_input:
            raise ChorusError(_ENDING)
        self._replies[self.request(subtype, **fields)] = (connection, command.id)

    def _send(self, command: messages.Send) -> None:
        if not self._client.takes_input or self.is_finishing:
            raise ChorusError(_ENDING)
        if not command.text.strip() and not command.images:
            raise ChorusError("there is nothing to send")
        name = str(uuid.uuid4())
        self.has_sent = True
        self.first_words = self.first_words or command.text
        self._dialogue.message_sent(name, command.text)
        self.send_to_client(outgoing.user(command.text, uuid=name, images=command.images, is_later=command.is_later))


def _mode_in(body: str) -> str:
    try:
        mode = msgspec.json.decode(body)["mode"]
    except (msgspec.DecodeError, KeyError, TypeError, IndexError):
        return ""
    return mode if isinstance(mode, str) else ""
