"""Progress as every reader gets it: the list, the transcript, the terminal, the phone."""

from enum import StrEnum

from msgspec import Struct

from chorus.core.records.place import Place


class Source(StrEnum):
    """Where a statement about progress comes from, the most reliable one first."""

    TODOS = "todos"
    """The to-do list that the model keeps with `TodoWrite`."""
    TASK = "task"
    """The task list, or the record of a sub-agent."""
    CLIENT = "client"
    """A progress record of the client itself."""
    PROGRAM = "program"
    """The output of a program."""
    PROSE = "prose"
    """The words of the model."""


RANKS = {source: rank for rank, source in enumerate(reversed(Source))}
"""Source → its rank: a statement replaces only those with an equal or lower rank, unless they are over."""


class Progress(Struct, frozen=True, kw_only=True, gc=False):
    """How far a turn, or a sub-agent, is."""

    step: str
    """What is being done, in a few words."""
    completed: int | None
    total: int | None
    """None if nobody said how many there are. Then there is no percentage and no bar."""
    source: Source
    confidence: float
    """From 0 to 1: how sure it is that this is the progress."""
    record: Place
    """The record that says so."""
    at: str = ""
    """When it was said: the time of the record, or the last one before it in its stream."""
    reason: str | None = None
    """Why the progress is less than it was at its furthest in this turn; None if it is not."""

    @property
    def percentage(self) -> float | None:
        """The percentage with one digit after the point; None if there is no total."""
        if self.completed is None or not self.total:
            return None
        return round(100 * self.completed / self.total, 1)

    @property
    def is_finished(self) -> bool:
        return self.completed is not None and self.total is not None and self.completed >= self.total


class SubAgentProgress(Struct, frozen=True, kw_only=True):
    """What a sub-agent that works now is doing."""

    id: str
    """The id of the sub-agent; empty if only words of the model mention it."""
    call: str | None
    """The tool call that started it."""
    parent: str
    """The sub-agent that started it; empty for the main thread."""
    type: str | None
    description: str
    step: str
    """What it does at the moment: its last tool, or the words of the client."""
    calls: int
    """The number of its tool calls so far."""
    source: Source
    confidence: float
    progress: Progress | None
    """Its own progress, if it states any."""


class ConversationProgress(Struct, frozen=True, kw_only=True):
    """The progress of a conversation at work and of its sub-agents."""

    main: Progress | None = None
    sub_agents: tuple[SubAgentProgress, ...] = ()
