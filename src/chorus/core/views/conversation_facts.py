"""What only the whole of a conversation tells about a part of it: its branches, sub-agents, costs and permissions.

The renderer asks a `Whole` for it. `Folded` answers from a conversation in memory; a page, which holds some dozens of
entries, is given one that knows the rest.
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
"""From where to where a part of a thread goes."""


class Whole(Protocol):
    """Facts about a whole conversation. Ids are those of items, but for agents and calls, which have their own."""

    def is_abandoned(self, message: str) -> bool:
        """Whether a message of the main thread is on a branch that the conversation left."""
        ...

    def continues(self, message: str) -> str | None:
        """The message that a head of a branch continues; None for one that is no head."""
        ...

    def cost_of(self, turn: str) -> float | None:
        """What a turn added to the cost."""
        ...

    def permission_of(self, call: str) -> str | None:
        """What became of the last question whether the call may run."""
        ...

    def agent(self, name: str) -> items.Agent | None: ...

    def entries(self, agent: str, call: str | None) -> int:
        """How many entries the agent's thread has; where several calls led to it, in the stretch of this one."""
        ...

    def last_said(self, turn: items.Turn) -> str | None:
        """The last message with words that the model said before the turn's end, in the same thread."""
        ...

    def failures(self, notice: str) -> tuple[str, int]:
        """Of an error of the API: the last of those that follow it with nothing between, and how many it is with them.

        A run tells of each in two streams, so they are counted in the one that has most. 0 for one that follows
        another: the row of the first tells of it.
        """
        ...

    def lost(self, part: str) -> Place | None:
        """Where a block or result was that cannot be read any more; None for one that can."""
        ...


class Folded:
    """A conversation in memory tells all of it."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._costs = cost_increments(conversation.turns, conversation.session.versions)
        self._permissions = {asked.tool_use_id: asked.state for asked in conversation.all(items.Permission)}
        active = {message.id for message in active_thread(conversation)}
        self._abandoned = {message.id for message in conversation.messages if message.id not in active}
        self._heads = {head: branch.at for branch in branches(conversation) for head in branch.heads}
        self._calls: dict[str, list[items.Call]] = {}
        """Agent → the calls that started and resumed it, in order."""
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
        """The part of an agent's thread that a call led to; all of it where only one call did, or none is named."""
        calls = self._calls.get(agent, [])
        at = next((n for n, each in enumerate(calls) if each.tool_use_id == call), None)
        if at is None:
            return None, None
        return calls[at].order if at else None, calls[at + 1].order if at + 1 < len(calls) else None

    def last_said(self, turn: items.Turn) -> str | None:
        if turn.agent not in self._said:
            self._said[turn.agent] = self._said_in(turn.agent)
        return self._said[turn.agent].get(turn.id)

    def failures(self, notice: str) -> tuple[str, int]:
        item = self._conversation.items[notice]
        if item.agent not in self._failures:
            self._failures[item.agent] = self._failures_in(item.agent)
        return self._failures[item.agent].get(notice, (notice, 0))

    def lost(self, part: str) -> Place | None:
        return None

    def apart(self) -> list[items.Agent]:
        """The sub-agents that no call started, in order."""
        conversation = self._conversation
        started = {call.subagent: call.agent for call in conversation.all(items.Call) if call.subagent}
        return apart(conversation.agents, started)

    def _may_show(self, item: items.Item) -> bool:
        return not isinstance(item, items.Message) or item.error is not None or bool(self._conversation.blocks(item))

    def _failures_in(self, agent: str) -> dict[str, tuple[str, int]]:
        """First of a series → its last, and how many there are."""
        series: dict[str, list[items.Notice]] = {}
        first: str | None = None
        for item in thread_of(self._conversation, agent, internal=False):
            if not isinstance(item, items.Notice) or item.failure is None:
                first = None if self._may_show(item) else first
                continue
            first = first or item.id
            series.setdefault(first, []).append(item)
        return {name: (each[-1].id, most_of_one(item.order[2] for item in each)) for name, each in series.items()}

    def _said_in(self, agent: str) -> dict[str, str]:
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
    """Whether something stands in a stretch of its thread."""
    return (since is None or order >= since) and (until is None or order < until)


def most_of_one(streams: Iterable[str]) -> int:
    """How often the most frequent of them is there."""
    return max(Counter(streams).values(), default=0)


def thread_of(conversation: Conversation, agent: str, *, internal: bool) -> list[items.Item]:
    """The items of a thread in order; of those that share theirs, the mode comes first, then the one of lower id."""
    found = conversation.thread(agent, internal=internal)
    return sorted(found, key=lambda item: (item.order, not isinstance(item, items.ModeChange), item.id))


def apart(agents: Iterable[items.Agent], started: Mapping[str, str]) -> list[items.Agent]:
    """Of these agents, those that no call started; `started` gives the thread in which the call of an agent stands.

    Of agents that started each other in a circle, the first is apart: nothing is out of reach.
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
