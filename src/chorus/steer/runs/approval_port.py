"""Where the client's questions go, and where decisions come from. A decision is only ever acted on by who asked."""

from typing import Literal, Protocol

from msgspec import Struct

from chorus.core.protocol.frames import PermissionRequest


class Decided(Struct, frozen=True, kw_only=True):
    """What the client is to be told. An allowance in it was verified."""

    request: str
    """The client's own id of the question."""
    behaviour: Literal["allow", "deny"]
    message: str = ""
    input: str | None = None
    """The JSON text to run instead of what was asked for."""
    suggestions: tuple[str, ...] = ()
    """Of the client's suggestions, the JSON texts of those that were accepted."""


class Questions(Protocol):
    """Keeps questions for people to see, and their decisions. Nothing here waits for a person."""

    def ask(self, asked: PermissionRequest, *, session: str) -> str:
        """Put a question where people see it, durably; gives its id there.

        `ChorusError` when it cannot be put there: then nobody is asked, and the client is to be told so.
        """
        ...

    @property
    def has_approvers(self) -> bool:
        """Whether there is anybody who could allow something in this run."""
        ...

    def invalidate(self, request: str, why: str) -> None:
        """A question was answered by somebody else than Chorus; `ChorusError` when that cannot be written down."""
        ...

    def withdraw(self, request: str, why: str) -> None:
        """Nobody needs to answer a question any more; `ChorusError` when that cannot be written down."""
        ...

    def took_effect(self, request: str) -> None:
        """The client acted on what was decided; `ChorusError` when that cannot be written down."""
        ...

    def answered_elsewhere(self, request: str, behaviour: Literal["allow", "deny"] | None) -> None:
        """Somebody else answered a question, and how, if that is known; `ChorusError` likewise."""
        ...

    def settled(self) -> list[Decided]:
        """What became of open questions since the last time, each once.

        A question that ended without an answer, or with one that does not verify, is a denial that says why.
        """
        ...
