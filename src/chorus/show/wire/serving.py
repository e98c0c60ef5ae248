"""The server itself: logging in, and how it is doing."""

from typing import Literal

from chorus.show.wire.base import Wire


class Login(Wire, frozen=True):
    token: str


class Ticket(Wire, frozen=True):
    """Good for one socket within 30 seconds."""

    ticket: str


class Folder(Wire, frozen=True):
    """A place that is watched."""

    path: str
    sessions: int
    size_bytes: int


class AtRisk(Wire, frozen=True):
    """Sessions that the client will delete soon and that are not kept yet; and what the client's setting is."""

    sessions: int
    cleanup: str
    """What the client does with old sessions: words that go on from its name."""


class ServerStatus(Wire, frozen=True):
    version: str
    vault: str
    epoch: str
    seq: int
    conversations: int
    watched: tuple[Folder, ...]
    at_risk: AtRisk
    state: Literal["starting", "keeping", "watching", "failed"]
    """`keeping`: the first pass over all sources is under way."""
    done_bytes: int
    total_bytes: int
    """Of the pass under way."""
    alarm: str | None
    """That something else than Chorus took hold of a run; None almost always."""
    trouble: str | None
    """What keeps new data from being kept or found, and what to do about it."""
    mended: tuple[str, ...]
    """Damaged files of the vault that were put right since the server began, each with what was wrong."""
    lost: tuple[str, ...]
    """What the vault lost and no source has any more."""
