"""Pairs calls and agents by the text of the prompt, if no record says which call started which agent.

The calls that sent a prompt and the agents that received it are paired in order. Pairs that a record names are removed
from both lists. An addition at the end of the lists changes one pair, so the cost does not grow with their length.
"""

import hashlib
from bisect import bisect_left, insort
from collections.abc import Callable

from chorus.core.conversation.fold_context import FoldContext
from chorus.core.conversation.state import SharedPrompt, State

Pair = Callable[[str, str | None], None]
"""Called with an agent and the call that started it, or None if no call is left for the agent."""
_CALL, _AGENT = "call ", "agent "


def send(context: FoldContext, prompt: str, call: str, pair: Pair) -> None:
    """Registers that `call` sent a prompt to an agent."""
    state = context.state
    if _remember(context, _CALL + call, prompt) and not _is_taken(state, call):
        _add(state, _CALL + call, pair)


def receive(context: FoldContext, prompt: str, agent: str, pair: Pair) -> None:
    """Registers that `agent` received a prompt."""
    state = context.state
    if _remember(context, _AGENT + agent, prompt) and not state.agents[agent].is_call_named:
        _add(state, _AGENT + agent, pair)


def set_pair(state: State, agent: str, call: str, before: str | None, pair: Pair) -> None:
    """Removes a pair that a record names, and pairs the others again. An earlier record had named the call `before`."""
    _remove(state, _AGENT + agent, pair)
    _remove(state, _CALL + call, pair)
    if before and before != call and not _is_taken(state, before):
        _add(state, _CALL + before, pair)


def _is_taken(state: State, call: str) -> bool:
    return any(state.agents[agent].is_call_named for agent in state.agents_of_call.get(call, ()))


def _remember(context: FoldContext, name: str, prompt: str) -> bool:
    """Stores the prompt of a call or an agent. Returns False if it was already stored."""
    if name in context.state.prompt_of:
        return False
    digest = hashlib.blake2b(prompt.strip().encode("utf-8", "replace"), digest_size=8).hexdigest()
    context.state.prompt_of[name] = (digest, context.order)
    return True


def _add(state: State, name: str, pair: Pair) -> None:
    if name not in state.prompt_of:
        return
    digest, order = state.prompt_of[name]
    shared = state.shared_prompts.setdefault(digest, SharedPrompt())
    members = shared.calls if name.startswith(_CALL) else shared.agents
    entry = (order, name.partition(" ")[2])
    at = bisect_left(members, entry)
    if members[at : at + 1] != [entry]:
        insort(members, entry)
        _pair(shared, at, pair)


def _remove(state: State, name: str, pair: Pair) -> None:
    if name not in state.prompt_of:
        return
    digest, order = state.prompt_of[name]
    shared = state.shared_prompts.get(digest)
    if shared is None:
        return
    members = shared.calls if name.startswith(_CALL) else shared.agents
    entry = (order, name.partition(" ")[2])
    at = bisect_left(members, entry)
    if members[at : at + 1] == [entry]:
        del members[at]
        _pair(shared, at, pair)


def _pair(shared: SharedPrompt, start: int, pair: Pair) -> None:
    """Pairs agents and calls again from position `start` on. The pairs before it did not change."""
    for number in range(start, len(shared.agents)):
        pair(shared.agents[number][1], shared.calls[number][1] if number < len(shared.calls) else None)
