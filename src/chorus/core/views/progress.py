"""Progress for readers: whether to show it now, as one line of text, and as JSON. Every front end uses these rules."""

from datetime import datetime
from typing import Any

from chorus.core.conversation.items import Status
from chorus.core.progress.model import ConversationProgress, Progress, SubAgentProgress
from chorus.core.views.activity import current_status
from chorus.core.views.safe import safe_line

_FULL, _EMPTY, _BAR_CHARS = "█", "░", 10
_NOT_AT_WORK = frozenset({"quiet", "damaged", *(Status.IDLE, Status.DONE, Status.FAILED, Status.INTERRUPTED)})


def current_progress(
    progress: ConversationProgress | None, status: str, last: str | None, now: datetime
) -> ConversationProgress | None:
    """Returns the progress of a conversation with its last record at `last`; None if it is not at work any more.

    `progress` and `status` are those of its row in the index. Sub-agents may be at work after the turn has ended.
    """
    if progress is None:
        return None
    status_now = current_status(status, last, now)
    if status_now not in _NOT_AT_WORK:
        return progress
    is_recent = current_status(Status.RUNNING, last, now) == Status.RUNNING
    agents = tuple(each for each in progress.sub_agents if each.id) if is_recent and status_now != "quiet" else ()
    return ConversationProgress(sub_agents=agents) if agents else None


def bar(progress: Progress) -> str:
    """Returns a bar; empty if there is no total."""
    if progress.percentage is None:
        return ""
    full = int(progress.percentage / 100 * _BAR_CHARS)
    return _FULL * full + _EMPTY * (_BAR_CHARS - full)


def count_in_words(progress: Progress) -> str:
    """Returns "12/20", or "12" if there is no total."""
    return f"{progress.completed}/{progress.total}" if progress.total else str(progress.completed or "")


def progress_line(progress: Progress) -> str:
    """Returns the progress on one line: bar, count, source, step, and why it is less than before.

    The step comes last, because a narrow terminal cuts the end.
    """
    reason = f"({progress.reason})" if progress.reason else ""
    step = f"{progress.source.value}: {safe_line(progress.step)}"
    return " ".join(filter(None, (bar(progress), count_in_words(progress), step, reason)))


def sub_agent_line(agent: SubAgentProgress) -> str:
    """Returns what a sub-agent does on one line."""
    if agent.progress is not None:
        return progress_line(agent.progress)
    calls = f"{agent.calls} {'call' if agent.calls == 1 else 'calls'}, " if agent.calls else ""
    return f"{agent.source.value}: {calls}{safe_line(agent.step)}"


def progress_json(progress: ConversationProgress | None) -> dict[str, Any] | None:
    """Returns the documented form of `progress` in JSON."""
    if progress is None:
        return None
    return {
        "main": _as_json(progress.main),
        "sub_agents": [
            {
                "id": agent.id,
                "call": agent.call,
                "parent": agent.parent,
                "type": agent.type,
                "description": agent.description,
                "step": agent.step,
                "calls": agent.calls,
                "source": agent.source.value,
                "confidence": agent.confidence,
                "progress": _as_json(agent.progress),
            }
            for agent in progress.sub_agents
        ],
    }


def _as_json(progress: Progress | None) -> dict[str, Any] | None:
    if progress is None:
        return None
    place = progress.record
    return {
        "step": progress.step,
        "completed": progress.completed,
        "total": progress.total,
        "percentage": progress.percentage,
        "source": progress.source.value,
        "confidence": progress.confidence,
        "record": {"stream": place.stream, "offset": place.offset, "length": place.length},
        "at": progress.at or None,
        "reason": progress.reason,
    }
