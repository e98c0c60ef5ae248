"""A conversation while it goes on: rows that will not change any more, each once, and those that still do."""

from itertools import takewhile

from msgspec import structs

from chorus.core.conversation import items
from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.fold import Fold
from chorus.core.conversation.items import MAIN, Author, CallState
from chorus.core.records.record import Record
from chorus.core.views.conversation_facts import thread_of
from chorus.core.views.rows import MessageRow, Piece, Row, ToolCall
from chorus.core.views.transcript import rows_of


class Unfolding:
    """Takes the records of a run as they come, by the one fold."""

    def __init__(self, session_id: str) -> None:
        self.conversation = Conversation(session_id)
        self._fold = Fold(session_id)
        self._told: set[str] = set()
        self._begun: dict[str, int] = {}
        """How many pieces of a row were told before it was settled."""

    def feed(self, record: Record) -> None:
        self.conversation.apply(self._fold.feed(record))

    def rows(self, *, is_over: bool = False) -> tuple[list[Row], list[Row]]:
        """What is settled since the last time, and what is not yet; when it is over, all is."""
        thread = self._untold()
        ready = len(thread) if is_over else next(
            (n for n, item in enumerate(thread) if not self._is_settled(item, thread[n + 1 :])), len(thread)
        )  # fmt: skip
        settled, rest = thread[:ready], thread[ready:]
        self._told.update(item.id for item in settled)
        return self._rows(settled), self._rows(rest)

    def beginnings(self) -> list[Row]:
        """What messages say before their calls while these wait: who is asked about one reads it first, and once."""
        found: list[Row] = []
        for row in self._rows(self._untold()):
            if isinstance(row, MessageRow) and any(map(_is_call, row.pieces)):
                said = tuple(takewhile(lambda piece: not _is_call(piece), row.pieces))
                if said:
                    self._begun[row.id] = self._begun.get(row.id, 0) + len(said)
                    found.append(structs.replace(row, pieces=said))
        return found

    def _untold(self) -> list[items.Item]:
        return [item for item in thread_of(self.conversation, MAIN, internal=False) if item.id not in self._told]

    def _rows(self, thread: list[items.Item]) -> list[Row]:
        return [self._without_beginning(row) for row in rows_of(self.conversation, thread)]

    def _without_beginning(self, row: Row) -> Row:
        """What of a row is still to be told; what it took was told with its beginning."""
        begun = self._begun.get(row.id, 0)
        if not begun or not isinstance(row, MessageRow):
            return row
        return structs.replace(row, pieces=row.pieces[begun:], duration_ms=None, tokens=None, cost_usd=None)

    def _is_settled(self, item: items.Item, later: list[items.Item]) -> bool:
        match item:
            case items.Queued():
                return item.state != "waiting"
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


def _is_call(piece: Piece) -> bool:
    return isinstance(piece, ToolCall)


def _is_of_model(item: items.Item) -> bool:
    return isinstance(item, items.Message) and item.author is Author.MODEL
