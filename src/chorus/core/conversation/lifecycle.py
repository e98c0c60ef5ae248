"""Whether a sub-agent is at work: the last thing said about it, its call, its sidecar, and whether its client is gone.

An agent's status is worked out from facts that are kept with their place in the order, so that it does not matter in
which order they were read. Clients use many words for the same thing; here there are five: `running`, `completed`,
`failed`, `killed` and `stopped`. A sixth, `unknown`, says that it is not known to have finished: its client left,
or the turn that waited for it is over. A word nobody knows is kept as it is.
"""

from chorus.core.conversation.call_permissions import DENIED
from chorus.core.conversation.fold_context import FoldContext
from chorus.core.conversation.items import Order
from chorus.core.conversation.state import AgentState, CallState, Register

RUNNING, COMPLETED, FAILED, KILLED, STOPPED, UNKNOWN = (
    "running",
    "completed",
    "failed",
    "killed",
    "stopped",
    "unknown",
)
LEFT = "exit"
"""The register of the last place in the order where the client is known to have gone."""
_WORDS = {
    **dict.fromkeys(("async_launched", "in_progress", "pending", "queued", "remote_launched", "started"), RUNNING),
    **dict.fromkeys(("done", "finished", "success"), COMPLETED),
    "error": FAILED,
    **dict.fromkeys(("aborted", "canceled", "cancelled", "interrupted"), STOPPED),
}
_WORD_CHARS = 40


def say(context: FoldContext, task: str, status: str | None) -> None:
    """What the client says of a task; not every task is an agent, and the word may come before the agent does."""
    if not status:
        return
    context.latest("agent-status:" + task, _WORDS.get(status, status[:_WORD_CHARS]))
    if known := context.state.agents.get(task):
        settle(context, known)


def finish(context: FoldContext, agent: str, *, is_finished: bool | None) -> None:
    """The sidecar's word: the agent has ended, whatever else was said of it before."""
    if is_finished is not None:
        context.latest("agent-finished:" + agent, is_finished)
        if known := context.state.agents.get(agent):
            settle(context, known)


def client_left(context: FoldContext) -> None:
    """The client is gone, and with it every agent that was at work."""
    context.latest(LEFT, True)
    for agent in list(context.state.agents_at_work):
        settle(context, context.state.agents[agent])


def turn_passed(context: FoldContext) -> None:
    """A turn began or ended: no call before it is waited for any more."""
    for agent in [agent for agent, is_waited_for in context.state.agents_at_work.items() if is_waited_for]:
        settle(context, context.state.agents[agent])


def settle_call(context: FoldContext, call: str) -> None:
    """Something changed about a call: the agents it started may be at work no longer."""
    for agent in context.state.agents_of_call.get(call, ()):
        _settle(context, context.state.agents[agent])


def settle(context: FoldContext, known: AgentState) -> None:
    """Work out the status of an agent, under every id it has, and put what changed."""
    call = known.item.call
    if call and known.item.agent in context.state.agents_of_call.get(call, ()):
        settle_call(context, call)
    else:
        _settle(context, known)


def _settle(context: FoldContext, known: AgentState) -> None:
    state, item = context.state, known.item
    names = state.agents_of_call.get(item.call or "") or (item.agent,)
    calling = state.calls.get(item.call or "")
    said = [register for name in names if (register := state.registers.get("agent-status:" + name))]
    if calling and calling.has_call and calling.outcome and calling.outcome[1]:
        # Not kept in a register: of the copies of a result only the one that counts has a place in the order.
        told, place = _by_call(calling)
        said.append(Register(place, told))
    is_waited_for = False
    at: Order | None = None
    status: str | None = None
    if said:
        last = max(said, key=lambda register: register.at)
        status, at = last.value, last.at
    elif calling and calling.has_call:
        status, at = _by_call(calling)
        is_waited_for = calling.result_rank is None
    if status in (None, RUNNING) and any(_is_finished(context, name) for name in names):
        status = COMPLETED
    if status == RUNNING and at is not None:
        passed = [state.registers.get(name) for name in ((LEFT, "turn") if is_waited_for else (LEFT,))]
        if any(register and register.at > at for register in passed):
            status = UNKNOWN
    if status == RUNNING:
        state.agents_at_work[item.agent] = is_waited_for
    else:
        state.agents_at_work.pop(item.agent, None)
    if item.status != status:
        item.status = status
        context.put(item)


def _by_call(calling: CallState) -> tuple[str | None, Order]:
    """What the call alone tells: while it has no result, its agent works."""
    if calling.result_rank is None:
        return RUNNING, calling.item.order
    at = calling.result_rank[2]
    if calling.outcome and calling.outcome[1]:
        return _WORDS.get(calling.outcome[1], calling.outcome[1][:_WORD_CHARS]), at
    if calling.item.decision == DENIED:
        return STOPPED, at
    return (FAILED if calling.failed else COMPLETED), at


def _is_finished(context: FoldContext, agent: str) -> bool:
    register = context.state.registers.get("agent-finished:" + agent)
    return bool(register and register.value)
