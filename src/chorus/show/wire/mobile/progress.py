"""How far a conversation and its sub-agents are, as messages for a phone."""

from collections.abc import Iterable

from msgspec import UNSET

from chorus.core.progress.model import ConversationProgress, Progress, SubAgentProgress
from chorus.show.wire.mobile.encoder import Encoded
from chorus.show.wire.mobile.outgoing import ProgressUpdate, SubAgentUpdate

_MAIN = "progress"
"""The id of the message about the turn; those about sub-agents add theirs."""
_AGENT = f"{_MAIN}:"
_UNNAMED = "Working"
"""The step of what does not name one: an empty step means that it is over."""


def encoded_progress(progress: ConversationProgress | None, under_way: Iterable[str]) -> list[Encoded]:
    """Returns the progress of a conversation as messages, and that what was `under_way` before and is not any more is
    over: the ids of progress messages that the phone has."""
    found: list[Encoded] = []
    if progress is not None:
        if progress.main is not None:
            found.append(Encoded(_MAIN, _update(progress.main)))
        found += [Encoded(f"{_AGENT}{each.id}", _agent_update(each)) for each in progress.sub_agents]
    over = set(under_way) - {each.id for each in found}
    return [*found, *map(_ended, sorted(over))]


def is_progress(name: str) -> bool:
    """Returns whether a message with this id says how far something is."""
    return name == _MAIN or name.startswith(_AGENT)


def is_over(encoded: Encoded) -> bool:
    """Returns whether a message says that what it is about is over."""
    return isinstance(encoded.message, ProgressUpdate | SubAgentUpdate) and not encoded.message.current_step


def _update(progress: Progress) -> ProgressUpdate:
    return ProgressUpdate(
        current_step=progress.step or _UNNAMED,
        completed_steps=progress.completed,
        total_steps=progress.total,
        percentage=progress.percentage,
        reason=progress.reason or UNSET,
    )


def _agent_update(agent: SubAgentProgress) -> SubAgentUpdate:
    own = agent.progress
    return SubAgentUpdate(
        agent_id=agent.id,
        description=agent.description,
        current_step=(own.step if own else agent.step) or _UNNAMED,
        calls=agent.calls,
        completed_steps=own.completed if own else None,
        total_steps=own.total if own else None,
        percentage=own.percentage if own else None,
        reason=(own.reason if own else None) or UNSET,
    )


def _ended(name: str) -> Encoded:
    if name == _MAIN:
        return Encoded(name, ProgressUpdate(current_step="", completed_steps=None, total_steps=None, percentage=None))
    ended = SubAgentUpdate(
        agent_id=name.removeprefix(_AGENT),
        description="",
        current_step="",
        calls=0,
        completed_steps=None,
        total_steps=None,
        percentage=None,
    )
    return Encoded(name, ended)
