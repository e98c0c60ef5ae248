"""What is known about a conversation and that decides its column: facts of the ledger, the clients, the runs and the
fold. No text of a transcript is among them."""

from typing import Literal

from msgspec import Struct

from chorus.core.alerts.model import Alert

ClientStatus = Literal["idle", "busy", "waiting"]


class ClientFact(Struct, frozen=True, kw_only=True):
    """The client that has the conversation open, according to its registry."""

    status: ClientStatus
    waiting_for: str | None = None
    """What it waits for, in its own words."""
    since: str | None = None
    """When its status changed; None if it does not say so."""


class RunFact(Struct, frozen=True, kw_only=True):
    """The run that Chorus has for the conversation, or had last."""

    id: str
    state: str
    """`starting`, `running`, `waiting`, `idle`, `ending`, `ended` or `lost`."""
    is_failure: bool = False
    ended_at: str | None = None

    @property
    def is_living(self) -> bool:
        return self.state not in ("ended", "lost")


class RequestFact(Struct, frozen=True, kw_only=True):
    """A pending request of the permission ledger."""

    id: str
    tool: str
    since: str | None = None


class LiveFacts(Struct, frozen=True, kw_only=True):
    """What is known about a conversation besides its records."""

    client: ClientFact | None = None
    run: RunFact | None = None
    requests: tuple[RequestFact, ...] = ()
    pane: str | None = None
    """The terminal pane in which its client runs, as a person would name it; None if that is not known."""
    alerts: tuple[Alert, ...] = ()
    """Alerts that the records alone do not show."""

    @property
    def is_open(self) -> bool:
        """Whether a client has the conversation open."""
        return self.client is not None or (self.run is not None and self.run.is_living)

    @property
    def is_at_work(self) -> bool:
        """Whether a client is known to work on it at this moment."""
        if self.run is not None and self.run.is_living:
            return self.run.state == "running"
        return self.client is not None and self.client.status == "busy"


class RecordFacts(Struct, frozen=True, kw_only=True):
    """What the records of a conversation say, folded."""

    status: str
    """The value of a `Status`, or `damaged`."""
    last_at: str | None
    """The time of the last record."""
    sub_agents_at_work: int = 0
