"""Rows of a running conversation: settled rows, each returned once, and rows that may still change."""

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


class LiveRows:
    """Feeds the records of a run to the fold as they arrive, and returns new rows."""

    def __init__(self, session_id: str) -> None:
        self.conversation = Conversation(session_id)
        self._fold = Fold(session_id)
        self._returned: set[str] = set()
        self._begun: dict[str, int] = {}
        """How many pieces of a row were returned before the row was settled."""

    def feed(self, record: Record) -> None:
        self.conversation.apply(self._fold.feed(record))

    def rows(self, *, is_over: bool = False) -> tuple[list[Row], list[Row]]:
        """Returns the rows settled since the last call, and those not settled yet. With `is_over`, all are settled."""
        thread = self._not_returned()
        ready = len(thread) if is_over else next(
            (n for n, item in enumerate(thread) if not self._is_settled(item, thread[n + 1 :])), len(thread)
        )  # fmt: skip
        settled, rest = thread[:ready], thread[ready:]
        self._returned.update(item.id for item in settled)
        return self._rows(settled), self._rows(rest)

    def beginnings(self) -> list[Row]:
        """Returns what waiting messages say before their calls, once: a person reads it before deciding on a call."""
        found: list[Row] = []
        for row in self._rows(self._not_returned()):
            if isinstance(row, MessageRow) and any(map(_is_call, row.pieces)):
                before_calls = tuple(takewhile(lambda piece: not _is_call(piece), row.pieces))
                if before_calls:
                    self._begun[row.id] = self._begun.get(row.id, 0) + len(before_calls)
                    found.append(structs.replace(row, pieces=before_calls))
        return found

    def _not_returned(self) -> list[items.Item]:
        return [item for item in thread_of(self.conversation, MAIN, internal=False) if item.id not in self._returned]

    def _rows(self, thread: list[items.Item]) -> list[Row]:
        return [self._without_beginning(row) for row in rows_of(self.conversation, thread)]

    def _without_beginning(self, row: Row) -> Row:
        """Removes the pieces that `beginnings` returned already, and the figures that were shown with them."""
        begun = self._begun.get(row.id, 0)
        if not begun or not isinstance(row, MessageRow):
            return row
        return structs.replace(row, pieces=row.pieces[begun:], duration_ms=None, tokens=None, cost_usd=None)

    def _is_settled(self, item: items.Item, later: list[items.Item]) -> bool:
        match item:
            case items.Queued():
                return item.state != "waiting"
            case items.Message() if item.author is Author.MODEL:
                # Its lines arrive one by one: only a later item shows that the message is complete.
                goes_on = any(isinstance(other, items.Turn) or _is_of_model(other) for other in later)
                return goes_on or (bool(later) and not self._has_pending_calls(item))
            case items.Notice() if item.failure is not None:
                # One row shows the whole series of errors.
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
