"""Facts that a row needs and that depend on the whole conversation: branches, sub-agents, costs and permissions.

The row builder gets them from a `ConversationFacts`. `FoldedFacts` reads them from a conversation in memory. A page
has only some dozens of entries, so it uses an implementation that knows the rest of the conversation too.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Protocol

from chorus.core.conversation import items
from chorus.core.conversation.branches import active_thread, branches
from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.costs import cost_increments
from chorus.core.conversation.items import MAIN, Author
from chorus.core.records.place import Place

Stretch = tuple[items.Order | None, items.Order | None]
"""A part of a thread: from the first order key (included) to the second one (excluded). None means no limit."""


class ConversationFacts(Protocol):
    """Facts about a whole conversation. Arguments are item ids, but for agents and calls, which have their own ids."""

    def is_abandoned(self, message: str) -> bool:
        """Returns whether a message of the main thread is on an abandoned branch."""
        ...

    def continues(self, message: str) -> str | None:
        """Returns the message that the first message of a branch continues; None for any other message."""
        ...

    def cost_of(self, turn: str) -> float | None:
        """Returns what a turn added to the cost, in dollars."""
        ...

    def permission_of(self, call: str) -> str | None:
        """Returns the state of the last permission request for a call."""
        ...

    def agent(self, name: str) -> items.Agent | None: ...

    def entries(self, agent: str, call: str | None) -> int:
        """Returns how many entries the agent's thread has. If several calls led to it, only those of `call` count."""
        ...

    def last_said(self, turn: items.Turn) -> str | None:
        """Returns the last message with text from the model before the end of the turn, in the same thread."""
        ...

    def failures(self, notice: str) -> tuple[str, int]:
        """Returns the last error of an uninterrupted series of API errors, and the number of errors in the series.

        A run reports each error in two streams, so only the stream with the most errors is counted. The number is 0
        for a notice that is not the first of its series: the row of the first one shows the whole series.
        """
        ...

    def lost(self, part: str) -> Place | None:
        """Returns where a block or result was stored if it cannot be read any more; None if it can be read."""
        ...


class FoldedFacts:
    """Facts from a complete conversation in memory."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._costs = cost_increments(conversation.turns, conversation.session.versions)
        self._permissions = {asked.tool_use_id: asked.state for asked in conversation.all(items.Permission)}
        active = {message.id for message in active_thread(conversation)}
        self._abandoned = {message.id for message in conversation.messages if message.id not in active}
        self._heads = {head: branch.at for branch in branches(conversation) for head in branch.heads}
        self._calls: dict[str, list[items.Call]] = {}
        """Maps an agent to the calls that started and resumed it, in order."""
        for call in conversation.all(items.Call):
            if call.subagent:
                self._calls.setdefault(call.subagent, []).append(call)
        self._said: dict[str, dict[str, str]] = {}
        self._failures: dict[str, dict[str, tuple[str, int]]] = {}

    def is_abandoned(self, message: str) -> bool:
        return message in self._abandoned

    def continues(self, message: str) -> str | None:
        return self._heads.get(message)

    def cost_of(self, turn: str) -> float | None:
        return self._costs.get(turn)

    def permission_of(self, call: str) -> str | None:
        return self._permissions.get(call)

    def agent(self, name: str) -> items.Agent | None:
        found = self._conversation.items.get("agent:" + name)
        return found if isinstance(found, items.Agent) else None

    def entries(self, agent: str, call: str | None) -> int:
        found = self._conversation.thread(agent)
        since, until = self.stretch(agent, call)
        return sum(self._may_show(item) for item in found if is_within(item.order, since, until))

    def stretch(self, agent: str, call: str | None) -> Stretch:
        """Returns the part of an agent's thread that `call` led to; all of it for a single call or for None."""
        calls = self._calls.get(agent, [])
        at = next((n for n, each in enumerate(calls) if each.tool_use_id == call), None)
        if at is None:
            return None, None
        return calls[at].order if at else None, calls[at + 1].order if at + 1 < len(calls) else None

    def last_said(self, turn: items.Turn) -> str | None:
        if turn.agent not in self._said:
            self._said[turn.agent] = self._last_said_in(turn.agent)
        return self._said[turn.agent].get(turn.id)

    def failures(self, notice: str) -> tuple[str, int]:
        item = self._conversation.items[notice]
        if item.agent not in self._failures:
            self._failures[item.agent] = self._failures_in(item.agent)
        return self._failures[item.agent].get(notice, (notice, 0))

    def lost(self, part: str) -> Place | None:
        return None

    def agents_without_call(self) -> list[items.Agent]:
        """Returns the sub-agents that no call started, in order."""
        conversation = self._conversation
        started = {call.subagent: call.agent for call in conversation.all(items.Call) if call.subagent}
        return agents_without_call(conversation.agents, started)

    def _may_show(self, item: items.Item) -> bool:
        return not isinstance(item, items.Message) or item.error is not None or bool(self._conversation.blocks(item))

    def _failures_in(self, agent: str) -> dict[str, tuple[str, int]]:
        """Maps the first error of each series to the last one, and to the number of errors."""
        series: dict[str, list[items.Notice]] = {}
        first: str | None = None
        for item in thread_of(self._conversation, agent, internal=False):
            if not isinstance(item, items.Notice) or item.failure is None:
                first = None if self._may_show(item) else first
                continue
            first = first or item.id
            series.setdefault(first, []).append(item)
        return {name: (each[-1].id, highest_count(item.order[2] for item in each)) for name, each in series.items()}

    def _last_said_in(self, agent: str) -> dict[str, str]:
        found: dict[str, str] = {}
        last: str | None = None
        for item in self._conversation.thread(agent):
            if isinstance(item, items.Turn) and last is not None:
                found[item.id] = last
            elif isinstance(item, items.Message) and item.author is Author.MODEL and self._has_words(item):
                last = item.id
        return found

    def _has_words(self, message: items.Message) -> bool:
        return any(part.block.type == "text" and not part.is_partial for part in self._conversation.blocks(message))


def is_within(order: items.Order, since: items.Order | None, until: items.Order | None) -> bool:
    """Returns whether an order key is within a part of a thread."""
    return (since is None or order >= since) and (until is None or order < until)


def highest_count(streams: Iterable[str]) -> int:
    """Returns how often the most frequent stream occurs."""
    return max(Counter(streams).values(), default=0)


def thread_of(conversation: Conversation, agent: str, *, internal: bool) -> list[items.Item]:
    """Returns the items of a thread in order. Under the same order key, a mode comes first; then ids decide."""
    found = conversation.thread(agent, internal=internal)
    return sorted(found, key=lambda item: (item.order, not isinstance(item, items.ModeChange), item.id))


def agents_without_call(agents: Iterable[items.Agent], started: Mapping[str, str]) -> list[items.Agent]:
    """Returns those agents that no call started. `started` maps an agent to the thread of the call that started it.

    If agents started each other in a circle, the first one is returned too, so that every agent can be reached.
    """
    known = {agent.agent: agent for agent in agents}
    found = {name for name in known if name not in started}
    reached = {MAIN}
    for agent in known:
        name, above = agent, dict[str, None]()
        while name not in reached and name not in above:
            above[name] = None
            name = started.get(name, MAIN)
        if name not in reached:
            circle = list(above)[list(above).index(name) :]
            found.add(next((each for each in known if each in circle), name))
        reached.update(above)
    return [agent for name, agent in known.items() if name in found]
