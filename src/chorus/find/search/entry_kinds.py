"""The kind of an entry, in the words that people and programs use."""

from chorus.core.conversation import items
from chorus.find.index.rows import Entry, Note


def kind_of(entry: Entry) -> tuple[str, str]:
    """Returns the kind of an entry, and the role that queries match."""
    match entry.item:
        case items.Message() as message:
            return "message", message.role
        case items.Call():
            return "call", "tool"
        case items.Queued() as queued:
            return "queued", "user" if queued.author is items.Author.HUMAN else "system"
        case items.Turn():
            return "turn", "system"
        case Note():
            return "notice", "system"
        case item:
            return type(item).__name__.lower(), "system"


def is_failed(entry: Entry) -> bool:
    """Whether it reports a failure, as `is:error` finds it."""
    match entry.item:
        case items.Call() as call:
            return call.state is items.CallState.FAILED
        case items.Message() as message:
            return message.error is not None
        case items.Turn() as turn:
            return turn.has_failed
        case Note() as note:
            return note.type == "error" or note.kind in ("api_error", "error") or note.level == "error"
        case _:
            return False
