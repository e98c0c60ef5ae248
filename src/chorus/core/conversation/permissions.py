"""Permission requests as the records show them. Only the control channel creates one; text never does.

The functions that read a control frame return the id of the call that the frame is about, if it is known.
"""

import msgspec

from chorus.core.conversation.fold_context import FoldContext
from chorus.core.conversation.items import Permission
from chorus.core.records.model.stream import ControlCancelRequest, ControlRequest, ControlResponse


class Decision(msgspec.Struct):
    behavior: str | None = None


_decision = msgspec.json.Decoder(Decision)


def requested(context: FoldContext, value: ControlRequest) -> str | None:
    """Registers a `can_use_tool` request. It is open, unless its answer was read before."""
    request = value.request
    if request is None or request.subtype != "can_use_tool" or value.request_id is None:
        return None
    item = _known(context, value.request_id)
    item.tool_use_id, item.tool_name = request.tool_use_id, request.tool_name
    item.order, item.time = context.order, context.time
    item.agent = request.agent_id or ""
    if request.tool_use_id:
        context.state.requests_of_call.setdefault(request.tool_use_id, []).append(item.request_id)
        calling = context.state.calls.get(request.tool_use_id)
        if item.state == "" and calling and calling.result_rank is not None:
            item.state = "settled"
    if item.state == "":
        item.state = "open"
        context.state.open_requests[item.request_id] = None
        context.status_may_change = True
    context.put(item)
    return item.tool_use_id


def answered(context: FoldContext, value: ControlResponse) -> str | None:
    """Registers the answer to a request."""
    response = value.response
    if response is None or response.request_id is None:
        return None
    try:
        behavior = _decision.decode(response.response).behavior
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        behavior = None
    if behavior is None and response.request_id not in context.state.permissions:
        # Answers to the host's own requests have the same format, but decide nothing.
        return None
    return _close(context, response.request_id, "allowed" if behavior == "allow" else "denied")


def cancelled(context: FoldContext, value: ControlCancelRequest) -> str | None:
    """Registers that the client cancelled a request."""
    return _close(context, value.request_id, "cancelled") if value.request_id else None


def close_requests(context: FoldContext, call_id: str) -> None:
    """Closes the open requests of a call that has a result, whoever decided."""
    for request_id in context.state.requests_of_call.get(call_id, ()):
        if context.state.permissions[request_id].state == "open":
            _close(context, request_id, "settled")


_WEIGHT = {"": 0, "open": 1, "settled": 2, "cancelled": 3, "denied": 4, "allowed": 5}


def _close(context: FoldContext, request_id: str, state: str) -> str | None:
    """Sets the final state of a request, unless it has a stronger one. Returns the id of its call."""
    item = _known(context, request_id)
    is_same = state == item.state != "settled" and context.time is not None and context.time < (item.ended_at or "~")
    if _WEIGHT[state] > _WEIGHT[item.state] or is_same:
        # If several records say the same, the first one says when: the order of reading makes no difference.
        item.state = state
        # A result says that the call went on, and not when somebody decided.
        item.ended_at = None if state == "settled" else context.time
        context.state.open_requests.pop(request_id, None)
        context.status_may_change = True
        if item.tool_name is not None:
            context.put(item)
    return item.tool_use_id


def _known(context: FoldContext, request_id: str) -> Permission:
    known = context.state.permissions.get(request_id)
    if known is None:
        known = Permission(id="permission:" + request_id, order=context.order, request_id=request_id, state="")
        context.state.permissions[request_id] = known
    return known
