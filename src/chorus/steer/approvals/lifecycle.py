"""The lifecycle of a request: PENDING, then one ending, then its outcome. Pure; the time is passed in.

Every function returns the new row, or a `Refused` with the reason. An ending is final except for the outcome, which is
what the client really did: a decision that was sent took effect or came too late; a request that ended without a
decision may have been answered elsewhere. The outcome is recorded once and never changes again.
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
"""The HTTP status that a server answers with."""
_GONE = {
    State.EXPIRED: "it expired",
    State.WITHDRAWN: "it was withdrawn",
    State.INVALID: "no process waits for the answer any more",
}


class Refused(Struct, frozen=True):
    """Why nothing was changed, in words for the person who tried; `row` is the current row of the request."""

    kind: Kind
    message: str
    row: Row | None = None

    @property
    def status(self) -> int:
        return STATUS[self.kind]


def asked(request: Request) -> Row:
    """Returns a new row; INVALID from the start if the request can neither be stored nor shown."""
    row = Row(request=request, digest=digest_of(request))
    reason = unfit_request(request)
    return row if reason is None else _settled(row, State.INVALID, request.created_at, note=reason)


class Ending(Struct, frozen=True):
    """How a request ended, as far as it decides which outcome may still be recorded."""

    state: State
    effect: Effect | None = None
    answered: Answered | None = None


def decided(
    row: Row, *, digest: str, decision: Decision, at: str, objection: str | None, is_awaited: bool = False
) -> Row | Refused:
    """Returns the row with the decision if it is pending, in time, and about what the person saw.

    `objection` is the reason why this person may not decide; None if they may. `is_awaited` is whether the asker will
    record the outcome.
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
    """Returns the row with `asker` as the process that now waits."""
    return _refusal(row) or structs.replace(row, request=structs.replace(row.request, asker=asker))


def ending_after(ending: Ending, event: events.OutcomeEvent) -> Ending | None:
    """Returns the ending after an outcome event; None if the outcome is already known or not possible."""
    if isinstance(event, events.Effected | events.Failed):
        is_sent = ending.effect == "sent" and ending.state in (State.APPROVED, State.DENIED)
        effect: Effect = "took_effect" if isinstance(event, events.Effected) else "failed"
        return Ending(ending.state, effect) if is_sent else None
    has_failed = ending.effect == "failed" and ending.answered is None
    is_settled = not has_failed and not is_open(ending.state, ending.effect, ending.answered)
    if ending.state is not State.PENDING and is_settled:
        return None
    if ending.answered is not None and event.answer.behaviour is None:
        return None
    return Ending(State.ANSWERED, ending.effect, event.answer)


def with_outcome(row: Row, event: events.OutcomeEvent) -> Row | Refused:
    """Returns the row with its outcome."""
    ending = ending_after(Ending(row.state, row.effect, row.answered), event)
    if ending is None:
        return _refusal(row) or Refused("settled", "no decision about it was sent", row)
    known = row if row.settled_at is not None else _settled(row, row.state, event.at)
    updated = structs.replace(known, state=ending.state, effect=ending.effect, answered=ending.answered)
    if isinstance(event, events.Failed):
        return structs.replace(updated, note=event.why[:LONGEST_TEXT])
    if ending.answered is None:
        return updated
    late = ""
    if row.decision is not None:
        what = "approval" if row.decision.behaviour == "allow" else "denial"
        late = f"; the {what} from the {row.decision.surface} came too late"
    alarm = f"{row.note}; " if row.note is not None and row.note.startswith(TAMPERING) else ""
    return structs.replace(updated, note=f"{alarm}{ending.answered.words}{late}"[:LONGEST_TEXT])


def apply(row: Row | None, event: Event) -> Row | Refused:
    """Returns the row after an event of the file. Signatures are not checked here."""
    if isinstance(event, events.Asked):
        if row is not None:
            return Refused("settled", "its id is used already", row)
        new = asked(event.request)
        if not new.is_pending:
            return Refused("unfit", f"it can neither be stored nor shown: {new.note}")
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
        case events.Effected() | events.Failed() | events.AnsweredElsewhere():
            return with_outcome(row, event)
        case _:
            assert_never(event)


def is_due(row: Row, at: str) -> bool:
    """Returns whether its deadline has passed."""
    return left_s(row, at) <= 0


def left_s(row: Row, at: str) -> float:
    """Returns the seconds until its deadline: 0 if the deadline cannot be read, infinity if there is none."""
    if row.request.deadline_at is None:
        return float("inf")
    deadline, now = _moment(row.request.deadline_at), _moment(at)
    return (deadline - now).total_seconds() if deadline and now else 0.0


def _refusal(row: Row) -> Refused | None:
    """Returns why a row accepts no further event; None if it is pending."""
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
    """Returns the milliseconds between two times; None if the clock ran backwards or a time cannot be read."""
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
