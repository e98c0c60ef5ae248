"""The input of a cost report, from any source."""

from typing import NamedTuple

from msgspec import Struct

from chorus.core.spending.rows import Reported, Spent


class Facts(Struct, frozen=True):
    """Facts about a conversation that a report shows in addition to its numbers."""

    id: str
    workspace: str
    workspace_name: str
    """The name of the workspace, to show to people."""
    agent: str
    """The agent; `main` for sessions that Chorus only observed."""
    title: str | None = None
    is_fork: bool = False
    """Whether it contains messages that belong to an earlier conversation."""


class Books(NamedTuple):
    """All usage, all reported costs, and the facts about each conversation, by its name."""

    spent: list[Spent]
    reported: list[Reported]
    facts: dict[str, Facts]
    groups: dict[str, list[Spent]] | None = None
    """The same usage in groups that only their maker knows, such as commits; None if the rows say all."""
    titles: dict[str, str] | None = None
    """Names of these groups."""
