"""Does what a phone asks for, with the services that the page uses, if the scopes of its login allow it."""

from datetime import UTC, datetime, timedelta
from typing import assert_never

from chorus.show import wire
from chorus.show.server.context import ServerContext
from chorus.show.server.edge.scopes import AccessScope
from chorus.show.server.errors import Refused
from chorus.show.wire.mobile.incoming import (
    Interrupt,
    PermissionResponse,
    ResumeRun,
    Send,
    StartRun,
    Stop,
)
from chorus.steer.runs import messages

_MAX_OFF = timedelta(minutes=10)
"""How much the clock of a device may differ from ours."""
Action = Send | Interrupt | Stop | StartRun | ResumeRun | PermissionResponse
NEEDED: dict[str, AccessScope] = {
    "subscribe": "read",
    "ack": "read",
    "send": "steer",
    "interrupt": "steer",
    "stop": "steer",
    "start": "steer",
    "resume": "steer",
    "permission_response": "approve",
}
"""Type of a message from a phone → the scope that its login must have."""


def require(kind: str, scopes: frozenset[AccessScope]) -> None:
    """Raises `Refused` if a login with these scopes may not say this."""
    if (needed := NEEDED[kind]) not in scopes:
        raise Refused(403, "not_allowed", f"This login may not do that: it lacks the scope `{needed}`.")


async def act(server: ServerContext, said: Action) -> str | None:
    """Does it, and returns the id of the run that it began, if any; raises `Refused` if it is not done."""
    control, in_thread = server.run_control, server.readers.in_thread
    match said:
        case Send():
            await in_thread(lambda: control.send(said.run_id, wire.Message(text=said.content)))
        case Interrupt():
            await in_thread(lambda: control.do(said.run_id, messages.Interrupt()))
        case Stop():
            await in_thread(lambda: control.do(said.run_id, messages.Stop()))
        case StartRun():
            asked = wire.RunAsked(place=said.project_id, message=wire.Message(text=said.content))
            return (await server.readers.run(lambda index: control.start(asked, index))).id
        case ResumeRun():
            again = wire.ResumptionAsked(conversation=said.conversation, message=wire.Message(text=said.content))
            return (await in_thread(lambda: control.resume(again))).id
        case PermissionResponse():
            _check_clock(said, datetime.now(UTC))
            answer = wire.ApprovalAnswer(
                digest=said.digest,
                behavior=said.behavior,
                at=said.at,
                message=said.message,
                input=said.input,
                suggestions=said.suggestions,
                approver=said.approver,
                signature=said.signature,
            )
            await in_thread(lambda: server.approvals.answer(said.request_id, answer))
        case _:
            assert_never(said)
    return None


def _check_clock(said: PermissionResponse, now: datetime) -> None:
    """Raises `Refused` if an approval bears a time that cannot be now: it is signed, and the ledger keeps it.

    To deny is always possible.
    """
    if said.behavior != "allow":
        return
    try:
        off = datetime.fromisoformat(said.at) - now
    except (ValueError, TypeError, OverflowError):
        raise Refused(400, "bad_message", "`at` is a time with its zone, such as 2026-05-20T10:11:12Z.") from None
    if abs(off) > _MAX_OFF:
        minutes = round(abs(off).total_seconds() / 60)
        words = f"The clock of this device is {minutes} minutes {'ahead' if off > timedelta() else 'behind'}; set it."
        raise Refused(400, "clock_off", words)
