"""Sub-agents: whose line a record is, and which call started whom, in every layout clients have used.

An agent's id is what its records say: the client's agent id (files since 2.0, stdout since 2.1.325), else `call:` and
the call (older stdout), else `side:` and the first line of its chain (1.0, inside the main file). Ids are never
rewritten. Agents of the same call are one agent to a reader; where two of them hold the same line, the id that says
most keeps it (`precedence`).
"""

import msgspec

from chorus.core.conversation import lifecycle, prompt_pairing
from chorus.core.conversation.fold_context import FoldContext
from chorus.core.conversation.items import MAIN, Agent, Order
from chorus.core.conversation.state import AgentState, Register, StreamState
from chorus.core.records.model import Value
from chorus.core.records.model.turns import User

_CALL, _SIDE = "call:", "side:"
_NOWHERE: Order = ("", 0, "", 0, 0)
_LAUNCHED, _LAUNCHED_BYTES = b"Async agent launched successfully", 120
"""How the client tells the model that an agent goes on in the background, and how far into a result that stands."""


class Outcome(msgspec.Struct, rename="camel"):
    """The part of an Agent call's structured result that tells which agent it was."""

    agent_id: str | None = None
    status: str | None = None
    is_async: bool | None = None
    agent_type: str | None = None


class Errand(msgspec.Struct):
    """The part of an Agent call's input that tells what was asked."""

    prompt: str | None = None
    description: str | None = None
    subagent_type: str | None = None


_outcome = msgspec.json.Decoder(Outcome)
_errand = msgspec.json.Decoder(Errand)
_REFUSALS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def agent_of(stream: StreamState, value: Value, name: str) -> str:
    """The agent whose line this is; `MAIN` for the main thread."""
    agent = value.agentId or value.agent_id
    if agent:
        return agent
    if value.parent_tool_use_id:
        return _CALL + value.parent_tool_use_id
    if not value.isSidechain:
        return MAIN
    agent = stream.sidechains.get(value.parentUuid or "") or _SIDE + (value.uuid or name)
    if value.uuid:
        stream.sidechains[value.uuid] = agent
    return agent


def precedence(agent: str) -> int:
    """Which of two ids for one agent keeps a line both have; the lower one."""
    return 2 if agent.startswith(_CALL) else 1 if agent.startswith(_SIDE) else 0


def introduce(context: FoldContext, agent: str) -> AgentState:
    """The state of `agent`, made (and put) when it is new."""
    known = context.state.agents.get(agent)
    if known is None:
        known = AgentState(Agent(id="agent:" + agent, order=_NOWHERE, agent=agent))
        context.state.agents[agent] = known
        if agent.startswith(_CALL):
            _join(context, known, agent[len(_CALL) :])
        else:
            context.put(known.item)
            lifecycle.settle(context, known)
    return known


def is_part(context: FoldContext) -> bool:
    """Whether the agent whose line this is belongs to a call; its times wait for that where its file alone names it.

    Anybody can lay such a file beside a session: it does not tell when the session began or ended.
    """
    standings, known = context.standings, context.state.agents.get(context.agent)
    if known is None or known.item.call or standings is None or standings.of(context.record.stream).agent is None:
        return True
    if not standings.has_main:
        return True
    if context.time:
        first, last = known.times or (context.time, context.time)
        known.times = min(first, context.time), max(last, context.time)
    return False


def spoke(context: FoldContext) -> None:
    """A line of an agent's own; the first one places the agent while its call is not known."""
    known = introduce(context, context.agent)
    if known.first_line is None or context.order < known.first_line:
        known.first_line = context.order
        _put_in_order(context, known)


def _put_in_order(context: FoldContext, known: AgentState) -> None:
    """An agent stands where its call stands, else where its first line does."""
    calling = context.state.calls.get(known.item.call or "")
    order = calling.item.order if calling and calling.has_call else known.first_line or _NOWHERE
    if known.item.order != order:
        known.item.order = order
        context.put(known.item)


def describe(context: FoldContext, agent: str, **facts: object) -> None:
    """Add what a record says about an agent; of several statements the first in the order holds."""
    item = introduce(context, agent).item
    changed = False
    for name, fact in facts.items():
        if fact is not None and context.first(f"agent-{name}:{agent}", fact):
            setattr(item, name, fact)
            changed = True
    if changed:
        context.put(item)


def link(context: FoldContext, agent: str, call: str) -> None:
    """A record says that `call` started or resumed `agent`: the first such call in the order started it.

    Every one of them leads to the agent.
    """
    known = introduce(context, agent)
    context.state.resumers[call] = agent
    if context.first("agent-call:" + agent, call):
        before = known.item.call if known.is_said else None
        known.is_said = True
        _join(context, known, call)
        prompt_pairing.settle(context.state, agent, call, before, _pairing(context))
    _name_agent(context, call)


def called(context: FoldContext, call: str, raw_input: msgspec.Raw) -> None:
    """An Agent call was made: its prompt may be how its agent is found."""
    for agent in context.state.agents_of_call.get(call, ()):
        _place_below(context, context.state.agents[agent], call)
    lifecycle.settle_call(context, call)
    try:
        errand = _errand.decode(raw_input)
    except _REFUSALS:
        return
    context.state.registers["errand:" + call] = Register(context.order, [errand.description, errand.subagent_type])
    for agent in context.state.agents_of_call.get(call, ()):
        _describe_by_call(context, context.state.agents[agent], call)
    if errand.prompt:
        prompt_pairing.send(context, errand.prompt, call, _pairing(context))


def was_prompted(context: FoldContext, agent: str, value: User) -> None:
    """A user line without parent in an agent's thread: its words may be those of a call."""
    content = value.message.content if value.message else None
    if isinstance(content, list):
        content = content[0].text if content and content[0].type == "text" else None
    if content:
        prompt_pairing.receive(context, content, agent, _pairing(context))


def outcome_of(
    structured: msgspec.Raw, content: msgspec.Raw
) -> tuple[str | None, str | None, str | None, bool | None] | None:
    """What the result of a call says of the agent it started: id, status, type, in the background.

    Results inside sub-agents and of old clients have no structured form; what they say to the model tells at least
    whether the agent goes on in the background.
    """
    try:
        outcome = _outcome.decode(structured)
    except _REFUSALS:
        outcome = Outcome()
    if outcome.agent_id is not None:
        return outcome.agent_id, outcome.status, outcome.agent_type, outcome.is_async
    if _LAUNCHED in bytes(memoryview(content)[:_LAUNCHED_BYTES]):
        return None, "async_launched", None, True
    return None


def concluded(
    context: FoldContext, call: str, outcome: tuple[str | None, str | None, str | None, bool | None] | None
) -> None:
    """An Agent call has its result: the agent that the result names was started by it."""
    agent, status, kind, is_background = outcome or (None, None, None, None)
    if agent is not None:
        link(context, agent, call)
        describe(context, agent, type=kind, is_background=is_background)
        if context.state.agents[agent].item.call != call:
            lifecycle.say(context, agent, status)
    lifecycle.settle_call(context, call)


def _pairing(context: FoldContext) -> prompt_pairing.Pair:
    def pair(agent: str, call: str | None) -> None:
        known = context.state.agents[agent]
        if call is None:
            _leave(context, known)
        elif known.item.call != call:
            _join(context, known, call)

    return pair


def _leave(context: FoldContext, known: AgentState) -> None:
    """No call is known any more that started the agent."""
    item = known.item
    if item.call is None:
        return
    _part(context, known)
    item.call, item.parent = None, MAIN
    for name in ("description", "type"):
        if f"agent-{name}:{item.agent}" not in context.state.registers:
            setattr(item, name, None)
    _put_in_order(context, known)
    context.put(item)


def _part(context: FoldContext, known: AgentState) -> None:
    """The call that was said to have started the agent did not."""
    before = known.item.call
    if before and known.item.agent in context.state.agents_of_call.get(before, ()):
        context.state.agents_of_call[before].remove(known.item.agent)
        _name_agent(context, before)
        lifecycle.settle_call(context, before)


def _join(context: FoldContext, known: AgentState, call: str) -> None:
    """`known` was started by `call`, from now on."""
    state, item = context.state, known.item
    _part(context, known)
    item.call = call
    item.parent = MAIN
    of_call = state.agents_of_call.setdefault(call, [])
    of_call.append(item.agent)
    of_call.sort(key=lambda agent: (precedence(agent), agent))
    _describe_by_call(context, known, call)
    _place_below(context, known, call)
    context.put(item)
    lifecycle.settle_call(context, call)
    if known.times:
        for time in known.times:
            context.reach(time)
        known.times = None


def _describe_by_call(context: FoldContext, known: AgentState, call: str) -> None:
    """Where no record describes the agent itself, the call's words do."""
    errand = context.state.registers.get("errand:" + call)
    if errand is None:
        return
    description, kind = errand.value
    for name, fact in (("description", description), ("type", kind)):
        if (
            fact
            and f"agent-{name}:{known.item.agent}" not in context.state.registers
            and getattr(known.item, name) != fact
        ):
            setattr(known.item, name, fact)
            context.put(known.item)


def _place_below(context: FoldContext, known: AgentState, call: str) -> None:
    """Tell the call about its agent and the agent about its parent, as far as the call is known."""
    _name_agent(context, call)
    _put_in_order(context, known)
    calling = context.state.calls.get(call)
    above = calling.item.agent if calling and calling.has_call else known.item.parent
    if above not in (known.item.parent, known.item.agent):
        known.item.parent = above
        context.put(known.item)


def _name_agent(context: FoldContext, call: str) -> None:
    calling = context.state.calls.get(call)
    agents = context.state.agents_of_call.get(call)
    if calling and calling.item.subagent != (best := agents[0] if agents else context.state.resumers.get(call)):
        calling.item.subagent = best
        context.put(calling.item)
