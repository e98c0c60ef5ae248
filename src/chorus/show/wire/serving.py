"""The server itself: login and status."""

from typing import Literal

from chorus.show.wire.base import Wire


class Login(Wire, frozen=True):
    """The secret of a login link."""

    token: str


class Ticket(Wire, frozen=True):
    """Valid for one socket, for 30 seconds."""

    ticket: str


class Folder(Wire, frozen=True):
    """A folder that is watched for sessions."""

    path: str
    sessions: int
    size_bytes: int


class AtRisk(Wire, frozen=True):
    """Sessions that the client will delete soon and that are not recorded yet, and the client's cleanup setting."""

    sessions: int
    cleanup: str
    """What the client does with old sessions, as the rest of a sentence that begins with the client's name."""


class ServerStatus(Wire, frozen=True):
    """What the server watches, how far it is, and what is wrong."""

    version: str
    vault: str
    epoch: str
    seq: int
    conversations: int
    watched: tuple[Folder, ...]
    at_risk: AtRisk
    state: Literal["starting", "keeping", "watching", "failed"]
    """`keeping` means that the first pass over all sources is running."""
    done_bytes: int
    total_bytes: int
    """The size of the running pass."""
    alarm: str | None
    """A message that a program other than Chorus took control of a run; usually None."""
    trouble: str | None
    """Why new data cannot be recorded or found at present, and what to do about it."""
    mended: tuple[str, ...]
    """Damaged files of the vault that were repaired since the server started, each with what was wrong."""
    lost: tuple[str, ...]
    """What the vault lost and no source contains any more."""
