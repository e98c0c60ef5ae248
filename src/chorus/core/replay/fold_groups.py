"""The groups of a panel that the state of the fold contains: open calls, sub-agents at work, and who waits for whom."""

from chorus.core.conversation import lifecycle
from chorus.core.conversation.items import MAIN, Order, Status
from chorus.core.conversation.state import State
from chorus.core.conversation.tool_facts import kind_of
from chorus.core.replay.panel import PanelAgent, PanelCall, PanelWait
from chorus.core.views.figures import agent_name

MAX_LISTED = 200
"""How many calls, sub-agents and waits are listed."""
PERSON = "person"
_ENDED = frozenset({Status.DONE, Status.FAILED, Status.INTERRUPTED})


def open_calls(state: State) -> tuple[PanelCall, ...]:
    """Returns the calls that have no result, in order. The end of a turn or of the client ends them, too."""
    ends = [register.at for name in ("turn", lifecycle.LEFT) if (register := state.registers.get(name))]
    after: Order = max(ends, default=("", 0, "", 0, 0))
    return tuple(
        PanelCall(id=call, name=item.name, thread=item.agent, time=item.started_at)
        for call in state.pending.first(MAX_LISTED, after)
        for item in (state.calls[call].item,)
    )


def agents_at_work(state: State) -> tuple[PanelAgent, ...]:
    """Returns the running sub-agents, each once, in the order in which they began."""
    found: dict[str, tuple[Order, PanelAgent]] = {}
    for name in state.agents_at_work:
        item = state.agents[name].item
        same = state.agents_of_call.get(item.call or "") or [name]
        best = same[0] if same[0] in state.agents else name
        shown = state.agents[best].item
        found[best] = (
            item.order,
            PanelAgent(id=best, kind=shown.type or "", description=shown.description or "", call=item.call),
        )
    ordered = sorted(found.values(), key=lambda each: (each[0], each[1].id))
    return tuple(agent for _, agent in ordered[:MAX_LISTED])


def waits(state: State, calls: tuple[PanelCall, ...], agents: tuple[PanelAgent, ...]) -> tuple[PanelWait, ...]:
    """Returns who waits for whom. `calls` and `agents` are the groups of the same state."""
    found = [*_for_permission(state), *_for_answers(calls), *_for_agents(state, agents)]
    if not found and state.session.status in _ENDED and (since := _ended_at(state)) is not None:
        found = [PanelWait(kind="prompt", who=MAIN, whom=PERSON, what="", call=None, since=since)]
    return tuple(found[:MAX_LISTED])


def _for_permission(state: State) -> list[PanelWait]:
    left = state.registers.get(lifecycle.LEFT)
    asked = (state.permissions[name] for name in state.open_requests)
    still_open = [item for item in asked if left is None or item.order >= left.at]
    return [
        PanelWait(
            kind="permission",
            who=item.agent,
            whom=PERSON,
            what=item.tool_name or "",
            call=item.tool_use_id,
            since=item.time,
        )
        for item in sorted(still_open, key=lambda item: (item.order, item.id))
    ]


def _for_answers(calls: tuple[PanelCall, ...]) -> list[PanelWait]:
    found: list[PanelWait] = []
    for call in calls:
        kind = kind_of(call.name)
        if kind == "question" or kind == "plan":
            found.append(
                PanelWait(kind=kind, who=call.thread, whom=PERSON, what=call.name, call=call.id, since=call.time)
            )
    return found


def _for_agents(state: State, agents: tuple[PanelAgent, ...]) -> list[PanelWait]:
    found: list[PanelWait] = []
    for agent in agents:
        names = {agent.id, *state.agents_of_call.get(agent.call or "", ())}
        calling = state.calls.get(agent.call or "")
        if calling is not None and any(state.agents_at_work.get(name) for name in names):
            item = calling.item
            what = agent_name(agent.kind, agent.description)
            found.append(
                PanelWait(
                    kind="agent",
                    who=item.agent,
                    whom=agent.id,
                    what=what,
                    call=item.tool_use_id,
                    since=item.started_at,
                )
            )
    return found


def _ended_at(state: State) -> str | None:
    """Returns when the agent ended its last turn; None if its client has ended since, so that nobody waits."""
    activity, left = state.registers.get("activity"), state.registers.get(lifecycle.LEFT)
    if activity is None or (left is not None and left.at > activity.at):
        return None
    return activity.at[0]
