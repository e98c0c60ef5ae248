"""The status of a sub-agent, from the last report about it, its call, its sidecar, and the end of its client.

The status is computed from facts that are stored with their order keys, so that it does not depend on the order of
reading. Clients use many words for the same status. Here there are five: `running`, `completed`, `failed`, `killed` and
`stopped`. A sixth, `unknown`, means that the agent is not known to have finished: its client ended, or the turn that
waited for it is over. An unknown word is stored unchanged.
"""

from collections.abc import Sequence

from chorus.core.conversation.agent_ids import CALL, rank
from chorus.core.conversation.call_permissions import DENIED
from chorus.core.conversation.fold_context import FoldContext
from chorus.core.conversation.items import Order
from chorus.core.conversation.state import AgentReports, AgentState, CallState, Register

RUNNING, COMPLETED, FAILED, KILLED, STOPPED, UNKNOWN = (
    "running",
    "completed",
    "failed",
    "killed",
    "stopped",
    "unknown",
)
LEFT = "exit"
"""The register with the last position in the order at which the client is known to have ended."""
_WORDS = {
    **dict.fromkeys(("async_launched", "in_progress", "pending", "queued", "remote_launched", "started"), RUNNING),
    **dict.fromkeys(("done", "finished", "success"), COMPLETED),
    "error": FAILED,
    **dict.fromkeys(("aborted", "canceled", "cancelled", "interrupted"), STOPPED),
}
_WORD_CHARS = 40
_MANY_NAMES = 8
"""From this number of ids of one agent on, the reports about them are stored together: then the cost of one more id or
report does not depend on how many there are."""


def report_status(context: FoldContext, task: str, status: str | None) -> None:
    """Stores the status of a task. Not every task is an agent, and the status may come before the agent does.

    What a sub-agent's file says counts only for the agents that this sub-agent started.
    """
    if not status:
        return
    by = f"@{context.agent}" if context.is_beside else ""
    context.keep_latest(f"agent-status:{task}{by}", _word(status))
    if task.startswith(CALL) and task not in context.state.agents:
        # The agent of the call has a name of its own.
        update_call(context, task.removeprefix(CALL))
    if known := context.state.agents.get(task):
        if reports := context.state.reports_of_call.get(known.item.call or ""):
            _add_report(context, reports, task)
        update_status(context, known)


def _word(status: str) -> str:
    """Returns the word for a status in any spelling."""
    word = status.strip().lower()
    return _WORDS.get(word, word[:_WORD_CHARS])


def finish(context: FoldContext, agent: str, *, is_finished: bool | None) -> None:
    """Stores that the agent has ended, according to its sidecar. This overrides earlier reports that it runs."""
    if is_finished is not None:
        before = _is_finished(context, agent)
        context.keep_latest("agent-finished:" + agent, is_finished)
        if known := context.state.agents.get(agent):
            if reports := context.state.reports_of_call.get(known.item.call or ""):
                reports.finished += _is_finished(context, agent) - before
            update_status(context, known)


def client_left(context: FoldContext) -> None:
    """Registers that the client ended, and with it every running agent."""
    context.keep_latest(LEFT, True)
    for agent in list(context.state.agents_at_work):
        update_status(context, context.state.agents[agent])


def turn_passed(context: FoldContext) -> None:
    """Registers that a turn began or ended: nothing waits for earlier calls any more."""
    for agent in [agent for agent, is_waited_for in context.state.agents_at_work.items() if is_waited_for]:
        update_status(context, context.state.agents[agent])


def joined(context: FoldContext, agent: str, call: str) -> None:
    """Updates the status after an agent was added to those that a call started."""
    if reports := context.state.reports_of_call.get(call):
        _add_report(context, reports, agent)
        reports.finished += _is_finished(context, agent)
    update_call(context, call, added=agent)


def left(context: FoldContext, call: str) -> None:
    """Updates the status after an agent was removed from those that a call started."""
    context.state.reports_of_call.pop(call, None)
    update_call(context, call)


def update_call(context: FoldContext, call: str, *, added: str | None = None) -> None:
    """Updates the status of the agents that a call started, after the call changed: it is the same one.

    All of them have the same status, except for one that was just `added`.
    """
    names = context.state.agents_of_call.get(call, ())
    if not names:
        return
    status, is_waited_for = _status_of(context, names, call)
    other = names[-1] if names[0] == added else names[0]
    if other != added and _has_status(context, other, status, is_waited_for=is_waited_for):
        names = () if added is None else (added,)
    for agent in names:
        _set_status(context, context.state.agents[agent], status, is_waited_for=is_waited_for)


def update_status(context: FoldContext, known: AgentState) -> None:
    """Updates the status of an agent under every id that it has."""
    call = known.item.call
    if call and known.item.agent in context.state.agents_of_call.get(call, ()):
        update_call(context, call)
    else:
        status, is_waited_for = _status_of(context, (known.item.agent,), call or "")
        _set_status(context, known, status, is_waited_for=is_waited_for)


def _status_of(context: FoldContext, names: Sequence[str], call: str) -> tuple[str | None, bool]:
    """Returns the status of an agent with these ids, and whether its call waits for it."""
    state = context.state
    calling = state.calls.get(call)
    reports = _reports(context, names, call)
    statements = [] if reports.last is None else [Register(reports.last[0], reports.last[2])]
    if calling and calling.has_call and calling.outcome and calling.outcome[1]:
        # Not stored in a register: only the copy of a result that wins has a position in the order.
        stated, place = _by_call(calling)
        statements.append(Register(place, stated))
    is_waited_for = False
    at: Order | None = None
    status: str | None = None
    if statements:
        last = max(statements, key=lambda register: register.at)
        status, at = last.value, last.at
    elif calling and calling.has_call:
        status, at = _by_call(calling)
        is_waited_for = calling.result_rank is None
    if status in (None, RUNNING) and reports.finished:
        status = COMPLETED
    if status == RUNNING and at is not None:
        passed = [state.registers.get(name) for name in ((LEFT, "turn") if is_waited_for else (LEFT,))]
        if any(register and register.at > at for register in passed):
            status = UNKNOWN
    return status, is_waited_for


def _reports(context: FoldContext, names: Sequence[str], call: str) -> AgentReports:
    """Returns the reports about an agent with these ids."""
    found = context.state.reports_of_call.get(call) if len(names) >= _MANY_NAMES else None
    if found is None:
        found = AgentReports()
        for name in names:
            _add_report(context, found, name)
            found.finished += _is_finished(context, name)
        if len(names) >= _MANY_NAMES:
            context.state.reports_of_call[call] = found
    return found


def _add_report(context: FoldContext, reports: AgentReports, name: str) -> None:
    """Adds the last report about one of the ids. Of two in the same record, that about the first id counts."""
    state = context.state
    known = state.agents.get(name)
    calling = state.calls.get(known.item.call or "") if known else None
    by = f"@{calling.item.agent}" if calling and calling.item.agent else ""
    call = known.item.call if known else None
    for subject in {name, CALL + call if call else name}:
        for end in {"", by}:
            if (register := state.registers.get(f"agent-status:{subject}{end}")) is not None:
                _add(reports, name, register)


def _add(reports: AgentReports, name: str, register: Register) -> None:
    """Adds a report under one of the ids."""
    last = reports.last
    if last is None or register.at > last[0] or (register.at == last[0] and rank(name) <= rank(last[1])):
        reports.last = register.at, name, register.value


def _has_status(context: FoldContext, agent: str, status: str | None, *, is_waited_for: bool) -> bool:
    state = context.state
    at_work = is_waited_for if status == RUNNING else None
    return state.agents[agent].item.status == status and state.agents_at_work.get(agent) == at_work


def _set_status(context: FoldContext, known: AgentState, status: str | None, *, is_waited_for: bool) -> None:
    state, item = context.state, known.item
    if status == RUNNING:
        state.agents_at_work[item.agent] = is_waited_for
    else:
        state.agents_at_work.pop(item.agent, None)
    if item.status != status:
        item.status = status
        context.put(item)


def _by_call(calling: CallState) -> tuple[str | None, Order]:
    """Returns the status according to the call alone, with its order key: an agent runs until its call has a result."""
    if calling.result_rank is None:
        return RUNNING, calling.item.order
    at = calling.result_rank[2]
    if calling.outcome and calling.outcome[1]:
        return _word(calling.outcome[1]), at
    if calling.item.decision == DENIED:
        return STOPPED, at
    return (FAILED if calling.failed else COMPLETED), at


def _is_finished(context: FoldContext, agent: str) -> bool:
    register = context.state.registers.get("agent-finished:" + agent)
    return bool(register and register.value)
