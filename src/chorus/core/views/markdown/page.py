"""Converts the heading and rows of a transcript to Markdown."""

from collections.abc import Iterator
from datetime import date, tzinfo
from itertools import chain
from typing import assert_never

from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.items import CallState
from chorus.core.views import blocks, figures, rows
from chorus.core.views.heading import facts, heading
from chorus.core.views.markdown.blocks import text_of
from chorus.core.views.markdown.quoting import inline, quoted
from chorus.core.views.plan import plan_rows
from chorus.core.views.rows import Row, SubAgent, ToolCall
from chorus.core.views.transcript import each_row


def markdown(
    conversation: Conversation, *, zone: tzinfo | None = None, internal: bool = False, thinking: bool = True
) -> Iterator[str]:
    """Yields the document piece by piece; without `thinking`, the model's thinking is left out."""
    return _Document(zone, thinking=thinking).pieces(conversation, internal=internal)


class _Document:
    def __init__(self, zone: tzinfo | None, *, thinking: bool) -> None:
        self.zone = zone
        self.thinking = thinking
        self._day: date | None = None
        """The day of the previous row."""

    def pieces(self, conversation: Conversation, *, internal: bool) -> Iterator[str]:
        head = heading(conversation)
        yield f"# {inline(head.title)}\n\n"
        for line in facts(head, figures.span(head.started_at, head.ended_at, self.zone)):
            yield f"{inline(line)}  \n"
        began = figures.moment(head.started_at, self.zone)
        self._day = began.date() if began else None
        for item in chain(each_row(conversation, internal=internal), plan_rows(conversation)):
            yield from self._new_day(item)
            yield from (f"\n{part}\n" for part in self._row(item) if part)

    def _new_day(self, item: Row) -> Iterator[str]:
        """Yields the date if a row is from another day than the previous row."""
        when = figures.moment(item.time, self.zone)
        if when is None:
            return
        if self._day is not None and when.date() != self._day:
            yield f"\n---\n\n**{figures.day(when)}**\n"
        self._day = when.date()

    def _row(self, item: Row) -> Iterator[str]:
        match item:
            case rows.MessageRow():
                yield from self._message(item)
            case rows.TurnRow():
                yield from self._blocks(item.blocks)
                yield f"---\n\n*{inline(self._turn(item))}*"
            case rows.CompactionRow():
                yield f"---\n\n*{inline(f'compacted {item.trigger or str()}'.strip())}*"
            case rows.QueuedRow():
                yield self._title(figures.queued(is_waiting=item.is_waiting), item.time)
                yield from self._blocks(item.blocks)
            case rows.ModeRow():
                yield f"*permission mode: {inline(item.mode)}*"
            case rows.NoticeRow():
                yield f"*{inline(item.title)}*"
                yield from self._blocks(item.blocks)
            case rows.BranchRow():
                label = "a branch that was left" if item.is_abandoned else "the conversation goes on"
                yield f"---\n\n*{label}, after “{inline(item.words)}”*"
            case rows.OrphanRow():
                yield from self._call(item.call)
            case rows.AgentRow():
                yield f"### Sub-agent {inline(item.agent.kind)} {inline(item.agent.description)}".rstrip()
                yield from self._agent(item.agent)
            case _:
                assert_never(item)

    def _message(self, item: rows.MessageRow) -> Iterator[str]:
        facts_ = [
            figures.model(item.model) if item.model else "",
            figures.tokens(item.tokens, is_lower_bound=item.stop_reason is None) if item.tokens else "",
            *(word for is_so, word in ((item.is_queued, "queued"), (item.is_abandoned, "abandoned")) if is_so),
        ]
        yield self._title(figures.LABELS.get(item.author, item.author), item.time, *facts_)
        for piece in item.pieces:
            if isinstance(piece, ToolCall):
                yield from self._call(piece)
            else:
                yield from self._blocks((piece,))
        if item.error:
            yield f"**{inline(item.error)}**"

    def _title(self, name: str, time: str | None, *facts: str) -> str:
        when = figures.moment(time, self.zone)
        # The rows of a sub-agent may be from another day than its call.
        is_elsewhere = when is not None and self._day is not None and when.date() != self._day
        date_ = f"{figures.day(when)} " if when and is_elsewhere else ""
        parts = [name, f"{date_}{when:%H:%M:%S}" if when else "", *facts]
        return "## " + " · ".join(inline(part) for part in parts if part)

    def _call(self, call: ToolCall) -> Iterator[str]:
        title = f" {inline(call.title)}" if call.title else ""
        state = figures.outcome(CallState(call.state), call.decided_by)
        yield f"**{inline(call.label)}**{title}" + (f" *({state})*" if state else "")
        yield from self._blocks(call.asked)
        if call.agent:
            yield from self._agent(call.agent)
        yield from self._blocks(call.given)

    def _agent(self, agent: SubAgent) -> Iterator[str]:
        if agent.elsewhere:
            yield f"*sub-agent {inline(figures.agent_name(agent.kind, agent.description))}: {agent.elsewhere}*"
        for item in agent.rows:
            yield from (quoted(part) for part in self._row(item) if part)

    def _blocks(self, shown: tuple[blocks.Block, ...]) -> Iterator[str]:
        for block in shown:
            if self.thinking or not isinstance(block, blocks.Thinking):
                yield text_of(block)

    def _turn(self, item: rows.TurnRow) -> str:
        parts = [
            f"failed: {item.outcome}" if item.is_error else item.outcome or "done",
            figures.duration(item.duration_ms) if item.duration_ms is not None else "",
            figures.tokens(item.tokens) if item.tokens else "",
            figures.cost(item.cost_usd) if item.cost_usd is not None else "",
        ]
        return " · ".join(part for part in parts if part) or "done"
