"""What a report is made of, wherever it was counted."""

from typing import NamedTuple

from msgspec import Struct

from chorus.core.spending.rows import Reported, Spent


class Facts(Struct, frozen=True):
    """What a report says of a conversation beside its figures."""

    id: str
    workspace: str
    workspace_name: str
    """What to call the workspace."""
    agent: str
    """The worker; `main` for sessions that Chorus only observed."""
    title: str | None = None
    is_fork: bool = False
    """Whether it holds messages that belong to an earlier conversation."""


class Books(NamedTuple):
    """All that was spent, all that was reported, and whose it is by the conversation's name."""

    spent: list[Spent]
    reported: list[Reported]
    facts: dict[str, Facts]
