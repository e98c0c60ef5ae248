"""A wider permission mode for a run at work: asked of an approver like anything else that would happen unasked.

Whoever can type into the person's terminal can call `chorus set`; that proves nobody's will.
"""

import uuid
from collections.abc import Callable

import msgspec

from chorus.core.protocol import launch
from chorus.core.protocol.frames import PermissionRequest
from chorus.steer.runs.approval_port import Decided
from chorus.steer.runs.questions import Answering

TOOL = "SetPermissionMode"
_LETS = {
    "acceptEdits": "files are written and changed without asking anybody",
    "auto": "the client itself decides what is done without asking anybody",
}


class Widening:
    """Knows which changes of the mode need an approver, and asks for them."""

    def __init__(self, answering: Answering) -> None:
        self._answering = answering

    @staticmethod
    def needs_approver(present: str, wanted: str) -> bool:
        """Whether more would happen unasked than now."""
        return launch.width(wanted) > launch.width(present or "default")

    def ask(self, present: str, wanted: str, apply: Callable[[], None]) -> str:
        """Ask an approver; `apply` is called once one has allowed it. Gives the id of the request in the ledger."""

        def decided(decision: Decided) -> None:
            # An edited input would be another mode than the one that was asked for.
            if decision.behaviour == "allow" and decision.input is None:
                apply()

        given = {"from": present or "default", "mode": wanted}
        asked = PermissionRequest(
            request=f"chorus-{uuid.uuid4().hex[:12]}",
            tool=TOOL,
            input=msgspec.json.encode(given).decode(),
            call="",
            description=f"From now on {_LETS.get(wanted, 'more is done without asking anybody')}.",
        )
        return self._answering.ask_for_us(asked, decided)
