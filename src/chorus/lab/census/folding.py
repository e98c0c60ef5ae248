"""Folds one stream and keeps what is counted over streams: conversations, tokens, turns. The changes are dropped."""

from chorus.core.conversation.call_permissions import DENIED
from chorus.core.conversation.fold import Fold
from chorus.core.conversation.items import CallState, Turn
from chorus.core.conversation.model_usage import added_by_turn, sum_of
from chorus.core.conversation.route import Router, session_of
from chorus.core.records.model.system import System
from chorus.core.records.model.turns import Result
from chorus.core.records.record import Record, Unread
from chorus.core.records.session_ids import is_session_id
from chorus.lab.census.calls import Calls
from chorus.lab.census.conversations import Conversations
from chorus.lab.census.messages import Messages
from chorus.lab.census.names import MAX_LENGTH


class StreamFold:
    """The folds of one stream's conversations."""

    def __init__(self, stream: str, router: Router) -> None:
        self._stream = stream
        self._router = router
        self._folds: dict[str, Fold] = {}
        self._named: set[str] = set()
        """Session ids that are in a record itself."""
        self._real: set[str] = set()
        """Session ids with at least one record that is no hook line."""
        self._turns: dict[str, dict[str, Turn]] = {}

    def feed(self, record: Record) -> None:
        for session_id, routed in self._router.route(record):
            self._take(session_id, routed)

    def finish(self, messages: Messages, conversations: Conversations, calls: Calls) -> None:
        """Adds what was found to the counts, after the last record. `calls` gets those of sub-agents, too."""
        for session_id, record in self._router.close():
            self._take(session_id, record)
        for session_id, fold in self._folds.items():
            turns = sorted(self._turns.get(session_id, {}).values(), key=lambda turn: turn.order)
            session, name = fold.state.session, self._name(session_id)
            if session_id in self._real:
                has_ended = session.messages_unended < session.messages_counted
                conversations.saw(name, has_message_usage=session.has_message_usage, has_ended=has_ended)
            for message_id, known in fold.state.api_messages.items():
                if known.tokens is not None:
                    messages.used(message_id, known.tokens, None if known.stop_reason else name)
            _add_calls(fold, calls)
            by_model = added_by_turn(turns, session.versions)
            for turn in turns:
                tokens = sum_of([by_model[turn.id]]) if turn.id in by_model else turn.tokens
                if tokens:
                    conversations.turn(name, turn.id, tokens, has_models=turn.id in by_model)

    def _take(self, session_id: str, record: Record) -> None:
        fold = self._folds.get(session_id)
        if fold is None:
            fold = self._folds[session_id] = Fold(session_id)
        changes = fold.feed(record)
        value = record.value
        if isinstance(value, Result):
            turns = self._turns.setdefault(session_id, {})
            turns.update((change.id, change) for change in changes if isinstance(change, Turn))
        if session_id not in self._real and not isinstance(record, Unread) and not _is_hook(record):
            self._real.add(session_id)
        if session_id not in self._named and session_of(record) == session_id:
            self._named.add(session_id)

    def _name(self, session_id: str) -> str:
        """Returns the name of the conversation: its session id; if no record has one, also the stream it is in."""
        if session_id in self._named or is_session_id(session_id):
            return session_id
        return f"{session_id} in {self._stream}"


def _add_calls(fold: Fold, calls: Calls) -> None:
    for call_id, known in fold.state.calls.items():
        if known.has_call:
            calls.called(call_id, known.item.name[:MAX_LENGTH])
        if known.result_rank is not None:
            is_refused = known.item.state is CallState.REFUSED or (known.verdict or ("",))[0] == DENIED
            calls.returned(call_id, is_error=known.failed and not is_refused)


def _is_hook(record: Record) -> bool:
    return isinstance(record.value, System) and record.subtype.startswith("hook_")
