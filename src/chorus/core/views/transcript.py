"""Converts a conversation to rows: each call with its result, each sub-agent below the call that started it."""

from collections.abc import Iterable, Iterator
from itertools import count

from msgspec import structs

from chorus.core.conversation import items
from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.failures import is_failure
from chorus.core.conversation.items import MAIN, Author
from chorus.core.conversation.threads import START
from chorus.core.conversation.tool_facts import facts_of
from chorus.core.records.model.base import ABSENT
from chorus.core.views import figures, tools
from chorus.core.views.blocks import Block, Image, Note, Output, Prose, SideFile, Unread
from chorus.core.views.content import view_block
from chorus.core.views.conversation_facts import ConversationFacts, FoldedFacts, Stretch, is_within, thread_of
from chorus.core.views.notices import doubtful, failures_row, notice_row
from chorus.core.views.prompts import prompt
from chorus.core.views.queued_input import queued_blocks
from chorus.core.views.repeats import merge_error, without_last_words, without_prompt
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
"""How deep sub-agents are nested below each other; deeper ones are shown after the thread."""
_WORDS = 80
_SHORT_ID = 7
"""How many characters of an agent's id clients use in a sentence."""
_WENT_WELL = ("success", "completed", "turn_duration")
_INTERRUPTED = "interrupted"
_BEGINNING = "the beginning of the conversation"
_LOST = "the stored copy is damaged or missing"


def rows(conversation: Conversation, agent: str = MAIN, *, internal: bool = False, nested: bool = True) -> list[Row]:
    """Returns the rows of one agent's thread, in order; `internal` adds the client's own bookkeeping records."""
    return list(each_row(conversation, agent, internal=internal, nested=nested))


def each_row(
    conversation: Conversation, agent: str = MAIN, *, internal: bool = False, nested: bool = True
) -> Iterator[Row]:
    """Yields the same rows one by one, so that a front end can start to draw before the last row is built.

    Every sub-agent is shown once: below its call, or after the main thread if no displayed call started it. If
    `nested` is false, only the facts of sub-agents are shown.
    """
    if nested:
        return _Nested(conversation, internal=internal).read(agent)
    return _flat(conversation, agent, internal=internal)


def _flat(conversation: Conversation, agent: str, *, internal: bool) -> Iterator[Row]:
    facts = FoldedFacts(conversation)
    builder = RowBuilder(conversation, facts)
    for item in thread_of(conversation, agent, internal=internal):
        yield from builder.rows_of(item)
    for other in facts.agents_without_call() if agent == MAIN else ():
        yield from builder.rows_of(other)


def rows_of(conversation: Conversation, chosen: Iterable[items.Item]) -> Iterator[Row]:
    """Yields the rows of the given items of a thread, with sub-agents below the calls that started them."""
    builder = _Nested(conversation, internal=False)
    for item in chosen:
        yield from builder.rows_of(item)


def rows_with_blocks(conversation: Conversation) -> tuple[list[Row], dict[str, tuple[str | None, ...]]]:
    """Returns the rows of a conversation with those of sub-agents below their calls, and `RowBuilder.blocks_of`."""
    builder = _Nested(conversation, internal=False)
    return list(builder.read(MAIN)), builder.blocks_of


class RowBuilder:
    """Converts items of a conversation to rows, one by one. The conversation may consist of these items only.

    Of sub-agents only the facts are shown, not their rows.
    """

    def __init__(self, conversation: Conversation, facts: ConversationFacts) -> None:
        self.conversation = conversation
        self.facts = facts
        self.blocks_of: dict[str, tuple[str | None, ...]] = {}
        """Message → for each piece of its row the id of the block that it shows; None for a piece without a block."""

    def rows_of(self, item: items.Item) -> Iterator[Row]:
        """Yields the rows of an item of a thread: usually one; none if there is nothing to show."""
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
                    blocks=(*queued_blocks(self.conversation.text(item)), *self._lost_parts(item)),
                )
            case items.ModeChange():
                yield ModeRow(id=item.id, time=item.time, mode=figures.in_words(item.mode))
            case items.Notice():
                yield from self._notice(item)
            case items.Call():
                yield OrphanRow(id=item.id, time=item.ended_at, call=self._call(item))
            case items.Agent():
                if (agent := self._sub_agent(item)).entries:
                    yield AgentRow(id=item.id, agent=agent)
            case _:
                raise AssertionError(f"a thread contains no {type(item).__name__}")

    def _notice(self, notice: items.Notice) -> Iterator[Row]:
        row = notice_row(notice)
        if is_failure(notice.type, notice.kind):
            last_id, count = self.facts.failures(notice.id)
            if not count:
                return
            last = self.conversation.items.get(last_id)
            if isinstance(last, items.Notice) and last.failure is not None:
                row = failures_row(notice, last, count)
        gone = self._lost_block(notice.id)
        yield structs.replace(row, blocks=(*row.blocks, *gone)) if gone else row

    def _message(self, message: items.Message) -> Iterator[Row]:
        is_abandoned = self.facts.is_abandoned(message.id)
        if (continued := self.facts.continues(message.id)) is not None:
            at = self.conversation.items.get(continued)
            words = " ".join(self.conversation.text(at).split())[:_WORDS] if at else ""
            if continued.startswith(START):
                words = _BEGINNING
            yield BranchRow(id="branch:" + message.id, at=continued, is_abandoned=is_abandoned, words=words)
        made = list(self._pieces(message))
        error, pieces = merge_error(message.error, tuple(piece for _, piece in made))
        if not pieces and error is None:
            return
        shown: list[str | None] = [block for block, _ in made] if pieces else []
        if message.doubt:
            pieces += (doubtful(message.doubt),)
            shown.append(None)
        self.blocks_of[message.id] = tuple(shown)
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

    def _pieces(self, message: items.Message) -> Iterator[tuple[str, Piece]]:
        """Yields the pieces of a message, each with the id of its block."""
        for part in self.conversation.blocks(message):
            block = part.block
            if block.type == "tool_use":
                call = self.conversation.call(block.id or part.id)
                if call is not None and call.block == part.id:
                    yield part.id, self._call(call)
            elif gone := self._lost_block(part.id):
                yield from ((part.id, piece) for piece in gone)
            elif block.type == "text" and message.author is not Author.MODEL:
                yield from ((part.id, piece) for piece in prompt(message.author, block.text or ""))
            elif isinstance(found := view_block(block), Image):
                yield part.id, structs.replace(found, item=part.id)
            elif found is not None:
                yield part.id, found

    def _call(self, call: items.Call) -> ToolCall:
        made = self.conversation.items.get(call.block or "")
        raw = made.block.input if isinstance(made, items.Block) else ABSENT
        result = self.conversation.result(call)
        view = self._with_agent_name(tools.view(call.name, raw, result, self._side_file(result)))
        agent = self._started_by(call)
        given = _with_numbered_images(view.given, result.id) if result else view.given
        if call.state is items.CallState.REFUSED:
            # A refusal is no error, so its text is not shown as one.
            given = _without_error_mark(given)
        facts = facts_of(call.name)
        return ToolCall(
            icon=facts.icon,
            title_is_path=facts.title_is_path,
            opens_by_itself=facts.opens_by_itself,
            id=call.tool_use_id,
            name=call.name,
            label=view.label or call.name or "unknown tool",
            title=view.title,
            state=call.state,
            time=call.started_at,
            duration_ms=figures.elapsed_ms(call.started_at, call.ended_at) or None,
            permission=self.facts.permission_of(call.tool_use_id),
            decided_by=call.decided_by,
            refers=view.refers,
            asked=(*view.asked, *self._lost_block(call.block or "")),
            agent=without_prompt(agent, view.asked) if agent else None,
            given=(
                *(without_last_words(given, agent) if agent else given),
                *self._lost_block("result:" + call.tool_use_id),
            ),
        )

    def _with_agent_name(self, view: tools.View) -> tools.View:
        """Replaces the id of the sub-agent that the call refers to, or the beginning of the id, by the agent's name."""
        about = self.facts.agent(view.refers) if view.refers else None
        if about is None or not view.refers:
            return view
        name = figures.agent_name(about.type or "", about.description or "")
        whole, short = view.refers, view.refers[:_SHORT_ID]

        def named(text: str) -> str:
            return text.replace(whole, name).replace(short, name) if len(short) == _SHORT_ID else text

        given = tuple(
            structs.replace(each, text=named(each.text)) if isinstance(each, Note) else each for each in view.given
        )
        return structs.replace(view, title=named(view.title), given=given)

    def _side_file(self, result: items.ToolResult | None) -> SideFile | None:
        if result is None or result.side_file is None:
            return None
        found = self.conversation.side_files.get(result.id)
        return SideFile(name=result.side_file, size_bytes=found.size_bytes if found else None)

    def _started_by(self, call: items.Call) -> SubAgent | None:
        started = self.facts.agent(call.subagent) if call.subagent else None
        return self._sub_agent(started, call=call.tool_use_id) if started else None

    def _sub_agent(self, agent: items.Agent, *, call: str | None = None, elsewhere: str | None = None) -> SubAgent:
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
        return self.facts.entries(agent, call)

    def _turn(self, turn: items.Turn) -> TurnRow:
        is_error = turn.is_error and not turn.is_interrupted
        level = "error" if is_error else "info"
        blocks: list[Block] = [Note(text=error, level=level) for error in turn.errors]
        if turn.doubt:
            blocks.append(doubtful(turn.doubt))
        text = self.conversation.text(turn).strip()
        # The turn result usually repeats the model's last message; it is shown only if it differs.
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
            cost_usd=self.facts.cost_of(turn.id),
            blocks=(*blocks, *self._lost_parts(turn)),
        )

    def _said_before(self, turn: items.Turn) -> str:
        last = self.conversation.items.get(self.facts.last_said(turn) or "")
        return self.conversation.text(last).strip() if last else ""

    def _lost_parts(self, item: items.Item) -> Iterator[Block]:
        for part in self.conversation.blocks(item):
            yield from self._lost_block(part.id)

    def _lost_block(self, part: str) -> tuple[Block, ...]:
        """Returns the block that is shown in place of a part that cannot be read any more."""
        place = self.facts.lost(part)
        return (Unread(reason=_LOST, text="", place=f"{place.stream}:{place.offset}"),) if place else ()


class _Nested(RowBuilder):
    """Builds the rows of a whole conversation once, with each sub-agent's rows below the call that started it."""

    def __init__(self, conversation: Conversation, *, internal: bool) -> None:
        self._folded = FoldedFacts(conversation)
        super().__init__(conversation, self._folded)
        self._internal = internal
        self._depth = 0
        self._shown: set[str] = set()
        self._deeper: list[items.Agent] = []

    def read(self, agent: str) -> Iterator[Row]:
        self._shown.add(agent)
        yield from self._thread(agent)
        yield from self._separate_rows(self._deeper)
        if agent == MAIN:
            yield from self._separate_rows(self.conversation.agents)
            yield from self._separate_rows(self._deeper)

    def _separate_rows(self, agents: list[items.Agent]) -> Iterator[Row]:
        """Yields a separate row for each agent that was not shown yet; the list may grow during the iteration."""
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
        started = self.facts.agent(call.subagent) if call.subagent else None
        if started is None:
            return None
        if started.agent in self._shown:
            resumed = self._folded.stretch(started.agent, call.tool_use_id)
            if resumed != (None, None) and call.tool_use_id != started.call:
                return self._agent(started, resumed)
            return self._sub_agent(started, elsewhere="shown above")
        if self._depth >= DEEPEST:
            self._deeper.append(started)
            return self._sub_agent(started, elsewhere="shown at the end")
        self._shown.add(started.agent)
        return self._agent(started, self._folded.stretch(started.agent, call.tool_use_id))

    def _entries(self, agent: str, call: str | None) -> int:
        return 0

    def _agent(self, agent: items.Agent, stretch: Stretch = (None, None)) -> SubAgent:
        self._depth += 1
        rows = tuple(self._thread(agent.agent, stretch))
        self._depth -= 1
        return structs.replace(self._sub_agent(agent), rows=rows)


def _outcome(turn: items.Turn) -> str:
    """Returns how a turn ended, in words; empty if it ended normally."""
    word = turn.terminal_reason or turn.subtype or ""
    return "" if word in _WENT_WELL and not turn.is_error else figures.in_words(word)


def _without_error_mark(given: tuple[Block, ...]) -> tuple[Block, ...]:
    """Returns the blocks with outputs not marked as errors."""
    return tuple(structs.replace(block, is_error=False) if isinstance(block, Output) else block for block in given)


def _with_numbered_images(given: tuple[Block, ...], result: str) -> tuple[Block, ...]:
    """Returns the blocks of a tool result with its images numbered."""
    if not any(isinstance(block, Image) for block in given):
        return given
    numbers = count()
    return tuple(
        structs.replace(block, item=result, nth=next(numbers)) if isinstance(block, Image) else block for block in given
    )
