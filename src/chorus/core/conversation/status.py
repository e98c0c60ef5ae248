"""What the conversation is doing: the last thing that happened, the calls still open, the questions asked.

Every copy of a line states what happened, whether it is the one that is shown or not, and out of itself alone: else the
place of the last fact in the order would depend on which copy was read first.
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
"""The hook event of a client that ends."""
_LASTING = frozenset({Status.DONE, Status.FAILED, Status.IDLE, Status.INTERRUPTED})
"""What a conversation stays when its client leaves."""
_ENDS = frozenset({"end_turn", "stop_sequence", "max_tokens", "refusal", "model_context_window_exceeded"})

_STATUS_OF_KIND: dict[ToolKind, Status] = {
    "question": Status.WAITING,
    "plan": Status.WAITING,
    "reader": Status.READING,
    "editor": Status.EDITING,
}
"""What an agent is doing while a call of such a tool is open; with any other tool it is running something."""


def assistant_spoke(context: FoldContext, value: Assistant, parts: list[blocks.Block]) -> None:
    last = parts[-1].type if parts else ""
    stop_reason = value.message.stop_reason if value.message else None
    if value.error or value.isApiErrorMessage or value.is_api_error_message:
        _happened(context, Status.FAILED)
    elif last == "text" and (stop_reason in _ENDS or stop_reason is None):
        # Clients up to 2.1.52 never write a stop reason: text that no call follows ends the turn.
        _happened(context, Status.DONE)
    else:
        _happened(context, Status.THINKING)


def was_told(context: FoldContext, author: Author, text: str) -> None:
    if text.startswith(INTERRUPTED):
        _happened(context, Status.INTERRUPTED)
    elif author is Author.HUMAN or author is Author.NOTIFICATION:
        _happened(context, Status.THINKING)
        context.latest("turn", True)
        lifecycle.turn_passed(context)


def tool_answered(context: FoldContext) -> None:
    _happened(context, Status.THINKING)


def is_thinking(context: FoldContext) -> None:
    _happened(context, Status.THINKING)


def turn_ended(context: FoldContext, turn: Turn) -> None:
    """A turn ended, where it stands in the order."""
    outcome = Status.INTERRUPTED if turn.is_interrupted else Status.FAILED if turn.is_error else Status.DONE
    context.latest("activity", outcome.value, turn.order)
    context.latest("turn", True, turn.order)
    lifecycle.turn_passed(context)
    context.stirred = True


def client_left(context: FoldContext) -> None:
    """The client wrote that it ends: whatever it was doing, it does no longer."""
    lifecycle.client_left(context)
    context.stirred = True


def failed(context: FoldContext) -> None:
    _happened(context, Status.FAILED)


def is_asking(context: FoldContext) -> None:
    """A prompt was seen that has no request behind it: shown, never answerable."""
    _happened(context, Status.WAITING)


def client_says(context: FoldContext, state: str | None) -> None:
    """`session_state_changed`: the client's own word. Idle tells nothing new: how the turn ended says more."""
    said = {"running": Status.THINKING, "requires_action": Status.WAITING}.get(state or "")
    if said:
        _happened(context, said)


def status_of(state: State) -> Status:
    """What the last fact says: a client that left asks, waits and runs no more."""
    left = state.registers.get(lifecycle.LEFT)
    if left:
        for request in [name for name in state.asking if state.permissions[name].order < left.at]:
            del state.asking[request]
        for call in [call for call, order in state.pending.items() if order < left.at]:
            del state.pending[call]
    if state.asking:
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
        for call in [call for call, order in state.pending.items() if order < turn.at]:
            del state.pending[call]
    if not state.pending:
        return happened
    newest = max(state.pending, key=lambda call: state.pending[call])
    return _STATUS_OF_KIND.get(facts_of(state.calls[newest].item.name).kind, Status.RUNNING)


def _happened(context: FoldContext, what: Status) -> None:
    context.latest("activity", what.value)
    context.stirred = True
