"""A conversation while it goes on: rows that will not change any more, each once, and those that still do."""

from chorus.conversation import items
from chorus.conversation.conversation import Conversation
from chorus.conversation.fold import Fold
from chorus.conversation.items import MAIN, Author, CallState
from chorus.records.record import Record
from chorus.views.rows import Row
from chorus.views.transcript import rows_of
from chorus.views.whole import thread_of


class Unfolding:
    """Takes the records of a run as they come, by the one fold."""

    def __init__(self, session_id: str) -> None:
        self.conversation = Conversation(session_id)
        self._fold = Fold(session_id)
        self._told: set[str] = set()

    def feed(self, record: Record) -> None:
        self.conversation.apply(self._fold.feed(record))

    def rows(self, *, is_over: bool = False) -> tuple[list[Row], list[Row]]:
        """What is settled since the last time, and what is not yet; when it is over, all is."""
        thread = [item for item in thread_of(self.conversation, MAIN, internal=False) if item.id not in self._told]
        ready = len(thread) if is_over else next(
            (n for n, item in enumerate(thread) if not self._is_settled(item, thread[n + 1 :])), len(thread)
        )  # fmt: skip
        settled, rest = thread[:ready], thread[ready:]
        self._told.update(item.id for item in settled)
        return list(rows_of(self.conversation, settled)), list(rows_of(self.conversation, rest))

    def _is_settled(self, item: items.Item, later: list[items.Item]) -> bool:
        match item:
            case items.Queued():
                return False
            case items.Message() if item.author is Author.MODEL:
                # Its lines come one by one: only what comes after it tells that it is whole.
                goes_on = any(isinstance(other, items.Turn) or _is_of_model(other) for other in later)
                return goes_on or (bool(later) and not self._has_pending_calls(item))
            case items.Notice() if item.failure is not None:
                # One row tells of all that follow each other.
                return any(not isinstance(other, items.Notice) or other.failure is None for other in later)
            case _:
                return True

    def _has_pending_calls(self, message: items.Message) -> bool:
        calls = (self.conversation.call(part.block.id or part.id) for part in self.conversation.blocks(message))
        return any(call is not None and call.state is CallState.PENDING for call in calls)


def _is_of_model(item: items.Item) -> bool:
    return isinstance(item, items.Message) and item.author is Author.MODEL
