"""The messages on a run's socket: one JSON object per line, in both directions.

A program that attaches reads the streams of the run from the vault, starting at the places that it names, and then
live: without a gap or a repetition. No command answers a request of the client; decisions come only from the permission
ledger.
"""

import base64
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct, field

from chorus.core.protocol.outgoing import Image
from chorus.keep.vault.line import StoredLine
from chorus.steer.runs.run_folders import Ending

LONGEST_LINE = 64 << 20
"""The most bytes of a command, which may contain pictures."""


Why = Annotated[str, Meta(max_length=500)]
"""Why Chorus does this by itself; empty if a person does it."""


class Command(Struct, kw_only=True, tag_field="do", rename="camel"):
    """A command to the holder; the answer repeats `id`."""

    id: int = 0


class Attach(Command, tag="attach"):
    """Sends everything in these streams from these places on, all that follows, and every change of the status."""

    streams: list[str] = field(default_factory=lambda: ["out"])
    places: dict[str, Annotated[int, Meta(ge=0, le=1 << 62)]] = field(default_factory=dict)
    """Stream (`SESSION/STREAM`) → the place in the vault to continue from."""
    is_needed: bool = False
    """Whether the run depends on this connection: it is stopped when the connection closes."""


class Send(Command, tag="send"):
    text: str
    images: list[Image] = field(default_factory=list)
    is_later: bool = False


class Interrupt(Command, tag="interrupt"):
    """Ends the turn."""

    why: Why = ""


class Finish(Command, tag="finish"):
    """Ends the run when its work is done; no more messages will come."""


class Stop(Command, tag="stop"):
    """Ends the client at once."""

    why: Why = ""


class SetModel(Command, tag="model"):
    model: str


class SetMode(Command, tag="mode"):
    mode: str


class Ask(Command, tag="status"):
    """Asks for the status."""


AnyCommand = Attach | Send | Interrupt | Finish | Stop | SetModel | SetMode | Ask


class OpenRequest(Struct, frozen=True, kw_only=True, rename="camel"):
    """A permission request of the run that waits for a decision."""

    id: str
    """Its id in the ledger; empty while it is not there."""
    tool: str
    description: str = ""
    agent: str | None = None


class Status(Struct, frozen=True, kw_only=True, tag="status", rename="camel"):
    """The status of the run."""

    run: str
    session: str
    state: str
    """`starting`, `running`, `waiting` (for a person), `idle`, `ending`."""
    questions: list[OpenRequest] = field(default_factory=list)
    queued: list[str] = field(default_factory=list)
    """Messages that were sent and not started yet."""
    model: str = ""
    mode: str = ""
    refused: int = 0
    """The number of lines of the client that looked like requests and were rejected."""
    trouble: str = ""
    """Why something cannot be recorded at the moment."""
    limit: str = ""
    """The limit of a budget that is nearly or completely used, and how much of it; empty if there is none."""
    advice: str = ""
    """What to do about the last turn, if it failed for a reason that will also affect the next one."""


class Line(Struct, frozen=True, kw_only=True, tag="line", rename="camel"):
    """A line of a stream, as it was recorded."""

    stream: str
    session: str
    offset: int
    """The offset of its first byte in the stream."""
    place: int
    """The place after it in the vault, to attach from."""
    text: str
    """The line with its line ending."""
    is_base64: bool = False
    """Whether `text` is base 64, because the bytes are not UTF-8."""
    seen_at: str | None = None
    """When it arrived, for a line without a time of its own."""

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
        """The exact bytes of the line."""
        return base64.b64decode(self.text) if self.is_base64 else self.text.encode()


class Answer(Struct, frozen=True, kw_only=True, tag="answer", rename="camel"):
    """The answer to a command."""

    id: int
    error: str = ""
    """Why the command failed; empty if it succeeded."""
    body: Any = None


class Ended(Struct, frozen=True, kw_only=True, tag="ended", rename="camel"):
    """The run has ended; no event follows."""

    ending: Ending


Event = Status | Line | Answer | Ended
_commands = msgspec.json.Decoder(AnyCommand)
_events = msgspec.json.Decoder(Event)


def encode(word: AnyCommand | Event) -> bytes:
    """Returns one line."""
    return msgspec.json.encode(word) + b"\n"


def command(line: bytes) -> AnyCommand | str:
    """Returns the command on a line, or why it is not one."""
    try:
        return _commands.decode(line)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        return f"not a command: {error}"


def event(line: bytes) -> Event | None:
    """Returns the event on a line; None if this version does not know it."""
    try:
        return _events.decode(line)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
