"""A wider permission mode for a live run needs an approver, like everything that would happen without asking.

Any program that can type into the person's terminal can call `chorus set`; that does not prove what the person wants.
"""

import uuid
from collections.abc import Callable

import msgspec

from chorus.core.protocol import launch
from chorus.core.protocol.frames import PermissionRequest
from chorus.steer.runs.approval_port import PermissionDecision
from chorus.steer.runs.questions import RequestRelay

TOOL = "SetPermissionMode"
_LETS = {
    "acceptEdits": "files are written and changed without asking anybody",
    "auto": "the client itself decides what is done without asking anybody",
}
_CHANGED = "its input was changed, and only the mode that was asked for can be set"


class Widening:
    """Knows which changes of the mode need an approver, and asks for them."""

    def __init__(self, relay: RequestRelay) -> None:
        self._relay = relay

    @staticmethod
    def needs_approver(current: str, wanted: str) -> bool:
        """Returns whether the client would do more without asking than now."""
        return launch.width(wanted) > launch.width(current or "default")

    def ask(self, current: str, wanted: str, apply: Callable[[str], None]) -> str:
        """Asks an approver and returns the id of the request in the ledger.

        Once it is allowed, `apply` is called with its name for `confirm`.
        """

        def decided(decision: PermissionDecision) -> None:
            if decision.behaviour == "deny":
                self._relay.took_effect(decision.request)
            elif decision.input is not None:
                self._relay.failed(decision.request, _CHANGED)
            else:
                apply(decision.request)

        given = {"from": current or "default", "mode": wanted}
        request = PermissionRequest(
            request=f"chorus-{uuid.uuid4().hex[:12]}",
            tool=TOOL,
            input=msgspec.json.encode(given).decode(),
            call="",
            description=f"From now on {_LETS.get(wanted, 'more is done without asking anybody')}.",
        )
        return self._relay.ask_for_holder(request, decided)

    def confirm(self, name: str, error: str | None) -> None:
        """Records what the client replied to the change of the mode: None, or why it refused."""
        if error is None:
            self._relay.took_effect(name)
        else:
            self._relay.failed(name, f"the client refused it: {error}")
