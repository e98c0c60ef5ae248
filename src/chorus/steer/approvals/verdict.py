"""The verdict: the only reading of a row that an asker acts on. Pure.

The asker knows what it asked, but any process may have written the file. So only the decision is taken from the file,
and it counts only for exactly this request and with the signature of an approver that the asker trusted beforehand.
"""

from msgspec import Struct

from chorus.steer.approvals.lifecycle import Refused
from chorus.steer.approvals.model import Behaviour, Request, Row, State, digest_of, unfit_decision
from chorus.steer.approvals.trust import Trust


class Verdict(Struct, frozen=True, kw_only=True):
    """The answer for the client. Use it once."""

    behaviour: Behaviour
    message: str = ""
    input: str | None = None
    """The JSON text to run; None for the input of the request."""
    suggestions: tuple[str, ...] = ()
    """The JSON texts of the accepted suggestions."""
    approver: str | None = None
    """The approver whose signature was verified; None for an unsigned denial, and for a decision of rules."""


def verdict(request: Request, row: Row, trust: Trust) -> Verdict | Refused | None:
    """Returns the verdict about the request that the caller itself made; None while it is pending.

    `Refused` means that nothing may be allowed: the request ended without an answer, or the recorded answer is not
    valid.
    """
    if row.is_pending:
        return None
    digest = digest_of(request)
    decision = row.decision
    if decision is None or row.state not in (State.APPROVED, State.DENIED):
        return Refused("gone", row.note or f"it is {row.state}", row)
    if row.id != request.id or row.digest != digest:
        return Refused("changed", "the ledger's file contains another request under this id", row)
    if (row.state is State.APPROVED) != (decision.behaviour == "allow"):
        return Refused("unfit", "state and decision differ", row)
    reason = unfit_decision(request, decision)
    if reason is not None:
        return Refused("unfit", reason, row)
    if decision.rules:
        reason = trust.rules.objection(request, decision) if trust.rules is not None else "rules do not decide here"
    else:
        reason = trust.objection(request.id, digest, decision)
    if reason is not None:
        return Refused("not_allowed", reason, row)
    return Verdict(
        behaviour=decision.behaviour,
        message=decision.message,
        input=decision.input,
        suggestions=tuple(request.suggestions[each] for each in decision.suggestions),
        approver=decision.approver,
    )
