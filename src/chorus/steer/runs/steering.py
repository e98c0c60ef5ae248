"""What those who are attached ask of a run: looked at, done, and answered."""

import uuid
from typing import Any, assert_never

import msgspec

from chorus.core.protocol import launch, outgoing
from chorus.core.protocol.dialogue import Dialogue, ResponseReceived
from chorus.errors import ChorusError
from chorus.steer.runs import messages
from chorus.steer.runs.client import ClientProcess
from chorus.steer.runs.pipe_recorder import Keeper
from chorus.steer.runs.run_folders import STREAMS
from chorus.steer.runs.run_socket import Visitor
from chorus.steer.runs.widening import Widening

_ANSWERED_LATER = (messages.Interrupt, messages.SetModel, messages.SetMode)
_ENDING = "the run is ending; `chorus resume` goes on with the session"


class Steering:
    """Turns commands into lines for the client, and its replies into answers."""

    def __init__(self, client: ClientProcess, dialogue: Dialogue, keeper: Keeper) -> None:
        self.widening: Widening | None = None
        """Who is asked for a wider mode; without it none is given."""
        self._client = client
        self._dialogue = dialogue
        self._keeper = keeper
        self._replies: dict[str, tuple[Visitor, int]] = {}
        self.first_words = ""
        """What the run began with."""
        self.has_sent = False
        self.is_stopping = False
        self.is_finishing = False
        """Whether no more messages are taken, and the run ends when its work is done."""

    def obey(self, visitor: Visitor, line: bytes) -> None:
        """Do what a line asks for, if its sender may ask for it, and say what became of it."""
        command = messages.command(line)
        if isinstance(command, str):
            visitor.tell(messages.Answer(id=0, error=command))
            return
        if visitor.is_supervised and not isinstance(command, messages.Attach | messages.Ask):
            self._keeper.note(type="refused", command=type(command).__name__)
            visitor.tell(messages.Answer(id=command.id, error="an agent may not steer runs"))
            return
        try:
            self._do(visitor, command)
        except ChorusError as error:
            visitor.tell(messages.Answer(id=command.id, error=str(error)))
            return
        if not isinstance(command, _ANSWERED_LATER):
            visitor.tell(messages.Answer(id=command.id))

    def say(self, line: bytes) -> None:
        """Send a line to the client, kept first."""
        if self._client.takes_input:
            self._keeper.keep("in", line)
            self._client.write(line)

    def request(self, subtype: str, **fields: Any) -> str:
        """Ask something of the client; gives the id of the request."""
        name = f"chorus-{uuid.uuid4().hex[:12]}"
        self._dialogue.request_sent(name, subtype)
        self.say(outgoing.request(name, subtype, **fields))
        return name

    def reply(self, done: ResponseReceived) -> None:
        """The client did what it was asked, or would not: whoever wanted it is told."""
        if done.subtype == "set_permission_mode" and done.error is None:
            self._dialogue.mode = _mode_in(done.body) or self._dialogue.mode
        visitor, number = self._replies.pop(done.request, (None, 0))
        if visitor is not None:
            visitor.tell(messages.Answer(id=number, error=done.error or ""))

    def stop(self) -> None:
        """End the client, now."""
        self.is_stopping = True
        self._client.stop()

    def _do(self, visitor: Visitor, command: messages.AnyCommand) -> None:
        match command:
            case messages.Attach():
                visitor.streams = [each for each in command.streams if each in STREAMS]
                visitor.places.update(command.places)
                visitor.is_needed = command.is_needed and not visitor.is_supervised
                visitor.is_asking = visitor.is_attached = True
            case messages.Ask():
                visitor.is_asking = True
            case messages.Send():
                self._send(command)
            case messages.Interrupt():
                self._ask_client(visitor, command, "interrupt")
            case messages.SetModel():
                self._ask_client(visitor, command, "set_model", model=launch.model(command.model))
            case messages.SetMode():
                wanted = launch.mode(command.mode)
                if wanted in launch.UNASKED_MODES:
                    raise ChorusError(f"{wanted}: a run can be started in this mode, not brought to it")
                self._set_mode(visitor, command, wanted)
            case messages.Finish():
                self.is_finishing = True
            case messages.Stop():
                self.stop()
            case _:
                assert_never(command)

    def _set_mode(self, visitor: Visitor, command: messages.SetMode, wanted: str) -> None:
        """Change the mode at once, or ask an approver first where more would be done unasked."""
        if self.widening is None or not self.widening.needs_approver(self._dialogue.mode, wanted):
            self._ask_client(visitor, command, "set_permission_mode", mode=wanted)
            return
        if not self._client.takes_input:
            raise ChorusError(_ENDING)

        def apply() -> None:
            self._dialogue.mode_allowed(wanted)
            self.request("set_permission_mode", mode=wanted)

        request = self.widening.ask(self._dialogue.mode, wanted, apply)
        visitor.tell(messages.Answer(id=command.id, body={"request": request}))

    def _ask_client(self, visitor: Visitor, command: messages.AnyCommand, subtype: str, **fields: Any) -> None:
        if not self._client.takes_input:
            raise ChorusError(_ENDING)
        self._replies[self.request(subtype, **fields)] = (visitor, command.id)

    def _send(self, command: messages.Send) -> None:
        if not self._client.takes_input or self.is_finishing:
            raise ChorusError(_ENDING)
        if not command.text.strip() and not command.images:
            raise ChorusError("there is nothing to send")
        name = str(uuid.uuid4())
        self.has_sent = True
        self.first_words = self.first_words or command.text
        self._dialogue.message_sent(name, command.text)
        self.say(outgoing.user(command.text, uuid=name, images=command.images, is_later=command.is_later))


def _mode_in(body: str) -> str:
    try:
        mode = msgspec.json.decode(body)["mode"]
    except (msgspec.DecodeError, KeyError, TypeError, IndexError):
        return ""
    return mode if isinstance(mode, str) else ""
