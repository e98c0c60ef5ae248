"""Messages of `chorus.mobile.v1`: what a phone is told about a conversation. Pure; there is no socket for it yet.

They are an encoding of the fold's changes, with the names and keys of the SDK schema that Chorus started from.
"""

from collections.abc import Iterable

from msgspec import Struct

from chorus.core.conversation import items
from chorus.core.conversation.items import MAIN, Author, Change
from chorus.core.progress.model import Progress, SubAgentProgress
from chorus.core.progress.parser import ProgressParser

PROTOCOL = "chorus.mobile.v1"
_MAX_MESSAGES = 256


class MobileMessage(Struct, frozen=True, kw_only=True, tag_field="type", rename="camel"):
    """Base class of everything that a phone is told."""


class ClaudeResponse(MobileMessage, frozen=True, tag="claude_response"):
    """A complete text of the model in the main thread."""

    content: str
    conversation_id: str


class ProgressUpdate(MobileMessage, frozen=True, tag="progress_update"):
    """How far the turn is. Without a total there is no percentage."""

    current_step: str
    completed_steps: int | None
    total_steps: int | None
    percentage: float | None


class SubAgentUpdate(MobileMessage, frozen=True, tag="sub_agent_progress"):
    """What a sub-agent at work does, and how far it is if it says so."""

    agent_id: str
    description: str
    current_step: str
    calls: int
    completed_steps: int | None
    total_steps: int | None
    percentage: float | None


class TaskCompletion(MobileMessage, frozen=True, tag="task_completion"):
    """The end of a turn, as the client reported it."""

    subtype: str | None
    is_error: bool
    num_turns: int | None
    duration_ms: float | None
    total_cost_usd: float | None
    conversation_id: str


class MobileEncoder:
    """Turns the changes of one conversation into messages: the same ones, live or replayed."""

    def __init__(self, conversation_id: str) -> None:
        self._id = conversation_id
        self._parser = ProgressParser()
        self._progress: Progress | None = None
        self._agents: dict[str, SubAgentUpdate] = {}
        self._by_model: dict[str, None] = {}
        """The last messages that the model wrote."""

    def take(self, changes: Iterable[Change]) -> list[MobileMessage]:
        """Returns what the changes of one record mean for a phone, in order."""
        listed = list(changes)
        self._parser.take(listed)
        for change in listed:
            if isinstance(change, items.Message) and change.author is Author.MODEL and change.agent == MAIN:
                self._by_model[change.id] = None
                if len(self._by_model) > _MAX_MESSAGES:
                    del self._by_model[next(iter(self._by_model))]
        found = [message for change in listed if (message := self._of_change(change)) is not None]
        return [*found, *self._moved()]

    def _of_change(self, change: Change) -> MobileMessage | None:
        match change:
            case items.Block() if change.block.type == "text" and change.of in self._by_model and not change.is_partial:
                return ClaudeResponse(content=change.block.text or "", conversation_id=self._id)
            case items.Turn() if change.agent == MAIN:
                return TaskCompletion(
                    subtype=change.subtype,
                    is_error=change.is_error,
                    num_turns=change.num_turns,
                    duration_ms=change.duration_ms,
                    total_cost_usd=change.total_cost_usd,
                    conversation_id=self._id,
                )
            case _:
                return None

    def _moved(self) -> list[MobileMessage]:
        """Returns the progress that changed since the last record."""
        found: list[MobileMessage] = []
        progress = self._parser.progress
        if progress is not None and progress != self._progress:
            found.append(
                ProgressUpdate(
                    current_step=progress.step,
                    completed_steps=progress.completed,
                    total_steps=progress.total,
                    percentage=progress.percentage,
                )
            )
        self._progress = progress
        agents = {each.id: _agent_update(each) for each in self._parser.monitor.at_work(None)}
        found += [update for name, update in agents.items() if self._agents.get(name) != update]
        self._agents = agents
        return found


def _agent_update(agent: SubAgentProgress) -> SubAgentUpdate:
    own = agent.progress
    return SubAgentUpdate(
        agent_id=agent.id,
        description=agent.description,
        current_step=own.step if own else agent.step,
        calls=agent.calls,
        completed_steps=own.completed if own else None,
        total_steps=own.total if own else None,
        percentage=own.percentage if own else None,
    )
