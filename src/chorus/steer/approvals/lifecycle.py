"""The life of a request: PENDING, then one ending, then what really came of it. Pure; time is handed in.

Every function gives the row as it then stands, or a `Refused` that says why not. An ending is final but for one thing:
what the client really did. A decision that was sent took effect or came too late; what ended without one may have been
answered elsewhere. That is written down once, and never changes again.
"""

from datetime import datetime
from typing import Literal, assert_never

from msgspec import Struct, structs

from chorus.steer.approvals import events
from chorus.steer.approvals.events import Event
from chorus.steer.approvals.model import (
    LONGEST_TEXT,
    TAMPERING,
    Answered,
    Asker,
    Decision,
    Effect,
    Request,
    Row,
    State,
    digest_of,
    is_open,
    unfit_decision,
    unfit_request,
)

Kind = Literal["unknown", "settled", "gone", "changed", "not_allowed", "unfit"]
STATUS: dict[Kind, int] = {
    "unknown": 404,
    "settled": 409,
    "changed": 409,
    "gone": 410,
    "not_allowed": 403,
    "unfit": 422,
}
"""What a server answers."""
_GONE = {
    State.EXPIRED: "it expired",
    State.WITHDRAWN: "it was withdrawn",
    State.INVALID: "nobody waits for the answer any more",
}


class Refused(Struct, frozen=True):
    """Why nothing happened, in words for the person who tried; `row` is how the request stands."""

    kind: Kind
    message: str
    row: Row | None = None

    @property
    def status(self) -> int:
        return STATUS[self.kind]


def asked(request: Request) -> Row:
    """A new row; INVALID from the start when the request can neither be kept nor shown."""
    row = Row(request=request, digest=digest_of(request))
    reason = unfit_request(request)
    return row if reason is None else _settled(row, State.INVALID, request.created_at, note=reason)


class Ending(Struct, frozen=True):
    """How a request ended, as far as it matters for what may still be said about it."""

    state: State
    effect: Effect | None = None
    answered: Answered | None = None


def decided(
    row: Row, *, digest: str, decision: Decision, at: str, objection: str | None, is_awaited: bool = False
) -> Row | Refused:
    """The row, answered: if it is pending, in time and what was seen.

    `objection` says why who decided has no right to; None when they have. `is_awaited`: whether who asked will say what
    came of it.
    """
    found = _refusal(row)
    if found is None and is_due(row, at):
        found = Refused("gone", "it expired", row)
    if found is None and digest != row.digest:
        found = Refused("changed", "it is not what you saw: look at it again", row)
    if found is None and (reason := unfit_decision(row.request, decision)) is not None:
        found = Refused("unfit", reason, row)
    if found is None and objection is not None:
        found = Refused("not_allowed", objection, row)
    if found is not None:
        return found
    state = State.APPROVED if decision.behaviour == "allow" else State.DENIED
    return structs.replace(_settled(row, state, at), decision=decision, effect="sent" if is_awaited else None)


def withdrawn(row: Row, *, why: str, at: str) -> Row | Refused:
    return _refusal(row) or _settled(row, State.WITHDRAWN, at, note=why)


def expired(row: Row, *, at: str) -> Row | Refused:
    return _refusal(row) or _settled(row, State.EXPIRED, at)


def invalidated(row: Row, *, why: str, at: str) -> Row | Refused:
    return _refusal(row) or _settled(row, State.INVALID, at, note=why)


def confirmed(row: Row, *, asker: Asker) -> Row | Refused:
    """Asked again: the one who waits now is `asker`."""
    return _refusal(row) or structs.replace(row, request=structs.replace(row.request, asker=asker))


def afterwards(ending: Ending, event: events.Late) -> Ending | None:
    """What is known after the client told what it did; None when that is known already, or cannot be."""
    if isinstance(event, events.Effected):
        is_sent = ending.effect == "sent" and ending.state in (State.APPROVED, State.DENIED)
        return Ending(ending.state, "took_effect") if is_sent else None
    if ending.state is not State.PENDING and not is_open(ending.state, ending.effect, ending.answered):
        return None
    if ending.answered is not None and event.answer.behaviour is None:
        return None
    return Ending(State.ANSWERED, ending.effect, event.answer)


def ended(row: Row, event: events.Late) -> Row | Refused:
    """The row with what really happened."""
    ending = afterwards(Ending(row.state, row.effect, row.answered), event)
    if ending is None:
        return _refusal(row) or Refused("settled", "no decision about it was sent", row)
    known = row if row.settled_at is not None else _settled(row, row.state, event.at)
    told = structs.replace(known, state=ending.state, effect=ending.effect, answered=ending.answered)
    if ending.answered is None:
        return told
    late = ""
    if row.decision is not None:
        what = "approval" if row.decision.behaviour == "allow" else "denial"
        late = f"; the {what} from the {row.decision.surface} came too late"
    alarm = f"{row.note}; " if row.note is not None and row.note.startswith(TAMPERING) else ""
    return structs.replace(told, note=f"{alarm}{ending.answered.words}{late}"[:LONGEST_TEXT])


def after(row: Row | None, event: Event) -> Row | Refused:
    """The row after an event of the file. Whether a decision was signed is not looked at here."""
    if isinstance(event, events.Asked):
        if row is not None:
            return Refused("settled", "its id is used already", row)
        new = asked(event.request)
        if not new.is_pending:
            return Refused("unfit", f"it can neither be kept nor shown: {new.note}")
        return new if new.digest == event.digest else Refused("changed", "its digest is not that of its content")
    if row is None:
        return Refused("unknown", "there is no such request")
    match event:
        case events.Decided():
            return decided(
                row,
                digest=event.digest,
                decision=event.decision,
                at=event.at,
                objection=None,
                is_awaited=event.is_awaited,
            )
        case events.Withdrawn():
            return withdrawn(row, why=event.why, at=event.at)
        case events.Expired():
            return expired(row, at=event.at)
        case events.Invalidated():
            return invalidated(row, why=event.why, at=event.at)
        case events.Confirmed():
            return confirmed(row, asker=event.asker)
        case events.Effected() | events.AnsweredElsewhere():
            return ended(row, event)
        case _:
            assert_never(event)


def is_due(row: Row, at: str) -> bool:
    """Whether its deadline is over."""
    return left_s(row, at) <= 0


def left_s(row: Row, at: str) -> float:
    """How long until its deadline; none is left where one cannot be read, and for ever where there is none."""
    if row.request.deadline_at is None:
        return float("inf")
    deadline, now = _moment(row.request.deadline_at), _moment(at)
    return (deadline - now).total_seconds() if deadline and now else 0.0


def _refusal(row: Row) -> Refused | None:
    """Why a row takes nothing more; None for one that is pending."""
    if row.state is State.PENDING:
        return None
    if row.state is State.ANSWERED:
        return Refused("gone", f"it was {row.note or 'answered elsewhere'}", row)
    if row.state in _GONE:
        reason = f": {row.note}" if row.note else ""
        return Refused("gone", _GONE[row.state] + reason, row)
    where = f" from the {row.decision.surface}" if row.decision else ""
    return Refused("settled", f"it was already {row.state}{where} at {row.settled_at}", row)


def _settled(row: Row, state: State, at: str, *, note: str | None = None) -> Row:
    note = note and note[:LONGEST_TEXT]
    return structs.replace(
        row, state=state, settled_at=at, latency_ms=between_ms(row.request.created_at, at), note=note
    )


def between_ms(start: str, end: str) -> int | None:
    """None where the clock ran backwards, or a time cannot be read."""
    began, ended = _moment(start), _moment(end)
    if began is None or ended is None or ended < began:
        return None
    return round((ended - began).total_seconds() * 1000)


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else None
