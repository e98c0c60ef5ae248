"""How far a conversation at work is, and what its sub-agents do."""

from typing import Literal

from chorus.core.progress.model import ConversationProgress, Progress, SubAgentProgress
from chorus.show.wire.base import Wire

ProgressSource = Literal["todos", "task", "client", "program", "prose"]
"""Where it comes from: the to-do list, the task list, the client's records, a program's output, the model's words."""


class ProgressShown(Wire, frozen=True):
    """How far a turn or a sub-agent is."""

    step: str
    completed: int | None
    total: int | None
    """None if nobody said how many there are; then there is no bar."""
    percentage: float | None
    source: ProgressSource
    confidence: float
    """From 0 to 1."""
    stream: str
    """The stream of the record that says so."""
    offset: int
    """The place of that record in the stream."""
    length: int
    at: str | None
    """When it was said, as far as the records say."""
    reason: str | None
    """Why it is less than before; None if it is not."""


class SubAgentProgressShown(Wire, frozen=True):
    """A sub-agent at work."""

    id: str
    """Empty if only words of the model mention it."""
    call: str | None
    parent: str
    """The sub-agent that started it; empty for the main thread."""
    type: str | None
    description: str
    step: str
    calls: int
    source: ProgressSource
    confidence: float
    progress: ProgressShown | None


class ConversationProgressShown(Wire, frozen=True):
    """The progress of a conversation, as of its last record. Whether it is at work now also depends on its time."""

    main: ProgressShown | None
    sub_agents: tuple[SubAgentProgressShown, ...]


def shown_progress(progress: ConversationProgress | None) -> ConversationProgressShown | None:
    """Returns the progress in the form that is sent to the page."""
    if progress is None:
        return None
    return ConversationProgressShown(
        main=_shown(progress.main), sub_agents=tuple(_shown_agent(each) for each in progress.sub_agents)
    )


def _shown(progress: Progress | None) -> ProgressShown | None:
    if progress is None:
        return None
    return ProgressShown(
        step=progress.step,
        completed=progress.completed,
        total=progress.total,
        percentage=progress.percentage,
        source=progress.source.value,
        confidence=progress.confidence,
        stream=progress.record.stream,
        offset=progress.record.offset,
        length=progress.record.length,
        at=progress.at or None,
        reason=progress.reason,
    )


def _shown_agent(agent: SubAgentProgress) -> SubAgentProgressShown:
    return SubAgentProgressShown(
        id=agent.id,
        call=agent.call,
        parent=agent.parent,
        type=agent.type,
        description=agent.description,
        step=agent.step,
        calls=agent.calls,
        source=agent.source.value,
        confidence=agent.confidence,
        progress=_shown(agent.progress),
    )
