"""What is said over a run's socket: one JSON object a line, in both directions.

Whoever attaches reads the run's streams from the vault's places on that it names, then goes on live: no gap, no repeat.
Answers to what the client asks are not among the commands; they come from the ledger alone.
"""

import base64
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct, field

from chorus.core.protocol.outgoing import Image
from chorus.keep.vault.line import StoredLine
from chorus.steer.runs.run_folders import Ending

LONGEST_LINE = 64 << 20
"""Bytes of a command: pictures are long."""


class Command(Struct, kw_only=True, tag_field="do", rename="camel"):
    """Something asked of the holder; `id` is given back with the answer."""

    id: int = 0


class Attach(Command, tag="attach"):
    """Tell all that is kept of these streams from these places on, all that comes, and every change of the status."""

    streams: list[str] = field(default_factory=lambda: ["out"])
    places: dict[str, Annotated[int, Meta(ge=0, le=1 << 62)]] = field(default_factory=dict)
    """Stream (`SESSION/STREAM`) → where in the vault to go on."""
    is_needed: bool = False
    """Whether the run is only for who attaches: it is stopped when they are gone."""


class Send(Command, tag="send"):
    text: str
    images: list[Image] = field(default_factory=list)
    is_later: bool = False


class Interrupt(Command, tag="interrupt"):
    """End the turn."""


class Finish(Command, tag="finish"):
    """No more messages will come: end when the work is done."""


class Stop(Command, tag="stop"):
    """End the client, now."""


class SetModel(Command, tag="model"):
    model: str


class SetMode(Command, tag="mode"):
    mode: str


class Ask(Command, tag="status"):
    """Say how it stands."""


AnyCommand = Attach | Send | Interrupt | Finish | Stop | SetModel | SetMode | Ask


class Question(Struct, frozen=True, kw_only=True, rename="camel"):
    """A permission that is waited for."""

    id: str
    """In the ledger; empty while it is not there."""
    tool: str
    description: str = ""
    agent: str | None = None


class Status(Struct, frozen=True, kw_only=True, tag="status", rename="camel"):
    """How the run stands."""

    run: str
    session: str
    state: str
    """`starting`, `running`, `waiting` (for a person), `idle`, `ending`."""
    questions: list[Question] = field(default_factory=list)
    queued: list[str] = field(default_factory=list)
    """What was sent and not begun with."""
    model: str = ""
    mode: str = ""
    refused: int = 0
    """Lines of the client that claimed to ask something and were not believed."""
    trouble: str = ""
    """Why something cannot be kept at present."""
    advice: str = ""
    """What to do about the last turn, if it failed for a reason that the next one will have, too."""


class Line(Struct, frozen=True, kw_only=True, tag="line", rename="camel"):
    """A line of a stream, as it was kept."""

    stream: str
    session: str
    offset: int
    """Of its first byte in the stream."""
    place: int
    """Where the vault goes on after it: what to attach from."""
    text: str
    """With its end."""
    is_base64: bool = False
    """Whether `text` is base 64: the bytes are no UTF-8."""
    seen_at: str | None = None
    """When it came, for a line that does not say so itself."""

    @classmethod
    def of(cls, stored: StoredLine, stream: str, session: str) -> "Line":
        data = stored.bytes
        try:
            text, is_base64 = data.decode(), False
        except UnicodeDecodeError:
            text, is_base64 = base64.b64encode(data).decode(), True
        return cls(
            stream=stream,
            session=session,
            offset=stored.head.offset,
            place=stored.next_at,
            text=text,
            is_base64=is_base64,
            seen_at=stored.head.timestamp if stored.head.seen else None,
        )

    @property
    def data(self) -> bytes:
        """The bytes, as they came."""
        return base64.b64decode(self.text) if self.is_base64 else self.text.encode()


class Answer(Struct, frozen=True, kw_only=True, tag="answer", rename="camel"):
    """What became of a command."""

    id: int
    error: str = ""
    """Why it was not done; empty when it was."""
    body: Any = None


class Ended(Struct, frozen=True, kw_only=True, tag="ended", rename="camel"):
    """The run is over; nothing comes after this."""

    ending: Ending


Event = Status | Line | Answer | Ended
_commands = msgspec.json.Decoder(AnyCommand)
_events = msgspec.json.Decoder(Event)


def encode(word: AnyCommand | Event) -> bytes:
    """One line."""
    return msgspec.json.encode(word) + b"\n"


def command(line: bytes) -> AnyCommand | str:
    """The command on a line, or why it is none."""
    try:
        return _commands.decode(line)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        return f"not a command: {error}"


def event(line: bytes) -> Event | None:
    """The event on a line; None for one that this version does not know."""
    try:
        return _events.decode(line)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
