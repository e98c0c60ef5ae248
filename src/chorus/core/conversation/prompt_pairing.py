"""Calls and agents paired by the words of a prompt, where no record says which call started which agent.

The calls that sent a prompt and the agents that received it are paired in order. A pair that a record names is taken
out. What comes at the end of both lists changes one pair, so the cost does not grow with the number of agents.
"""

import hashlib
from bisect import bisect_left, insort
from collections.abc import Callable

from chorus.core.conversation.fold_context import FoldContext
from chorus.core.conversation.state import Errand, State

Pair = Callable[[str, str | None], None]
"""Told of an agent and the call that started it now; None when no call is left for it."""
_CALL, _AGENT = "call ", "agent "


def send(context: FoldContext, prompt: str, call: str, pair: Pair) -> None:
    """`call` sends a prompt to an agent."""
    state = context.state
    if _remember(context, _CALL + call, prompt) and not _is_taken(state, call):
        _add(state, _CALL + call, pair)


def receive(context: FoldContext, prompt: str, agent: str, pair: Pair) -> None:
    """`agent` received a prompt."""
    state = context.state
    if _remember(context, _AGENT + agent, prompt) and not state.agents[agent].is_said:
        _add(state, _AGENT + agent, pair)


def settle(state: State, agent: str, call: str, before: str | None, pair: Pair) -> None:
    """A record says that `call` started `agent`, where another one had said `before`: the others pair anew."""
    _remove(state, _AGENT + agent, pair)
    _remove(state, _CALL + call, pair)
    if before and before != call and not _is_taken(state, before):
        _add(state, _CALL + before, pair)


def _is_taken(state: State, call: str) -> bool:
    return any(state.agents[agent].is_said for agent in state.agents_of_call.get(call, ()))


def _remember(context: FoldContext, name: str, prompt: str) -> bool:
    """Keep which prompt a call or an agent has; False when that is known."""
    if name in context.state.errand_of:
        return False
    digest = hashlib.blake2b(prompt.strip().encode("utf-8", "replace"), digest_size=8).hexdigest()
    context.state.errand_of[name] = (digest, context.order)
    return True


def _add(state: State, name: str, pair: Pair) -> None:
    if name not in state.errand_of:
        return
    digest, order = state.errand_of[name]
    errand = state.errands.setdefault(digest, Errand())
    members = errand.calls if name.startswith(_CALL) else errand.agents
    entry = (order, name.partition(" ")[2])
    at = bisect_left(members, entry)
    if members[at : at + 1] != [entry]:
        insort(members, entry)
        _pair(errand, at, pair)


def _remove(state: State, name: str, pair: Pair) -> None:
    if name not in state.errand_of:
        return
    digest, order = state.errand_of[name]
    errand = state.errands.get(digest)
    if errand is None:
        return
    members = errand.calls if name.startswith(_CALL) else errand.agents
    entry = (order, name.partition(" ")[2])
    at = bisect_left(members, entry)
    if members[at : at + 1] == [entry]:
        del members[at]
        _pair(errand, at, pair)


def _pair(errand: Errand, start: int, pair: Pair) -> None:
    """Pair again from `start` on; before it nothing changed."""
    for number in range(start, len(errand.agents)):
        pair(errand.agents[number][1], errand.calls[number][1] if number < len(errand.calls) else None)
