"""Reads the tokens, cost and owner of a line, and decodes no more of it than that.

Anything that is not plain raises `NotPlain`, so that this module never reports something else than the fold.
"""

import msgspec
from msgspec import Raw, Struct

from chorus.core.records.times import canonical_time

_FOLDED = frozenset({"result", "stream_event", "transcript_mirror"})
"""Records that have no meaning without the records before them."""


class NotPlain(Exception):  # noqa: N818 - no error: it never leaves this package
    """The stream must be folded."""


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
    speed: str | None = None

    @property
    def tier(self) -> str | None:
        """Like `tier_of` in `core.conversation.api_messages`."""
        return self.speed if self.speed == "fast" else self.service_tier


class Message(Struct, gc=False):
    id: str | None = None
    model: str | None = None
    stop_reason: str | None = None
    usage: Used | None = None


class CountedLine(Struct, gc=False):
    """The tokens, cost and owner of a line."""

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
        """The agent that wrote it, named as in the fold; all sidechains of the oldest clients share one name here."""
        if agent := self.agentId or self.agent_id:
            return agent
        if self.parent_tool_use_id:
            return "call:" + self.parent_tool_use_id
        return "side:" if self.isSidechain else ""

    @property
    def time(self) -> str | None:
        return canonical_time(self.timestamp)


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


_line = msgspec.json.Decoder(CountedLine)
_progress = msgspec.json.Decoder(Progress)
_REFUSALS = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


def decoded(raw: bytes) -> CountedLine | None:
    """Returns an `assistant` or `cost-state` line, or the line in a progress record; None for other records."""
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
            # Flat events, and lines that can be named only by their place in the stream.
            raise NotPlain
        return line
    if line.type in _FOLDED:
        raise NotPlain
    return line if line.type == "cost-state" else None


def _embedded(line: CountedLine, data: Progress) -> CountedLine | None:
    inner = data.message
    if data.type != "agent_progress" or not data.agentId or not isinstance(inner, Embedded):
        return None
    if inner.type != "assistant":
        return None
    if not inner.uuid and not (inner.message and inner.message.id):
        raise NotPlain
    return CountedLine(
        type="assistant",
        uuid=inner.uuid,
        timestamp=inner.timestamp,
        sessionId=line.sessionId,
        session_id=line.session_id,
        agentId=data.agentId,
        message=inner.message,
    )
