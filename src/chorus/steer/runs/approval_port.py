"""The port between a run and the permission ledger. Only the process that asked acts on a decision."""

from typing import Literal, Protocol

from msgspec import Struct

from chorus.core.protocol.frames import PermissionRequest


class PermissionDecision(Struct, frozen=True, kw_only=True):
    """A decision for the client. If it allows something, its signature was verified."""

    request: str
    """The client's own id of the request."""
    behaviour: Literal["allow", "deny"]
    message: str = ""
    input: str | None = None
    """The JSON text to run instead of the input of the request."""
    suggestions: tuple[str, ...] = ()
    """The JSON texts of the suggestions that were accepted."""


class ApprovalPort(Protocol):
    """Stores requests for people to decide, and returns their decisions. No method waits for a person."""

    def ask(self, permission_request: PermissionRequest, *, session: str) -> str:
        """Stores a request durably and returns its id in the ledger.

        Raises `ChorusError` if it cannot be stored: then nobody is asked, and the client must be told so.
        """
        ...

    @property
    def has_approvers(self) -> bool:
        """Whether there is an approver who could allow something in this run."""
        ...

    def invalidate(self, request: str, why: str) -> None:
        """Records that something other than Chorus answered a request, possibly after Chorus did.

        Raises `ChorusError` if that cannot be written.
        """
        ...

    def withdraw(self, request: str, why: str) -> None:
        """Records that a request needs no answer any more. Raises `ChorusError` if that cannot be written."""
        ...

    def took_effect(self, request: str) -> None:
        """Records that the client acted on the decision. Raises `ChorusError` if that cannot be written."""
        ...

    def failed(self, request: str, why: str) -> None:
        """Records that the client did not act on the decision. Raises `ChorusError` if that cannot be written."""
        ...

    def answered_elsewhere(self, request: str, behaviour: Literal["allow", "deny"] | None) -> None:
        """Records an answer from elsewhere, and how it was answered if known.

        Raises `ChorusError` if that cannot be written.
        """
        ...

    def settled(self) -> list[PermissionDecision]:
        """Returns the decisions about open requests since the last call, each once.

        A request that ended without an answer, or with an answer that cannot be verified, becomes a denial with the
        reason.
        """
        ...
