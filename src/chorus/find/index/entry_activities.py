"""Derives activities from entries: every entry is at most one activity."""

from chorus.core.conversation import items
from chorus.core.conversation.tool_facts import facts_of
from chorus.find.index.activities import Activity, Outcome, make_activity
from chorus.find.index.rows import Entry, Note
from chorus.find.index.times import ms_of

PERMISSION = "permission"
_OUTCOMES: dict[items.CallState, Outcome] = {
    items.CallState.PENDING: "open",
    items.CallState.DONE: "done",
    items.CallState.FAILED: "failed",
    items.CallState.REFUSED: "refused",
}


def activity_of(entry: Entry, conversation: str) -> Activity | None:
    """Returns what the entry counts as; None if it is not counted."""
    item = entry.item
    own_id = shared_id(item.id, conversation)
    match item:
        case items.Call():
            if item.state is items.CallState.ORPHAN:
                return None
            took = duration_ms(item.started_at, item.ended_at)
            at = item.started_at or item.ended_at or item.order[0]
            return make_activity(own_id, "call", item.name, at=at, outcome=_OUTCOMES[item.state], duration_ms=took)
        case items.Message():
            is_prompt = item.author is items.Author.HUMAN and not item.agent
            return make_activity(own_id, "prompt", at=item.started_at or item.order[0]) if is_prompt else None
        case items.Turn() if not item.agent:
            at = item.ended_at or (item.order[0] if len(item.order[0]) > 1 else None)
            outcome: Outcome = "failed" if item.has_failed else "done"
            return make_activity(own_id, "turn", at=at, outcome=outcome, duration_ms=item.duration_ms)
        case items.Permission() if not facts_of(item.tool_name or "").waits_for_person:
            own_id = wait_id(conversation, item.tool_use_id or item.id)
            is_open = item.state == "open"
            took = None if is_open else duration_ms(item.time, item.ended_at)
            outcome = "open" if is_open else "refused" if item.state == "denied" else "done"
            return make_activity(own_id, "wait", PERMISSION, at=item.time, outcome=outcome, duration_ms=took)
        case Note() if item.tool is not None and item.latency_ms is not None:
            if facts_of(item.tool).waits_for_person:
                return None
            own_id = wait_id(conversation, item.call or item.id)
            outcome = "refused" if item.kind == "denied" else "done"
            return make_activity(own_id, "wait", PERMISSION, at=item.time, outcome=outcome, duration_ms=item.latency_ms)
        case _:
            return None


def shared_id(item: str, conversation: str) -> str:
    """Returns an id that all copies share. A place is no such id: it gets the name of the conversation."""
    return f"{conversation}/{item}" if "@" in item else item


def wait_id(conversation: str, call: str) -> str:
    """Returns the id of waiting. Forks do not copy requests, so it is unique to the conversation."""
    return f"{conversation}/wait:{call}"


def duration_ms(started_at: str | None, ended_at: str | None) -> int | None:
    """Returns the time between two moments; None if one is unknown, or if they are in the wrong order."""
    if not started_at or not ended_at:
        return None
    began, ended = ms_of(started_at), ms_of(ended_at)
    return ended - began if 0 < began <= ended else None
