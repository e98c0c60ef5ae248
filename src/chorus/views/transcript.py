"""A conversation as rows: each call with its result, each sub-agent below the call that started it."""

from collections.abc import Iterator

from chorus.conversation import items
from chorus.conversation.branches import active_thread, branches
from chorus.conversation.conversation import Conversation
from chorus.conversation.costs import cost_increments
from chorus.conversation.items import MAIN, Author
from chorus.records.model.base import ABSENT
from chorus.views import figures, tools
from chorus.views.blocks import Block, Note, Prose, SideFile
from chorus.views.content import shape
from chorus.views.notices import notice_row
from chorus.views.prompts import prompt
from chorus.views.repeats import without_last_words, without_prompt
from chorus.views.rows import (
    AgentRow,
    BranchRow,
    CompactionRow,
    MessageRow,
    ModeRow,
    OrphanRow,
    Piece,
    QueuedRow,
    Row,
    SubAgent,
    ToolCall,
    TurnRow,
)

DEEPEST = 6
"""Sub-agents nest this deep below each other; what lies deeper is shown after the thread."""
_WORDS = 80


def rows(conversation: Conversation, agent: str = MAIN, *, internal: bool = False) -> list[Row]:
    """What a reader sees of one agent's thread, in order; `internal` adds the client's own book-keeping."""
    return list(each_row(conversation, agent, internal=internal))


def each_row(conversation: Conversation, agent: str = MAIN, *, internal: bool = False) -> Iterator[Row]:
    """The same one by one, so that a door can begin before the end is reached.

    Every sub-agent is shown once: below its call, or after the main thread when no call on display started it.
    """
    return _Reader(conversation, internal=internal).read(agent)


class _Reader:
    """One pass over a conversation; knows which agents were shown."""

    def __init__(self, conversation: Conversation, *, internal: bool) -> None:
        self.conversation = conversation
        self.internal = internal
        self.shown: set[str] = set()
        self.costs = cost_increments(conversation.turns, conversation.session.versions)
        self.permissions = {asked.tool_use_id: asked.state for asked in conversation.all(items.Permission)}
        active = {message.id for message in active_thread(conversation)}
        self.abandoned = {message.id for message in conversation.messages if message.id not in active}
        self.heads = {head: branch.at for branch in branches(conversation) for head in branch.heads}
        self.said: set[str] = set()
        self.deeper: list[items.Agent] = []

    def read(self, agent: str) -> Iterator[Row]:
        self.shown.add(agent)
        yield from self._thread(agent, depth=0)
        yield from self._apart(self.deeper)
        if agent == MAIN:
            yield from self._apart(self.conversation.agents)
            yield from self._apart(self.deeper)

    def _apart(self, agents: list[items.Agent]) -> Iterator[Row]:
        """Agents in rows of their own, but for those shown already; the list may grow meanwhile."""
        for agent in agents:
            if agent.agent not in self.shown:
                self.shown.add(agent.agent)
                if (found := self._agent(agent, depth=1)).rows:
                    yield AgentRow(id=agent.id, agent=found)

    def _thread(self, agent: str, depth: int) -> Iterator[Row]:
        for item in self.conversation.thread(agent, internal=self.internal):
            match item:
                case items.Message():
                    yield from self._message(item, depth)
                case items.Turn():
                    yield self._turn(item)
                case items.Compaction():
                    yield CompactionRow(
                        id=item.id,
                        time=item.time,
                        trigger=item.trigger,
                        pre_tokens=item.pre_tokens,
                        post_tokens=item.post_tokens,
                    )
                case items.Queued():
                    yield QueuedRow(id=item.id, time=item.time, blocks=self._words(item))
                case items.ModeChange():
                    yield ModeRow(id=item.id, time=item.time, mode=item.mode)
                case items.Notice():
                    yield notice_row(item)
                case items.Call():
                    yield OrphanRow(id=item.id, time=item.ended_at, call=self._call(item, depth))
                case _:
                    raise AssertionError(f"a thread holds no {type(item).__name__}")

    def _message(self, message: items.Message, depth: int) -> Iterator[Row]:
        if message.id in self.heads:
            at = self.conversation.items.get(self.heads[message.id])
            words = " ".join(self.conversation.text(at).split())[:_WORDS] if at else ""
            is_abandoned = message.id in self.abandoned
            yield BranchRow(
                id="branch:" + message.id, at=self.heads[message.id], is_abandoned=is_abandoned, words=words
            )
        pieces = tuple(self._pieces(message, depth))
        if not pieces and message.error is None:
            return
        if message.author is Author.MODEL:
            self.said.add(self.conversation.text(message).strip())
        yield MessageRow(
            id=message.id,
            time=message.started_at,
            author=message.author,
            model=message.model,
            duration_ms=message.duration_ms or figures.elapsed_ms(message.started_at, message.ended_at) or None,
            tokens=message.tokens,
            cost_usd=message.cost_usd,
            stop_reason=message.stop_reason,
            error=message.error,
            is_partial=message.is_partial,
            is_queued=message.is_queued,
            is_abandoned=message.id in self.abandoned,
            pieces=pieces,
        )

    def _pieces(self, message: items.Message, depth: int) -> Iterator[Piece]:
        for part in self.conversation.blocks(message):
            block = part.block
            if block.type == "tool_use":
                call = self.conversation.call(block.id or part.id)
                if call is not None and call.block == part.id:
                    yield self._call(call, depth)
            elif block.type == "text" and message.author is not Author.MODEL:
                yield from prompt(message.author, block.text or "")
            elif (found := shape(block)) is not None:
                yield found

    def _call(self, call: items.Call, depth: int) -> ToolCall:
        made = self.conversation.items.get(call.block or "")
        raw = made.block.input if isinstance(made, items.Block) else ABSENT
        result = self.conversation.result(call)
        seen = tools.view(call.name, raw, result, self._side_file(result))
        agent = self._started_by(call, depth + 1)
        return ToolCall(
            id=call.tool_use_id,
            name=call.name,
            label=seen.label or call.name or "unknown tool",
            title=seen.title,
            state=call.state,
            time=call.started_at,
            duration_ms=figures.elapsed_ms(call.started_at, call.ended_at),
            permission=self.permissions.get(call.tool_use_id),
            asked=seen.asked,
            agent=without_prompt(agent, seen.asked) if agent else None,
            given=without_last_words(seen.given, agent) if agent else seen.given,
        )

    def _side_file(self, result: items.ToolResult | None) -> SideFile | None:
        if result is None or result.side_file is None:
            return None
        found = self.conversation.side_files.get(result.id)
        return SideFile(name=result.side_file, size_bytes=found.size_bytes if found else None)

    def _started_by(self, call: items.Call, depth: int) -> SubAgent | None:
        started = self.conversation.items.get("agent:" + call.subagent) if call.subagent else None
        if not isinstance(started, items.Agent):
            return None
        if started.agent in self.shown:
            return self._facts(started, elsewhere="shown above")
        if depth > DEEPEST:
            self.deeper.append(started)
            return self._facts(started, elsewhere="shown at the end")
        self.shown.add(started.agent)
        return self._agent(started, depth)

    def _agent(self, agent: items.Agent, depth: int) -> SubAgent:
        return self._facts(agent, rows=tuple(self._thread(agent.agent, depth)))

    def _facts(self, agent: items.Agent, *, rows: tuple[Row, ...] = (), elsewhere: str | None = None) -> SubAgent:
        return SubAgent(
            id=agent.agent,
            kind=agent.type or "",
            description=agent.description or "",
            status=agent.status,
            is_background=agent.is_background,
            rows=rows,
            elsewhere=elsewhere,
        )

    def _turn(self, turn: items.Turn) -> TurnRow:
        blocks: list[Block] = [Note(text=error, level="error") for error in turn.errors]
        text = self.conversation.text(turn).strip()
        # As a rule the result repeats what the model said last; only what it adds is shown.
        if text and text not in self.said:
            blocks.append(Note(text=text, level="error") if turn.is_error else Prose(markdown=text))
        return TurnRow(
            id=turn.id,
            time=turn.ended_at,
            outcome=turn.terminal_reason or turn.subtype or "",
            is_error=turn.is_error,
            duration_ms=turn.duration_ms,
            num_turns=turn.num_turns,
            tokens=turn.tokens,
            cost_usd=self.costs.get(turn.id),
            blocks=tuple(blocks),
        )

    def _words(self, item: items.Item) -> tuple[Block, ...]:
        text = self.conversation.text(item)
        return (Prose(markdown=text),) if text else ()
