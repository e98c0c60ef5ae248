"""The events of a request, as lines of the permission ledger's file. Pure data."""

import msgspec
from msgspec import Struct

from chorus.steer.approvals.model import Answered, Asker, Decision, Request

_REFUSALS = (msgspec.DecodeError, UnicodeError, RecursionError)


class _Event(Struct, frozen=True, kw_only=True, rename="camel", tag_field="type"):
    at: str
    """Time by the clock of the process that wrote the event."""


class Asked(_Event, frozen=True, kw_only=True, tag="asked"):
    request: Request
    digest: str


class Decided(_Event, frozen=True, kw_only=True, tag="decided"):
    """A person decided. The decision is sent to the client; `effected` or `answered` records the outcome."""

    id: str
    digest: str
    decision: Decision
    is_awaited: bool = False
    """Whether the asker will record the outcome later; older versions of Chorus did not."""


class Effected(_Event, frozen=True, kw_only=True, tag="effected"):
    """The client acted on the decision."""

    id: str


class Failed(_Event, frozen=True, kw_only=True, tag="failed"):
    """The decision could not be given to the client, or the client did not act on it."""

    id: str
    why: str


class AnsweredElsewhere(_Event, frozen=True, kw_only=True, tag="answered"):
    """The client acted on an answer from elsewhere; a decision that was sent came too late."""

    id: str
    answer: Answered


class Withdrawn(_Event, frozen=True, kw_only=True, tag="withdrawn"):
    """The asker no longer needs an answer."""

    id: str
    why: str


class Expired(_Event, frozen=True, kw_only=True, tag="expired"):
    id: str


class Invalidated(_Event, frozen=True, kw_only=True, tag="invalidated"):
    """The request cannot be answered any more: no process waits for it."""

    id: str
    why: str


class Confirmed(_Event, frozen=True, kw_only=True, tag="confirmed"):
    """The request was asked again, by the same or another process."""

    id: str
    asker: Asker


OutcomeEvent = Effected | Failed | AnsweredElsewhere
"""The events that may follow after a request is settled: they record what the client really did."""
Event = Asked | Decided | Withdrawn | Expired | Invalidated | Confirmed | OutcomeEvent


def encode(event: Event) -> bytes:
    return msgspec.json.encode(event)


def decode(body: bytes) -> Event | None:
    """Returns the event; None for a body that is no event: written by hand or by another version."""
    try:
        return _decoder.decode(body)
    except _REFUSALS:
        return None


def id_of(event: Event) -> str:
    return event.request.id if isinstance(event, Asked) else event.id


_decoder = msgspec.json.Decoder(Event)
