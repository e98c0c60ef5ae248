"""What happens to a request, as lines of the ledger's file. Pure data."""

import msgspec
from msgspec import Struct

from chorus.steer.approvals.model import Answered, Asker, Decision, Request

_REFUSALS = (msgspec.DecodeError, UnicodeError, RecursionError)


class _Event(Struct, frozen=True, kw_only=True, rename="camel", tag_field="type"):
    at: str
    """By the clock of the process that wrote it."""


class Asked(_Event, frozen=True, kw_only=True, tag="asked"):
    request: Request
    digest: str


class Decided(_Event, frozen=True, kw_only=True, tag="decided"):
    """A person answered. It is sent to the client; `effected` or `answered` tells what came of it."""

    id: str
    digest: str
    decision: Decision
    is_awaited: bool = False
    """Whether who asked says later what came of it; an older Chorus did not."""


class Effected(_Event, frozen=True, kw_only=True, tag="effected"):
    """The client acted on the decision."""

    id: str


class AnsweredElsewhere(_Event, frozen=True, kw_only=True, tag="answered"):
    """The client acted on the answer of somebody else; a decision that was sent came too late."""

    id: str
    answer: Answered


class Withdrawn(_Event, frozen=True, kw_only=True, tag="withdrawn"):
    """Whoever asked no longer wants an answer."""

    id: str
    why: str


class Expired(_Event, frozen=True, kw_only=True, tag="expired"):
    id: str


class Invalidated(_Event, frozen=True, kw_only=True, tag="invalidated"):
    """The question cannot be answered any more: nobody waits for it."""

    id: str
    why: str


class Confirmed(_Event, frozen=True, kw_only=True, tag="confirmed"):
    """Asked again, by the same or another process."""

    id: str
    asker: Asker


Late = Effected | AnsweredElsewhere
"""What may still be said about a request that is settled."""
Event = Asked | Decided | Withdrawn | Expired | Invalidated | Confirmed | Late


def encode(event: Event) -> bytes:
    return msgspec.json.encode(event)


def decode(body: bytes) -> Event | None:
    """None for what is no event: written by hand, or by another version."""
    try:
        return _decoder.decode(body)
    except _REFUSALS:
        return None


def id_of(event: Event) -> str:
    return event.request.id if isinstance(event, Asked) else event.id


_decoder = msgspec.json.Decoder(Event)
