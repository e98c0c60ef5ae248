"""Session files read at a glance: only lines that can tell of tokens or money are decoded, and of those only that.

It holds for plain streams: one record a line, each with its session's id, as clients write session files. Whatever is
not as plain as that raises `NotPlain`, and the stream is to be folded instead; so what is told here is what the fold
tells. An unescaped `"type":"assistant"` can only be a part of the record itself, never of a text inside it.
"""

import io
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import BinaryIO

import msgspec
from msgspec import Raw, Struct

from chorus.errors import SourceUnreadable

MOST_BYTES = 128 << 20
"""A longer line is none to the reader: `records.split.MAX_RECORD_BYTES`, too slow to load for one number."""
_BUFFER_BYTES = 256 << 10
_CHAIN = (b'{"parentUuid":"', b'{"parentUuid":null')
"""How lines of the chain begin where no blanks are written; all that counts in them is of the type below."""
_ASSISTANT = b'"type":"assistant"'
_PROGRESS, _DATA, _AGENT = b'"type":"progress"', b'"data":{"type":"', b'"data":{"type":"agent_progress"'
"""Progress of a sub-agent holds its messages; other progress, of which there is much, holds none."""
_TYPE, _HEAD_BYTES = b'"type":"', 600
_TYPED = b'{"type":"'
_MONEY = frozenset({b"assistant", b"progress", b"cost-state", b"result", b"stream_event", b"transcript_mirror"})
"""Types that the fold counts."""
_FOLDED = frozenset({"result", "stream_event", "transcript_mirror"})
"""Of these, the ones that mean nothing without what came before."""


class NotPlain(Exception):  # noqa: N818 - no error: it never leaves this package
    """The stream is to be folded."""


class Lifetimes(Struct, gc=False):
    ephemeral_5m_input_tokens: int | None = None
    ephemeral_1h_input_tokens: int | None = None


class ServerTools(Struct, gc=False):
    web_search_requests: int | None = None
    web_fetch_requests: int | None = None


class Used(Struct, gc=False):
    """The usage of an API message."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation: Lifetimes | None = None
    server_tool_use: ServerTools | None = None
    service_tier: str | None = None


class Message(Struct, gc=False):
    id: str | None = None
    model: str | None = None
    stop_reason: str | None = None
    usage: Used | None = None


class Line(Struct, gc=False):
    """What a line says about money, and whose it is."""

    type: str | None = None
    uuid: str | None = None
    timestamp: str | None = None
    sessionId: str | None = None  # noqa: N815 - as on the wire, here and below
    session_id: str | None = None
    agentId: str | None = None  # noqa: N815
    agent_id: str | None = None
    parent_tool_use_id: str | None = None
    isSidechain: bool | None = None  # noqa: N815
    cwd: str | None = None
    message: Message | None = None
    model: str | None = None
    costUSD: float | None = None  # noqa: N815
    totalCostUSD: float | None = None  # noqa: N815
    data: Raw = Raw()

    @property
    def thread(self) -> str:
        """The agent that spoke, as the fold names it; all sidechains of the oldest clients have one name here."""
        if agent := self.agentId or self.agent_id:
            return agent
        if self.parent_tool_use_id:
            return "call:" + self.parent_tool_use_id
        return "side:" if self.isSidechain else ""

    @property
    def time(self) -> str | None:
        time = self.timestamp
        if time is not None and len(time) == 24 and time[23] == "Z" and time[10] == "T":
            return time
        from chorus.conversation.line import canonical_time

        return canonical_time(time)


class Embedded(Struct, gc=False):
    """A sub-agent's line inside a progress record."""

    type: str | None = None
    uuid: str | None = None
    timestamp: str | None = None
    message: Message | None = None


class Progress(Struct, gc=False):
    type: str | None = None
    agentId: str | None = None  # noqa: N815
    message: Embedded | str | None = None


_line = msgspec.json.Decoder(Line)
_progress = msgspec.json.Decoder(Progress)
_REFUSALS = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


@contextmanager
def opened(name: str) -> Iterator[BinaryIO]:
    """A file on disk, to be read line by line; `NotPlain` for what is none, `SourceUnreadable` when reading fails."""
    try:
        if not stat.S_ISREG(os.stat(name).st_mode):  # noqa: PTH116 - called for every file there is
            raise NotPlain
        with io.BufferedReader(io.FileIO(name), _BUFFER_BYTES) as file:
            yield file
    except OSError as error:
        raise SourceUnreadable(f"{name}: {error.strerror or error}") from error


def raw_lines(file: BinaryIO) -> Iterable[bytes]:
    """The lines of a file; what is longer than any record comes in parts."""
    if os.fstat(file.fileno()).st_size <= MOST_BYTES:
        return file
    return iter(partial(file.readline, MOST_BYTES), b"")


def lines(file: BinaryIO) -> Iterator[Line]:
    """The lines of a stream that tell of tokens or money: `assistant` and `cost-state`.

    A sub-agent's line inside a progress record comes as that line. `NotPlain` as soon as that is found out.
    """
    for raw in raw_lines(file):
        if raw.startswith(_CHAIN):
            at = raw.find(_TYPE, 0, _HEAD_BYTES)
            if at < 0 or raw.find(b"{", 1, at) >= 0:
                is_money = _ASSISTANT in raw
            elif raw.startswith(_PROGRESS, at):
                at = raw.find(_DATA, at, _HEAD_BYTES)
                is_money = (at < 0 or raw.startswith(_AGENT, at)) and _ASSISTANT in raw
            else:
                # Most lines state their type before their content, which then need not be looked through.
                is_money = raw.startswith(_ASSISTANT, at)
        elif raw.startswith(_TYPED):
            is_money = raw[9 : raw.find(b'"', 9)] in _MONEY
        else:
            is_money = not raw.isspace()
        if is_money:
            if (found := _decoded(raw)) is not None:
                yield found
        elif raw[-2:] != b"}\n" and not raw.isspace() and not raw.endswith((b"}", b"}\r\n")):
            # Not the end of a record: it is the beginning of something longer.
            raise NotPlain


def session_of(line: Line, file_id: str | None) -> str:
    """The conversation that a line belongs to, as the router has it."""
    found = line.sessionId or line.session_id or file_id
    if not found:
        raise NotPlain
    return found


def _decoded(raw: bytes) -> Line | None:
    try:
        if not raw.isascii():
            raw.decode()
        line = _line.decode(raw)
        if line.type == "progress":
            return _embedded(line, _progress.decode(line.data) if line.data else Progress())
    except _REFUSALS:
        raise NotPlain from None
    if line.type == "assistant":
        if not line.uuid:
            # Flat events, and lines that only their place in the stream can name.
            raise NotPlain
        return line
    if line.type in _FOLDED:
        raise NotPlain
    return line if line.type == "cost-state" else None


def _embedded(line: Line, data: Progress) -> Line | None:
    inner = data.message
    if data.type != "agent_progress" or not data.agentId or not isinstance(inner, Embedded):
        return None
    if inner.type != "assistant":
        return None
    return Line(
        type="assistant",
        uuid=inner.uuid,
        timestamp=inner.timestamp,
        sessionId=line.sessionId,
        session_id=line.session_id,
        agentId=data.agentId,
        message=inner.message,
    )
