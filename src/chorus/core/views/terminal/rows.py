"""Draws each row of a transcript: a headline, and its content below."""

from collections.abc import Iterator
from typing import assert_never

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.text import Text

from chorus.core.conversation.items import Author, CallState
from chorus.core.views import blocks, figures, rows
from chorus.core.views.rows import Row, SubAgent, ToolCall
from chorus.core.views.safe import safe_line
from chorus.core.views.terminal.blocks import draw
from chorus.core.views.terminal.frame import Gutter
from chorus.core.views.terminal.headline import Headline
from chorus.core.views.terminal.look import Look

_MARKS = {
    Author.MODEL: ("●", "green"),
    Author.HUMAN: ("❯", "bold cyan"),
    Author.AGENT: ("❯", "cyan"),
}
_CALLS = {
    CallState.DONE: ("▸", "green"),
    CallState.FAILED: ("▸", "red"),
    CallState.REFUSED: ("▸", "yellow"),
    CallState.PENDING: ("▸", "yellow"),
    CallState.ORPHAN: ("▸", "magenta"),
}
_FOUND = Text("▶ found here", "bold yellow")
_RUNNING = "running"
_SETTLED = ("allowed", "settled")
_USUAL = frozenset({"end_turn", "stop_sequence", "tool_use"})
"""Stop reasons that are normal and therefore not shown."""


def row(item: Row, look: Look) -> Iterator[RenderableType]:
    """Yields the parts of a row, to be separated by blank lines. The row that a search found is marked."""
    parts = _row(item, look)
    if look.found == item.id:
        yield Group(_FOUND, *(part for part, _ in zip(parts, range(1), strict=False)))
    yield from parts


def _row(item: Row, look: Look) -> Iterator[RenderableType]:
    match item:
        case rows.MessageRow():
            yield from _message(item, look)
        case rows.TurnRow():
            yield from _body(item.blocks, look)
            yield Rule(_turn(item, look), align="left", style="dim red" if item.is_error else "dim", characters="─")
        case rows.CompactionRow():
            yield Rule(Text(_compaction(item), "yellow"), align="left", style="yellow", characters="╌")
        case rows.QueuedRow():
            title = Text(figures.queued(is_waiting=item.is_waiting), "bold")
            yield Group(Headline("❯", "dim cyan", title, look.clock(item.time)), *_body(item.blocks, look))
        case rows.ModeRow():
            words = Text(f"permission mode: {safe_line(item.mode)}", "dim")
            yield Headline("⇄", "dim", words, look.clock(item.time))
        case rows.NoticeRow():
            words = Text(safe_line(item.title), "dim")
            yield Group(Headline("·", "dim", words, look.clock(item.time)), *_body(item.blocks, look))
        case rows.BranchRow():
            yield Rule(Text(_branch(item), "magenta"), align="left", style="magenta", characters="╌")
        case rows.OrphanRow():
            yield from _call(item.call, look, "")
        case rows.AgentRow():
            words = Text.assemble(("Sub-agent", "bold"), f"  {_agent(item.agent)}")
            yield Group(Headline("◆", "blue", words), *_agent_rows(item.agent, look))
        case _:
            assert_never(item)


def _message(item: rows.MessageRow, look: Look) -> Iterator[RenderableType]:
    facts = _facts(item, look)
    is_silent = item.author == Author.MODEL and not item.error and not item.is_abandoned
    drawn: list[RenderableType] = []
    for number, piece in enumerate(item.pieces):
        if isinstance(piece, ToolCall):
            # A message that begins with a call needs no headline: the first call shows the facts of the message.
            drawn.append(Group(*_call(piece, look, facts if is_silent and number == 0 else "")))
        elif (shown := draw(piece, look)) is not None:
            drawn.append(Gutter(shown, "  "))
    if item.error:
        drawn.append(Gutter(Text(safe_line(item.error), "red"), "  "))
    if not drawn:
        return
    if is_silent and item.pieces and isinstance(item.pieces[0], ToolCall):
        yield from drawn
        return
    mark, style = _MARKS.get(Author(item.author), ("·", "dim"))
    yield Group(Headline(mark, style, _by(item), facts), drawn[0])
    yield from drawn[1:]


def _by(item: rows.MessageRow) -> Text:
    line = Text.assemble((figures.LABELS.get(item.author, item.author), "bold"))
    if item.model and item.author == Author.MODEL:
        line.append(f"  {safe_line(figures.model(item.model))}", "dim")
    words = {
        "queued": item.is_queued,
        "partial": item.is_partial,
        "never finished": item.is_unfinished,
        "abandoned": item.is_abandoned,
    }
    for word, is_so in words.items():
        if is_so:
            line.append(f"  {word}", "magenta")
    if item.stop_reason in ("max_tokens", "refusal"):
        line.append(f"  {figures.in_words(item.stop_reason)}", "yellow")
    return line


def _facts(item: rows.MessageRow, look: Look) -> str:
    parts = [
        figures.duration(item.duration_ms) if item.duration_ms else "",
        figures.tokens(item.tokens, is_lower_bound=item.stop_reason is None) if item.tokens else "",
        figures.cost(item.cost_usd) if item.cost_usd else "",
        look.clock(item.time),
    ]
    return " · ".join(part for part in parts if part)


def _call(call: ToolCall, look: Look, facts: str) -> Iterator[RenderableType]:
    if look.is_found(call.id):
        yield _FOUND
    state = CallState(call.state)
    mark, style = _CALLS[state]
    line = Text.assemble((safe_line(call.label), "bold"))
    if title := look.title(call.title):
        line.append(f"  {title}")
    if outcome := _RUNNING if look.is_live and state is CallState.PENDING else figures.outcome(state, call.decided_by):
        line.append(f"  {outcome}", style)
    if call.permission and call.permission not in _SETTLED and state is not CallState.REFUSED:
        line.append(f"  permission {call.permission}", "yellow")
    if call.agent and call.agent.is_background and (now := _status(call.agent, look)):
        line.append(f"  {now}", "dim")
    took = figures.duration(call.duration_ms) if call.duration_ms is not None else ""
    yield Headline(mark, style, line, " · ".join(part for part in (took, facts) if part))
    yield from _body(call.asked, look, "    ")
    if call.agent:
        yield from _agent_rows(call.agent, look)
    yield from _body(call.given, look, "    ")


def _agent_rows(agent: SubAgent, look: Look) -> Iterator[RenderableType]:
    if agent.elsewhere:
        name = safe_line(figures.agent_name(agent.kind, agent.description))
        yield Gutter(Text(f"sub-agent {name}: {agent.elsewhere}", "dim"), "    ")
    if agent.rows:
        parts = [part for inner in agent.rows for part in row(inner, look)]
        spaced = [piece for part in parts for piece in (part, Text(""))][:-1]
        yield Gutter(Gutter(Group(*spaced), "┊ ", style="blue"), "    ")


def _status(agent: SubAgent, look: Look) -> str:
    """Returns how a sub-agent in the background is: the result of its call only says that it started."""
    is_at_work = (agent.status or "").startswith(figures.AT_WORK)
    return figures.NOT_FINISHED if is_at_work and not look.is_live else safe_line(agent.status or "")


def _agent(agent: SubAgent) -> str:
    parts = (agent.kind, agent.description, agent.status or "", "in the background" if agent.is_background else "")
    return " · ".join(safe_line(part) for part in parts if part)


def _body(shown: tuple[blocks.Block, ...], look: Look, indent: str = "  ") -> Iterator[RenderableType]:
    for block in shown:
        if (drawn := draw(block, look)) is not None:
            yield Gutter(drawn, indent)


def _stop(reason: str | None, look: Look) -> str:
    """Returns why the model stopped, if the reason is unusual."""
    return safe_line(figures.in_words(reason)) if reason and (look.is_full or reason not in _USUAL) else ""


def _turn(item: rows.TurnRow, look: Look) -> Text:
    head = f"failed: {item.outcome}" if item.is_error else item.outcome or "done"
    parts = [
        safe_line(head),
        figures.duration(item.duration_ms) if item.duration_ms is not None else "",
        f"{figures.duration(item.duration_api_ms)} API" if look.is_full and item.duration_api_ms is not None else "",
        _stop(item.stop_reason, look),
        f"{item.num_turns} steps" if item.num_turns and item.num_turns > 1 else "",
        figures.tokens(item.tokens) if item.tokens else "",
        figures.cost(item.cost_usd) if item.cost_usd is not None else "",
    ]
    return Text(" · ".join(part for part in parts if part), "red" if item.is_error else "dim")


def _compaction(item: rows.CompactionRow) -> str:
    sizes = [figures.count(number) for number in (item.pre_tokens, item.post_tokens) if number is not None]
    parts = ["compacted", safe_line(item.trigger or ""), " → ".join(sizes) + " tokens" if sizes else ""]
    return " · ".join(part for part in parts if part)


def _branch(item: rows.BranchRow) -> str:
    label = "a branch that was left" if item.is_abandoned else "the conversation goes on"
    return f"{label}, after “{safe_line(item.words)}”" if item.words else label
