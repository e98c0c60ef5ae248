"""The status of the conversation, from the last event, the open calls and the open permission requests.

Every copy of a line reports its event, whether this copy is shown or not, and from its own content alone. Otherwise the
position of the last event would depend on which copy was read first.
"""

from chorus.core.conversation import lifecycle
from chorus.core.conversation.authors import INTERRUPTED
from chorus.core.conversation.fold_context import FoldContext
from chorus.core.conversation.items import Author, Status, Turn
from chorus.core.conversation.state import State
from chorus.core.conversation.tool_facts import ToolKind, facts_of
from chorus.core.records.model import blocks
from chorus.core.records.model.turns import Assistant

_BY_VALUE = {status.value: status for status in Status}
END_EVENT = "SessionEnd"
"""The hook event at the end of a client."""
_LASTING = frozenset({Status.DONE, Status.FAILED, Status.IDLE, Status.INTERRUPTED})
"""Statuses that do not change when the client ends."""
_ENDS = frozenset({"end_turn", "stop_sequence", "max_tokens", "refusal", "model_context_window_exceeded"})

_STATUS_OF_KIND: dict[ToolKind, Status] = {
    "question": Status.WAITING,
    "plan": Status.WAITING,
    "reader": Status.READING,
    "editor": Status.EDITING,
}
"""What an agent is doing while a call of such a tool is open; with any other tool it is running something."""


def assistant_spoke(context: FoldContext, value: Assistant, parts: list[blocks.Block]) -> None:
    """Registers a line of the model."""
    last = parts[-1].type if parts else ""
    stop_reason = value.message.stop_reason if value.message else None
    if value.error or value.isApiErrorMessage or value.is_api_error_message:
        _set_activity(context, Status.FAILED)
    elif last == "text" and (stop_reason in _ENDS or stop_reason is None):
        # Clients up to 2.1.52 never write a stop reason: text without a following call ends the turn.
        _set_activity(context, Status.DONE)
    else:
        _set_activity(context, Status.THINKING)


def user_spoke(context: FoldContext, author: Author, text: str) -> None:
    """Registers the text of a user line. A prompt starts a turn."""
    if text.startswith(INTERRUPTED):
        _set_activity(context, Status.INTERRUPTED)
    elif author is Author.HUMAN or author is Author.NOTIFICATION:
        _set_activity(context, Status.THINKING)
        context.keep_latest("turn", True)
        lifecycle.turn_passed(context)


def tool_answered(context: FoldContext) -> None:
    """Registers a tool result: the model continues."""
    _set_activity(context, Status.THINKING)


def set_thinking(context: FoldContext) -> None:
    """Registers that the model works."""
    _set_activity(context, Status.THINKING)


def turn_ended(context: FoldContext, turn: Turn) -> None:
    """Registers the end of a turn at its position in the order."""
    outcome = Status.INTERRUPTED if turn.is_interrupted else Status.FAILED if turn.is_error else Status.DONE
    context.keep_latest("activity", outcome.value, turn.order)
    context.keep_latest("turn", True, turn.order)
    lifecycle.turn_passed(context)
    context.status_may_change = True


def client_left(context: FoldContext) -> None:
    """Registers that the client ended: it does not continue what it was doing."""
    lifecycle.client_left(context)
    context.status_may_change = True


def set_failed(context: FoldContext) -> None:
    """Registers an error."""
    _set_activity(context, Status.FAILED)


def set_waiting(context: FoldContext) -> None:
    """Registers a permission prompt without a request behind it: it is shown, but cannot be answered."""
    _set_activity(context, Status.WAITING)


def client_reported(context: FoldContext, state: str | None) -> None:
    """Folds `session_state_changed`. Idle is ignored: the end of the turn says more."""
    reported = {"running": Status.THINKING, "requires_action": Status.WAITING}.get(state or "")
    if reported:
        _set_activity(context, reported)


def status_of(state: State) -> Status:
    """Returns the status. After the client ended, its requests and calls are no longer open."""
    left = state.registers.get(lifecycle.LEFT)
    if left:
        for request in [name for name in state.open_requests if state.permissions[name].order < left.at]:
            del state.open_requests[request]
        state.pending.remove_before(left.at)
    if state.open_requests:
        return Status.WAITING
    activity = state.registers.get("activity")
    if activity is None:
        return Status.IDLE
    happened = _BY_VALUE[activity.value]
    if left and left.at > activity.at and happened not in _LASTING:
        happened = Status.INTERRUPTED
    turn = state.registers.get("turn")
    if happened in (Status.FAILED, Status.INTERRUPTED) or not state.pending:
        return happened
    if turn:
        state.pending.remove_before(turn.at)
    newest = state.pending.newest
    if newest is None:
        return happened
    return _STATUS_OF_KIND.get(facts_of(state.calls[newest].item.name).kind, Status.RUNNING)


def _set_activity(context: FoldContext, what: Status) -> None:
    """Stores the last event of the conversation."""
    context.keep_latest("activity", what.value)
    context.status_may_change = True
