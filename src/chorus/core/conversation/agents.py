"""Sub-agents: which agent a record belongs to, and which call started which agent, in every format of the client.

The id of an agent comes from its records: the client's agent id (files since 2.0, stdout since 2.1.325), else `call:`
and the call (older stdout), else `side:` and the first line of its chain (1.0, inside the main file). Ids are never
rewritten. Agents of the same call are shown as one agent. If two of them contain the same line, the most specific id
keeps it (`agent_ids.precedence`).
"""

import bisect

import msgspec

from chorus.core.conversation import lifecycle, prompt_pairing
from chorus.core.conversation.agent_ids import CALL, SIDE, precedence, rank
from chorus.core.conversation.fold_context import FoldContext
from chorus.core.conversation.items import MAIN, Agent, Order
from chorus.core.conversation.state import AgentState, Register, StreamState
from chorus.core.records.model import Value
from chorus.core.records.model.turns import User

_NOWHERE: Order = ("", 0, "", 0, 0)
_LAUNCHED, _LAUNCHED_BYTES = b"Async agent launched successfully", 120
"""The text with which the client reports a background agent to the model. It is in the first bytes of a result."""


class Outcome(msgspec.Struct, rename="camel"):
    """The part of an Agent call's structured result that identifies the agent."""

    agent_id: str | None = None
    status: str | None = None
    is_async: bool | None = None
    agent_type: str | None = None


class AgentInput(msgspec.Struct):
    """The part of an Agent call's input that describes the work."""

    prompt: str | None = None
    description: str | None = None
    subagent_type: str | None = None


_outcome = msgspec.json.Decoder(Outcome)
_input = msgspec.json.Decoder(AgentInput)
_DECODE_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def agent_of(stream: StreamState, value: Value, name: str) -> str:
    """Returns the agent that the line belongs to; `MAIN` for the main thread."""
    agent = value.agentId or value.agent_id
    if agent:
        return agent
    if value.parent_tool_use_id:
        return CALL + value.parent_tool_use_id
    if not value.isSidechain:
        return MAIN
    agent = stream.sidechains.get(value.parentUuid or "") or SIDE + (value.uuid or name)
    if value.uuid:
        stream.sidechains[value.uuid] = agent
    return agent


def state_of(context: FoldContext, agent: str) -> AgentState:
    """Returns the state of `agent`. A new agent is created and added to the changes."""
    known = context.state.agents.get(agent)
    if known is None:
        known = AgentState(Agent(id="agent:" + agent, order=_NOWHERE, agent=agent))
        context.state.agents[agent] = known
        if agent.startswith(CALL):
            _link_to_call(context, known, agent[len(CALL) :])
        else:
            context.put(known.item)
            lifecycle.update_status(context, known)
    return known


def is_part(context: FoldContext) -> bool:
    """Returns whether the agent of the line is known to be part of the session, so that its times count.

    Anybody can put a file next to a session, so such a file does not change when the session began or ended. Its times
    are stored until a call is known that started the agent.
    """
    authorities, known = context.authorities, context.state.agents.get(context.agent)
    if known is None or authorities is None or authorities.of(context.record.stream).agent is None:
        return True
    if known.item.call and not _is_other(context, known.item.call, context.agent):
        return True
    if not authorities.has_main:
        return True
    if context.time:
        first, last = known.times or (context.time, context.time)
        known.times = min(first, context.time), max(last, context.time)
    return False


def _is_other(context: FoldContext, call: str, agent: str) -> bool:
    """Returns whether the result of the call names another agent than the one that a sidecar says it started."""
    calling = context.state.calls.get(call)
    named = calling.outcome[0] if calling and calling.outcome else None
    return named is not None and named != agent and precedence(agent) == 0


def spoke(context: FoldContext) -> None:
    """Registers a line of the agent. While its call is not known, its first line gives the agent its order key."""
    known = state_of(context, context.agent)
    if known.first_line is None or context.order < known.first_line:
        known.first_line = context.order
        _put_in_order(context, known)


def _put_in_order(context: FoldContext, known: AgentState) -> None:
    """Gives an agent the order key of its call, or of its first line while the call is not known."""
    calling = context.state.calls.get(known.item.call or "")
    order = calling.item.order if calling and calling.has_call else known.first_line or _NOWHERE
    if known.item.order != order:
        known.item.order = order
        context.put(known.item)


def describe(context: FoldContext, agent: str, **facts: object) -> None:
    """Adds facts about an agent. If records differ, the first one in the order wins."""
    item = state_of(context, agent).item
    changed = False
    for name, fact in facts.items():
        if fact is not None and context.keep_first(f"agent-{name}:{agent}", fact):
            setattr(item, name, fact)
            changed = True
    if changed:
        context.put(item)


def link(context: FoldContext, agent: str, call: str) -> None:
    """Registers that a record says that `call` started or resumed `agent`.

    The first such call in the order started the agent. All of them refer to it.
    """
    known = state_of(context, agent)
    if _is_other(context, call, agent):
        # The result of a call decides, and not what lies beside the session.
        return
    context.state.linked_agents[call] = agent
    if context.keep_first("agent-call:" + agent, call):
        before = known.item.call if known.is_call_named else None
        known.is_call_named = True
        _link_to_call(context, known, call)
        prompt_pairing.set_pair(context.state, agent, call, before, _pairing(context))
    _name_agent(context, call)


def called(context: FoldContext, call: str, raw_input: msgspec.Raw) -> None:
    """Registers an Agent call. Its prompt may identify the agent that it started."""
    for agent in context.state.agents_of_call.get(call, ()):
        _place_below(context, context.state.agents[agent], call)
    lifecycle.update_call(context, call)
    try:
        given = _input.decode(raw_input)
    except _DECODE_ERRORS:
        return
    context.state.registers["agent-input:" + call] = Register(context.order, [given.description, given.subagent_type])
    for agent in context.state.agents_of_call.get(call, ()):
        _describe_by_call(context, context.state.agents[agent], call)
    if given.prompt:
        prompt_pairing.send(context, given.prompt, call, _pairing(context))


def was_prompted(context: FoldContext, agent: str, value: User) -> None:
    """Registers a user line without parent in an agent's thread. Its text may be the prompt of a call."""
    content = value.message.content if value.message else None
    if isinstance(content, list):
        content = content[0].text if content and content[0].type == "text" else None
    if content:
        prompt_pairing.receive(context, content, agent, _pairing(context))


def outcome_of(
    structured: msgspec.Raw, content: msgspec.Raw
) -> tuple[str | None, str | None, str | None, bool | None] | None:
    """Returns what the result of a call says about its agent: id, status, type, whether it runs in the background.

    Results inside sub-agents and of old clients have no structured form. Their text says at least whether the agent
    continues in the background. None if the result says nothing.
    """
    try:
        outcome = _outcome.decode(structured)
    except _DECODE_ERRORS:
        outcome = Outcome()
    if outcome.agent_id is not None:
        return outcome.agent_id, outcome.status, outcome.agent_type, outcome.is_async
    if _LAUNCHED in bytes(memoryview(content)[:_LAUNCHED_BYTES]):
        return None, "async_launched", None, True
    return None


def concluded(
    context: FoldContext, call: str, outcome: tuple[str | None, str | None, str | None, bool | None] | None
) -> None:
    """Registers the result of an Agent call. The call started the agent that the result names."""
    agent, status, kind, is_background = outcome or (None, None, None, None)
    if agent is not None:
        link(context, agent, call)
        for other in [each for each in context.state.agents_of_call.get(call, ()) if _is_other(context, call, each)]:
            _unlink(context, context.state.agents[other])
        describe(context, agent, type=kind, is_background=is_background)
        if context.state.agents[agent].item.call != call:
            lifecycle.report_status(context, agent, status)
    lifecycle.update_call(context, call)


def _pairing(context: FoldContext) -> prompt_pairing.Pair:
    """Returns the function that links an agent to the call with which it was paired."""

    def pair(agent: str, call: str | None) -> None:
        known = context.state.agents[agent]
        if call is None:
            _unlink(context, known)
        elif known.item.call != call:
            _link_to_call(context, known, call)

    return pair


def _unlink(context: FoldContext, known: AgentState) -> None:
    """Removes the link from an agent to the call that started it."""
    item = known.item
    if item.call is None:
        return
    _detach(context, known)
    item.call, item.parent = None, MAIN
    for name in ("description", "type"):
        if f"agent-{name}:{item.agent}" not in context.state.registers:
            setattr(item, name, None)
    _put_in_order(context, known)
    context.put(item)


def _detach(context: FoldContext, known: AgentState) -> None:
    """Removes an agent from the agents of its call."""
    before = known.item.call
    if before and known.item.agent in context.state.agents_of_call.get(before, ()):
        context.state.agents_of_call[before].remove(known.item.agent)
        _name_agent(context, before)
        lifecycle.left(context, before)


def _link_to_call(context: FoldContext, known: AgentState, call: str) -> None:
    """Links an agent to the call that started it, instead of any earlier one."""
    state, item = context.state, known.item
    _detach(context, known)
    item.call = call
    item.parent = MAIN
    of_call = state.agents_of_call.setdefault(call, [])
    bisect.insort(of_call, item.agent, key=rank)
    _describe_by_call(context, known, call)
    _place_below(context, known, call)
    context.put(item)
    lifecycle.joined(context, item.agent, call)
    if known.times:
        for time in known.times:
            context.reach(time)
        known.times = None


def _describe_by_call(context: FoldContext, known: AgentState, call: str) -> None:
    """Describes an agent by the input of its call, as far as no record describes the agent itself."""
    given = context.state.registers.get("agent-input:" + call)
    if given is None:
        return
    description, kind = given.value
    for name, fact in (("description", description), ("type", kind)):
        if (
            fact
            and f"agent-{name}:{known.item.agent}" not in context.state.registers
            and getattr(known.item, name) != fact
        ):
            setattr(known.item, name, fact)
            context.put(known.item)


def _place_below(context: FoldContext, known: AgentState, call: str) -> None:
    """Sets the agent of the call and the parent of the agent, as far as the call is known."""
    _name_agent(context, call)
    _put_in_order(context, known)
    calling = context.state.calls.get(call)
    above = calling.item.agent if calling and calling.has_call else known.item.parent
    if above not in (known.item.parent, known.item.agent):
        known.item.parent = above
        context.put(known.item)


def _name_agent(context: FoldContext, call: str) -> None:
    """Sets the agent of a call to the most specific id."""
    calling = context.state.calls.get(call)
    agents = context.state.agents_of_call.get(call)
    named = calling.outcome[0] if calling and calling.outcome else None
    if named is None or named not in (agents or ()):
        named = agents[0] if agents else context.state.linked_agents.get(call)
    if calling and calling.item.subagent != (best := named):
        calling.item.subagent = best
        context.put(calling.item)
