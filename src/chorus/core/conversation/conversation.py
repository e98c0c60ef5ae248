"""A conversation in memory: the changes of the fold applied, with payloads."""

from collections.abc import Iterable, Iterator
from math import fsum
from typing import TypeVar

from msgspec import structs

from chorus.core.conversation import items
from chorus.core.conversation.chunks import shown_once
from chorus.core.conversation.costs import cost_increments
from chorus.core.conversation.items import MAIN, Append, Change, Item, Reach, Remove
from chorus.core.conversation.model_usage import conversation_tokens, counts_by_turns
from chorus.core.conversation.partials import grown
from chorus.core.conversation.tool_call import ToolCall

_Kind = TypeVar("_Kind", bound=Item)
_SHOWN = (
    items.Message,
    items.Turn,
    items.Compaction,
    items.ModeChange,
    items.Notice,
    items.Queued,
    items.Call,
)


class Conversation:
    """One session, as of the changes that were applied so far."""

    def __init__(self, session_id: str) -> None:
        self.items: dict[str, Item] = {}
        """Every item by its id."""
        self._parts: dict[str, dict[str, items.Block]] = {}
        self._threads: dict[str, dict[str, Item]] = {}
        """Agent → the items that a reader of its thread can see."""
        self._agents_of_call: dict[str, dict[str, items.Agent]] = {}
        """Call → the agents that it started, by item id."""
        self._growing: dict[str, list[str]] = {}
        self._session = items.Session(id="session", order=("", 0, "", 0, 0), session_id=session_id)
        self.side_files: dict[str, items.SideFile] = {}
        """Result id → its side file, as found when the conversation was opened from disk."""
        self.plan_file: str | None = None
        """The text of the plan file that the session's slug names, if there is one."""
        self.own: items.OwnUsage | None = None
        """What the conversation itself used, if the cost ledger was asked."""
        self.given_title: str | None = None
        """The title that a person gave it, if its annotation was read."""

    def apply(self, changes: Iterable[Change]) -> None:
        """Applies changes, in the order in which the fold returned them."""
        for change in changes:
            match change:
                case items.Session():
                    self._session = structs.replace(change)
                case items.Block():
                    self.items[change.id] = change
                    self._parts.setdefault(change.of, {})[change.id] = change
                    self._growing.pop(change.id, None)
                case Item():
                    self._put(change)
                case Reach():
                    if self._session.ended_at is None or change.time > self._session.ended_at:
                        self._session.ended_at = change.time
                case Append():
                    self._growing.setdefault(change.id, []).append(change.text)
                case Remove():
                    self._remove(change.id)

    def _put(self, item: Item) -> None:
        known = self.items.get(item.id)
        if known is not None and known.agent != item.agent:
            self._threads.get(known.agent, {}).pop(item.id, None)
        self.items[item.id] = item
        if isinstance(item, items.Agent):
            self._put_agent(known, item)
        if isinstance(item, _SHOWN):
            self._threads.setdefault(item.agent, {})[item.id] = item

    def _put_agent(self, known: Item | None, agent: items.Agent) -> None:
        if isinstance(known, items.Agent) and known.call:
            self._agents_of_call.get(known.call, {}).pop(known.id, None)
        if agent.call:
            self._agents_of_call.setdefault(agent.call, {})[agent.id] = agent

    def _remove(self, item_id: str) -> None:
        gone = self.items.pop(item_id, None)
        if isinstance(gone, items.Agent) and gone.call:
            self._agents_of_call.get(gone.call, {}).pop(item_id, None)
        if isinstance(gone, items.Block):
            self._parts.get(gone.of, {}).pop(item_id, None)
        elif gone is not None:
            self._threads.get(gone.agent, {}).pop(item_id, None)
        self._growing.pop(item_id, None)

    @property
    def session(self) -> items.Session:
        """The facts about the whole session: title, status, folder, tools, models, tokens."""
        return self._session

    @property
    def id(self) -> str:
        return self._session.session_id

    @property
    def title(self) -> str | None:
        """The title that a person gave it, else the one from its records."""
        return self.given_title or self._session.title

    @property
    def status(self) -> items.Status:
        return self._session.status

    @property
    def tokens(self) -> items.Tokens:
        """Tokens of all messages, each counted once; or of the turns (`is_per_turn`) if the messages are incomplete."""
        return conversation_tokens(self._session, self.turns)

    @property
    def is_per_turn(self) -> bool:
        """Whether `tokens` are those of turn results, because no message has usage or no message has a stop reason."""
        return counts_by_turns(self._session, self.turns)

    @property
    def is_lower_bound(self) -> bool:
        """Whether `tokens` may be too low: a message has no stop reason, and no turn result has the tokens."""
        return self._session.messages_unended > 0 and not self.is_per_turn

    @property
    def reported_cost_usd(self) -> float | None:
        """The cost that the client reported: the increments of its turns, else the total of its session file, else the
        costs of its messages.

        In a fork, a total includes the cost of what was copied from its source.
        """
        if costs := cost_increments(self.turns, self._session.versions):
            return fsum(costs.values())
        if self._session.state_cost_usd is not None:
            return self._session.state_cost_usd
        stated: dict[str, float] = {}
        for message in self.all(items.Message):
            if message.cost_usd is not None:
                stated[message.message_id or message.id] = message.cost_usd
        return fsum(stated.values()) if stated else None

    def cost_of(self, turn: items.Turn) -> float | None:
        """Returns the cost that one turn added, as the client reported it."""
        return cost_increments(self.turns, self._session.versions).get(turn.id)

    def all(self, kind: type[_Kind], agent: str | None = None) -> list[_Kind]:
        """Returns the items of one kind in order; only those of `agent`, if it is given."""
        found = [
            item for item in self.items.values() if isinstance(item, kind) and (agent is None or item.agent == agent)
        ]
        return sorted(found, key=lambda item: item.order)

    @property
    def messages(self) -> list[items.Message]:
        """The messages of the main thread."""
        return self.all(items.Message, MAIN)

    @property
    def turns(self) -> list[items.Turn]:
        return self.all(items.Turn, MAIN)

    @property
    def calls(self) -> list[ToolCall]:
        """The tool calls of the main thread and all sub-agents, each with its input and its result."""
        return [ToolCall(self, item) for item in self.all(items.Call)]

    @property
    def agents(self) -> list[items.Agent]:
        """The sub-agents, one item for each. An agent with several ids is listed under the most specific one."""
        seen: dict[str, items.Agent] = {}
        for agent in self.all(items.Agent):
            call = self.call(agent.call) if agent.call else None
            best = call.subagent if call and call.subagent else agent.agent
            known = self.items.get("agent:" + best)
            seen.setdefault(best, known if isinstance(known, items.Agent) else agent)
        return list(seen.values())

    @property
    def notices(self) -> list[items.Notice]:
        return self.all(items.Notice)

    @property
    def files_touched(self) -> list[str]:
        """The files that editing tools wrote, in order of first use."""
        return list(dict.fromkeys(path for call in self.all(items.Call) for path in call.files))

    def blocks(self, item: Item) -> list[items.Block]:
        """Returns the content blocks of a message, turn or queued input, in order."""
        parts = sorted(self._parts.get(item.id, {}).values(), key=lambda block: block.order)
        return shown_once([self._grow(block) for block in parts])

    def text(self, item: Item) -> str:
        """Returns the text blocks of a message, turn or queued input, joined."""
        return "\n\n".join(
            part.block.text for part in self.blocks(item) if part.block.type == "text" and part.block.text
        )

    def call(self, tool_use_id: str) -> items.Call | None:
        """Returns the header of the call with this id of the API, or None."""
        found = self.items.get("call:" + tool_use_id)
        return found if isinstance(found, items.Call) else None

    def result(self, call: items.Call | ToolCall) -> items.ToolResult | None:
        """Returns the recorded result of a call, or None."""
        found = self.items.get("result:" + call.tool_use_id)
        return found if isinstance(found, items.ToolResult) else None

    def thread(self, agent: str = MAIN, *, internal: bool = False) -> list[Item]:
        """Returns what a reader sees of one agent, in order: messages, turns, notices, compactions, waiting input.

        `internal` includes the notices that the client wrote for its own use.
        """
        names = {agent, *(other.agent for other in self._same(agent))}
        shown: list[Item] = []
        for item in (item for name in names for item in self._threads.get(name, {}).values()):
            match item:
                case items.Notice():
                    is_shown = internal or not item.is_internal
                case items.Queued():
                    is_shown = item.is_shown
                case items.Call():
                    is_shown = item.state is items.CallState.ORPHAN
                case _:
                    is_shown = True
            if is_shown:
                shown.append(item)
        shown.sort(key=lambda item: item.order)
        return _without_repeats(shown)

    def _same(self, agent: str) -> Iterator[items.Agent]:
        """Yields the items of all ids of the same agent: those with the same call."""
        mine = self.items.get("agent:" + agent)
        if agent and isinstance(mine, items.Agent) and mine.call:
            yield from self._agents_of_call.get(mine.call, {}).values()

    def _grow(self, block: items.Block) -> items.Block:
        more = self._growing.get(block.id)
        if not more:
            return block
        text = "".join(more)
        self._growing[block.id] = [text]
        return items.Block(
            id=block.id,
            order=block.order,
            agent=block.agent,
            of=block.of,
            block=grown(block.block, text),
            place=block.place,
            is_partial=block.is_partial,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Conversation) and self._snapshot() == other._snapshot()

    __hash__ = None  # type: ignore[assignment]

    def _snapshot(self) -> tuple[items.Session, dict[str, Item], dict[str, str]]:
        growing = {name: "".join(more) for name, more in self._growing.items()}
        return self._session, self.items, growing

    def __repr__(self) -> str:
        return f"<Conversation {self.id} {self.title!r}: {self._session.messages} messages, {self.status.value}>"


def _without_repeats(thread: list[Item]) -> list[Item]:
    """Returns a thread without the mode changes that repeat the current mode."""
    kept: list[Item] = []
    mode: str | None = None
    for item in thread:
        if isinstance(item, items.ModeChange):
            mode, before = item.mode, mode
            if before in (None, mode):
                continue
        kept.append(item)
    return kept
