"""Sub-agents: whose line a record is, and which call started whom, in every layout clients have used.

An agent's id is what its records say: the client's agent id (files since 2.0, stdout since 2.1.325), else `call:` and
the call (older stdout), else `side:` and the first line of its chain (1.0, inside the main file). Ids are never
rewritten. Agents of the same call are one agent to a reader; where two of them hold the same line, the id that says
most keeps it (`precedence`).
"""

import msgspec

from chorus.core.conversation import lifecycle, prompt_pairing
from chorus.core.conversation.fold_context import Line
from chorus.core.conversation.items import MAIN, Agent, Order
from chorus.core.conversation.state import AgentState, Register, StreamState
from chorus.core.records.model import Value
from chorus.core.records.model.turns import User

TOOL_NAMES = frozenset({"Agent", "Task"})
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


def introduce(line: Line, agent: str) -> AgentState:
    """The state of `agent`, made (and put) when it is new."""
    known = line.state.agents.get(agent)
    if known is None:
        known = AgentState(Agent(id="agent:" + agent, order=_NOWHERE, agent=agent))
        line.state.agents[agent] = known
        if agent.startswith(_CALL):
            _join(line, known, agent[len(_CALL) :])
        else:
            line.put(known.item)
            lifecycle.settle(line, known)
    return known


def is_part(line: Line) -> bool:
    """Whether the agent whose line this is belongs to a call; its times wait for that where its file alone names it.

    Anybody can lay such a file beside a session: it does not tell when the session began or ended.
    """
    standings, known = line.standings, line.state.agents.get(line.agent)
    if known is None or known.item.call or standings is None or standings.of(line.record.stream).agent is None:
        return True
    if not standings.has_main:
        return True
    if line.time:
        first, last = known.times or (line.time, line.time)
        known.times = min(first, line.time), max(last, line.time)
    return False


def spoke(line: Line) -> None:
    """A line of an agent's own; the first one places the agent while its call is not known."""
    known = introduce(line, line.agent)
    if known.first_line is None or line.order < known.first_line:
        known.first_line = line.order
        _put_in_order(line, known)


def _put_in_order(line: Line, known: AgentState) -> None:
    """An agent stands where its call stands, else where its first line does."""
    calling = line.state.calls.get(known.item.call or "")
    order = calling.item.order if calling and calling.has_call else known.first_line or _NOWHERE
    if known.item.order != order:
        known.item.order = order
        line.put(known.item)


def describe(line: Line, agent: str, **facts: object) -> None:
    """Add what a record says about an agent; of several statements the first in the order holds."""
    item = introduce(line, agent).item
    changed = False
    for name, fact in facts.items():
        if fact is not None and line.first(f"agent-{name}:{agent}", fact):
            setattr(item, name, fact)
            changed = True
    if changed:
        line.put(item)


def link(line: Line, agent: str, call: str) -> None:
    """A record says that `call` started or resumed `agent`: the first such call in the order started it.

    Every one of them leads to the agent.
    """
    known = introduce(line, agent)
    line.state.resumers[call] = agent
    if line.first("agent-call:" + agent, call):
        before = known.item.call if known.is_said else None
        known.is_said = True
        _join(line, known, call)
        prompt_pairing.settle(line.state, agent, call, before, _pairing(line))
    _name_agent(line, call)


def called(line: Line, call: str, raw_input: msgspec.Raw) -> None:
    """An Agent call was made: its prompt may be how its agent is found."""
    for agent in line.state.agents_of_call.get(call, ()):
        _place_below(line, line.state.agents[agent], call)
    lifecycle.settle_call(line, call)
    try:
        errand = _errand.decode(raw_input)
    except _REFUSALS:
        return
    line.state.registers["errand:" + call] = Register(line.order, [errand.description, errand.subagent_type])
    for agent in line.state.agents_of_call.get(call, ()):
        _describe_by_call(line, line.state.agents[agent], call)
    if errand.prompt:
        prompt_pairing.send(line, errand.prompt, call, _pairing(line))


def was_prompted(line: Line, agent: str, value: User) -> None:
    """A user line without parent in an agent's thread: its words may be those of a call."""
    content = value.message.content if value.message else None
    if isinstance(content, list):
        content = content[0].text if content and content[0].type == "text" else None
    if content:
        prompt_pairing.receive(line, content, agent, _pairing(line))


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


def concluded(line: Line, call: str, outcome: tuple[str | None, str | None, str | None, bool | None] | None) -> None:
    """An Agent call has its result: the agent that the result names was started by it."""
    agent, status, kind, is_background = outcome or (None, None, None, None)
    if agent is not None:
        link(line, agent, call)
        describe(line, agent, type=kind, is_background=is_background)
        if line.state.agents[agent].item.call != call:
            lifecycle.say(line, agent, status)
    lifecycle.settle_call(line, call)


def _pairing(line: Line) -> prompt_pairing.Pair:
    def pair(agent: str, call: str | None) -> None:
        known = line.state.agents[agent]
        if call is None:
            _leave(line, known)
        elif known.item.call != call:
            _join(line, known, call)

    return pair


def _leave(line: Line, known: AgentState) -> None:
    """No call is known any more that started the agent."""
    item = known.item
    if item.call is None:
        return
    _part(line, known)
    item.call, item.parent = None, MAIN
    for name in ("description", "type"):
        if f"agent-{name}:{item.agent}" not in line.state.registers:
            setattr(item, name, None)
    _put_in_order(line, known)
    line.put(item)


def _part(line: Line, known: AgentState) -> None:
    """The call that was said to have started the agent did not."""
    before = known.item.call
    if before and known.item.agent in line.state.agents_of_call.get(before, ()):
        line.state.agents_of_call[before].remove(known.item.agent)
        _name_agent(line, before)
        lifecycle.settle_call(line, before)


def _join(line: Line, known: AgentState, call: str) -> None:
    """`known` was started by `call`, from now on."""
    state, item = line.state, known.item
    _part(line, known)
    item.call = call
    item.parent = MAIN
    of_call = state.agents_of_call.setdefault(call, [])
    of_call.append(item.agent)
    of_call.sort(key=lambda agent: (precedence(agent), agent))
    _describe_by_call(line, known, call)
    _place_below(line, known, call)
    line.put(item)
    lifecycle.settle_call(line, call)
    if known.times:
        for time in known.times:
            line.reach(time)
        known.times = None


def _describe_by_call(line: Line, known: AgentState, call: str) -> None:
    """Where no record describes the agent itself, the call's words do."""
    errand = line.state.registers.get("errand:" + call)
    if errand is None:
        return
    description, kind = errand.value
    for name, fact in (("description", description), ("type", kind)):
        if (
            fact
            and f"agent-{name}:{known.item.agent}" not in line.state.registers
            and getattr(known.item, name) != fact
        ):
            setattr(known.item, name, fact)
            line.put(known.item)


def _place_below(line: Line, known: AgentState, call: str) -> None:
    """Tell the call about its agent and the agent about its parent, as far as the call is known."""
    _name_agent(line, call)
    _put_in_order(line, known)
    calling = line.state.calls.get(call)
    above = calling.item.agent if calling and calling.has_call else known.item.parent
    if above not in (known.item.parent, known.item.agent):
        known.item.parent = above
        line.put(known.item)


def _name_agent(line: Line, call: str) -> None:
    calling = line.state.calls.get(call)
    agents = line.state.agents_of_call.get(call)
    if calling and calling.item.subagent != (best := agents[0] if agents else line.state.resumers.get(call)):
        calling.item.subagent = best
        line.put(calling.item)
