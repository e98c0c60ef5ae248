"""A conversation as rows: each call with its result, each sub-agent below the call that started it."""

from collections.abc import Iterable, Iterator
from itertools import count

from msgspec import structs

from chorus.core.conversation import items
from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.failures import is_failure
from chorus.core.conversation.items import MAIN, Author
from chorus.core.conversation.threads import START
from chorus.core.records.model.base import ABSENT
from chorus.core.views import figures, tools
from chorus.core.views.blocks import Block, Image, Note, Output, Prose, SideFile, Unread
from chorus.core.views.content import shape
from chorus.core.views.conversation_facts import Folded, Stretch, Whole, is_within, thread_of
from chorus.core.views.notices import doubtful, failures_row, notice_row
from chorus.core.views.prompts import prompt
from chorus.core.views.queued_input import queued_words
from chorus.core.views.repeats import error_once, without_last_words, without_prompt
from chorus.core.views.rows import (
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
_SHORT_ID = 7
"""Characters of an agent's id by which clients call it in a sentence."""
_WENT_WELL = ("success", "completed", "turn_duration")
_INTERRUPTED = "interrupted"
_BEGINNING = "the beginning of the conversation"
_GONE = "what was kept of it is damaged or gone"


def rows(conversation: Conversation, agent: str = MAIN, *, internal: bool = False, nested: bool = True) -> list[Row]:
    """What a reader sees of one agent's thread, in order; `internal` adds the client's own book-keeping."""
    return list(each_row(conversation, agent, internal=internal, nested=nested))


def each_row(
    conversation: Conversation, agent: str = MAIN, *, internal: bool = False, nested: bool = True
) -> Iterator[Row]:
    """The same one by one, so that a door can begin before the end is reached.

    Every sub-agent is shown once: below its call, or after the main thread when no call on display started it. Unless
    `nested`, only its facts are.
    """
    if nested:
        return _Nested(conversation, internal=internal).read(agent)
    return _flat(conversation, agent, internal=internal)


def _flat(conversation: Conversation, agent: str, *, internal: bool) -> Iterator[Row]:
    whole = Folded(conversation)
    reader = Reader(conversation, whole)
    for item in thread_of(conversation, agent, internal=internal):
        yield from reader.rows_of(item)
    for other in whole.apart() if agent == MAIN else ():
        yield from reader.rows_of(other)


def rows_of(conversation: Conversation, chosen: Iterable[items.Item]) -> Iterator[Row]:
    """What a reader sees of these items of a thread, sub-agents below the calls that started them."""
    reader = _Nested(conversation, internal=False)
    for item in chosen:
        yield from reader.rows_of(item)


class Reader:
    """Turns items of a conversation into rows, one by one; the conversation may hold no more than these.

    Sub-agents are shown by their facts.
    """

    def __init__(self, conversation: Conversation, whole: Whole) -> None:
        self.conversation = conversation
        self.whole = whole

    def rows_of(self, item: items.Item) -> Iterator[Row]:
        """What a reader sees of an item of a thread: one row as a rule, none if it says nothing."""
        match item:
            case items.Message():
                yield from self._message(item)
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
                yield QueuedRow(
                    id=item.id,
                    time=item.time,
                    is_waiting=item.state == "waiting",
                    blocks=(*queued_words(self.conversation.text(item)), *self._lost_parts(item)),
                )
            case items.ModeChange():
                yield ModeRow(id=item.id, time=item.time, mode=figures.in_words(item.mode))
            case items.Notice():
                yield from self._notice(item)
            case items.Call():
                yield OrphanRow(id=item.id, time=item.ended_at, call=self._call(item))
            case items.Agent():
                if (facts := self._facts(item)).entries:
                    yield AgentRow(id=item.id, agent=facts)
            case _:
                raise AssertionError(f"a thread holds no {type(item).__name__}")

    def _notice(self, notice: items.Notice) -> Iterator[Row]:
        row = notice_row(notice)
        if is_failure(notice.type, notice.kind):
            last_id, count = self.whole.failures(notice.id)
            if not count:
                return
            last = self.conversation.items.get(last_id)
            if isinstance(last, items.Notice) and last.failure is not None:
                row = failures_row(notice, last, count)
        gone = self._gone(notice.id)
        yield structs.replace(row, blocks=(*row.blocks, *gone)) if gone else row

    def _message(self, message: items.Message) -> Iterator[Row]:
        is_abandoned = self.whole.is_abandoned(message.id)
        if (continued := self.whole.continues(message.id)) is not None:
            at = self.conversation.items.get(continued)
            words = " ".join(self.conversation.text(at).split())[:_WORDS] if at else ""
            if continued.startswith(START):
                words = _BEGINNING
            yield BranchRow(id="branch:" + message.id, at=continued, is_abandoned=is_abandoned, words=words)
        error, pieces = error_once(message.error, tuple(self._pieces(message)))
        if not pieces and error is None:
            return
        if message.doubt:
            pieces += (doubtful(message.doubt),)
        yield MessageRow(
            id=message.id,
            time=message.started_at,
            author=message.author,
            model=message.model,
            duration_ms=message.duration_ms or None,
            tokens=message.tokens,
            cost_usd=message.cost_usd,
            stop_reason=message.stop_reason,
            error=error,
            is_partial=message.is_partial and not message.is_unfinished,
            is_unfinished=message.is_unfinished,
            is_queued=message.is_queued,
            is_abandoned=is_abandoned,
            pieces=pieces,
        )

    def _pieces(self, message: items.Message) -> Iterator[Piece]:
        for part in self.conversation.blocks(message):
            block = part.block
            if block.type == "tool_use":
                call = self.conversation.call(block.id or part.id)
                if call is not None and call.block == part.id:
                    yield self._call(call)
            elif gone := self._gone(part.id):
                yield from gone
            elif block.type == "text" and message.author is not Author.MODEL:
                yield from prompt(message.author, block.text or "")
            elif isinstance(found := shape(block), Image):
                yield structs.replace(found, item=part.id)
            elif found is not None:
                yield found

    def _call(self, call: items.Call) -> ToolCall:
        made = self.conversation.items.get(call.block or "")
        raw = made.block.input if isinstance(made, items.Block) else ABSENT
        result = self.conversation.result(call)
        seen = self._named(tools.view(call.name, raw, result, self._side_file(result)))
        agent = self._started_by(call)
        given = _pictured(seen.given, result.id) if result else seen.given
        if call.state is items.CallState.REFUSED:
            # That somebody said no is no error: their words are shown like any others.
            given = _calmly(given)
        return ToolCall(
            id=call.tool_use_id,
            name=call.name,
            label=seen.label or call.name or "unknown tool",
            title=seen.title,
            state=call.state,
            time=call.started_at,
            duration_ms=figures.elapsed_ms(call.started_at, call.ended_at) or None,
            permission=self.whole.permission_of(call.tool_use_id),
            decided_by=call.decided_by,
            refers=seen.refers,
            asked=(*seen.asked, *self._gone(call.block or "")),
            agent=without_prompt(agent, seen.asked) if agent else None,
            given=(*(without_last_words(given, agent) if agent else given), *self._gone("result:" + call.tool_use_id)),
        )

    def _named(self, seen: tools.View) -> tools.View:
        """The same with the sub-agent that it is about by its name: clients call it by its id, or by its beginning."""
        about = self.whole.agent(seen.refers) if seen.refers else None
        if about is None or not seen.refers:
            return seen
        name = figures.agent_name(about.type or "", about.description or "")
        whole, short = seen.refers, seen.refers[:_SHORT_ID]

        def named(text: str) -> str:
            return text.replace(whole, name).replace(short, name) if len(short) == _SHORT_ID else text

        given = tuple(
            structs.replace(each, text=named(each.text)) if isinstance(each, Note) else each for each in seen.given
        )
        return structs.replace(seen, title=named(seen.title), given=given)

    def _side_file(self, result: items.ToolResult | None) -> SideFile | None:
        if result is None or result.side_file is None:
            return None
        found = self.conversation.side_files.get(result.id)
        return SideFile(name=result.side_file, size_bytes=found.size_bytes if found else None)

    def _started_by(self, call: items.Call) -> SubAgent | None:
        started = self.whole.agent(call.subagent) if call.subagent else None
        return self._facts(started, call=call.tool_use_id) if started else None

    def _facts(self, agent: items.Agent, *, call: str | None = None, elsewhere: str | None = None) -> SubAgent:
        return SubAgent(
            id=agent.agent,
            kind=agent.type or "",
            description=agent.description or "",
            status=figures.agent_status(agent.status),
            is_background=agent.is_background,
            elsewhere=elsewhere,
            entries=self._entries(agent.agent, call),
        )

    def _entries(self, agent: str, call: str | None) -> int:
        return self.whole.entries(agent, call)

    def _turn(self, turn: items.Turn) -> TurnRow:
        is_error = turn.is_error and not turn.is_interrupted
        level = "error" if is_error else "info"
        blocks: list[Block] = [Note(text=error, level=level) for error in turn.errors]
        if turn.doubt:
            blocks.append(doubtful(turn.doubt))
        text = self.conversation.text(turn).strip()
        # As a rule the result repeats what the model said last; only what it adds is shown.
        if text and text != self._said_before(turn):
            blocks.append(Note(text=text, level="error") if is_error else Prose(markdown=text))
        return TurnRow(
            id=turn.id,
            time=turn.ended_at,
            outcome=_INTERRUPTED if turn.is_interrupted else _outcome(turn),
            is_error=is_error,
            duration_ms=turn.duration_ms,
            duration_api_ms=turn.duration_api_ms,
            stop_reason=turn.stop_reason,
            num_turns=turn.num_turns,
            tokens=turn.tokens,
            cost_usd=self.whole.cost_of(turn.id),
            blocks=(*blocks, *self._lost_parts(turn)),
        )

    def _said_before(self, turn: items.Turn) -> str:
        last = self.conversation.items.get(self.whole.last_said(turn) or "")
        return self.conversation.text(last).strip() if last else ""

    def _lost_parts(self, item: items.Item) -> Iterator[Block]:
        for part in self.conversation.blocks(item):
            yield from self._gone(part.id)

    def _gone(self, part: str) -> tuple[Block, ...]:
        """What is shown where something was that cannot be read any more."""
        place = self.whole.lost(part)
        return (Unread(reason=_GONE, text="", place=f"{place.stream}:{place.offset}"),) if place else ()


class _Nested(Reader):
    """One pass over a conversation; each sub-agent's own rows are below the call that started it."""

    def __init__(self, conversation: Conversation, *, internal: bool) -> None:
        self._folded = Folded(conversation)
        super().__init__(conversation, self._folded)
        self._internal = internal
        self._depth = 0
        self._shown: set[str] = set()
        self._deeper: list[items.Agent] = []

    def read(self, agent: str) -> Iterator[Row]:
        self._shown.add(agent)
        yield from self._thread(agent)
        yield from self._apart(self._deeper)
        if agent == MAIN:
            yield from self._apart(self.conversation.agents)
            yield from self._apart(self._deeper)

    def _apart(self, agents: list[items.Agent]) -> Iterator[Row]:
        """Agents in rows of their own, but for those shown already; the list may grow meanwhile."""
        for agent in agents:
            if agent.agent not in self._shown:
                self._shown.add(agent.agent)
                if (found := self._agent(agent)).rows:
                    yield AgentRow(id=agent.id, agent=found)

    def _thread(self, agent: str, stretch: Stretch = (None, None)) -> Iterator[Row]:
        for item in thread_of(self.conversation, agent, internal=self._internal):
            if is_within(item.order, *stretch):
                yield from self.rows_of(item)

    def _started_by(self, call: items.Call) -> SubAgent | None:
        started = self.whole.agent(call.subagent) if call.subagent else None
        if started is None:
            return None
        if started.agent in self._shown:
            resumed = self._folded.stretch(started.agent, call.tool_use_id)
            if resumed != (None, None) and call.tool_use_id != started.call:
                return self._agent(started, resumed)
            return self._facts(started, elsewhere="shown above")
        if self._depth >= DEEPEST:
            self._deeper.append(started)
            return self._facts(started, elsewhere="shown at the end")
        self._shown.add(started.agent)
        return self._agent(started, self._folded.stretch(started.agent, call.tool_use_id))

    def _entries(self, agent: str, call: str | None) -> int:
        return 0

    def _agent(self, agent: items.Agent, stretch: Stretch = (None, None)) -> SubAgent:
        self._depth += 1
        rows = tuple(self._thread(agent.agent, stretch))
        self._depth -= 1
        return structs.replace(self._facts(agent), rows=rows)


def _outcome(turn: items.Turn) -> str:
    """How a turn ended, in words; empty when it ended as turns do."""
    word = turn.terminal_reason or turn.subtype or ""
    return "" if word in _WENT_WELL and not turn.is_error else figures.in_words(word)


def _calmly(given: tuple[Block, ...]) -> tuple[Block, ...]:
    """What was given back, without the look of an error."""
    return tuple(structs.replace(block, is_error=False) if isinstance(block, Output) else block for block in given)


def _pictured(given: tuple[Block, ...], result: str) -> tuple[Block, ...]:
    """What a tool gave back, its pictures numbered."""
    if not any(isinstance(block, Image) for block in given):
        return given
    numbers = count()
    return tuple(
        structs.replace(block, item=result, nth=next(numbers)) if isinstance(block, Image) else block for block in given
    )
