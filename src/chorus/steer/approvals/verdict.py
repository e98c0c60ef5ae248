"""What an asker may act on: the only reading of a row that has consequences. Pure.

The asker knows what it asked; the file may have been written by anybody. So nothing here is taken from the file but the
decision, and that counts only for this very request and with the signature of somebody the asker trusted beforehand.
"""

from msgspec import Struct

from chorus.steer.approvals.lifecycle import Refused
from chorus.steer.approvals.model import Behaviour, Request, Row, State, digest_of, unfit_decision
from chorus.steer.approvals.trust import Trust


class Verdict(Struct, frozen=True, kw_only=True):
    """What to tell the client. To be used once."""

    behaviour: Behaviour
    message: str = ""
    input: str | None = None
    """The JSON text to run; None for what was asked for."""
    suggestions: tuple[str, ...] = ()
    """The JSON texts of the rules to take along."""
    approver: str | None = None
    """Who is proved to have decided; None for a denial that nobody signed."""


def verdict(request: Request, row: Row, trust: Trust) -> Verdict | Refused | None:
    """What the row decides about the request that the caller itself made; None while nothing is decided.

    `Refused` means that nothing may be allowed: it ended without an answer, or what is written there does not hold.
    """
    if row.is_pending:
        return None
    digest = digest_of(request)
    decision = row.decision
    if decision is None or row.state not in (State.APPROVED, State.DENIED):
        return Refused("gone", row.note or f"it is {row.state}", row)
    if row.id != request.id or row.digest != digest:
        return Refused("changed", "the ledger's file tells of another request", row)
    if (row.state is State.APPROVED) != (decision.behaviour == "allow"):
        return Refused("unfit", "state and decision differ", row)
    reason = unfit_decision(request, decision)
    if reason is not None:
        return Refused("unfit", reason, row)
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
