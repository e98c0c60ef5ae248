"""Views of sub-agents and skills: what was asked, and what was returned. The agent's rows are shown below the call."""

from msgspec import structs

from chorus.core.records.model import tool_results, tools
from chorus.core.views import figures
from chorus.core.views.blocks import Block, Note, Prose
from chorus.core.views.content import view_block
from chorus.core.views.tools.call import MadeCall, View
from chorus.core.views.tools.hand_back import hand_back, is_launch, without_notes

_STARTED = Note(text="started in the background")


def agent(call: MadeCall) -> View | None:
    """Shows `Agent` and `Task`: the prompt, then the agent's last message."""
    if not isinstance(call.input, tools.Agent):
        return None
    asked = call.input
    title = ": ".join(part for part in (asked.subagent_type, asked.description) if part)
    prompt: tuple[Block, ...] = (Note(text=asked.prompt, is_bulk=True),) if asked.prompt else ()
    return View(title or asked.name or "", prompt, _returned(call))


def _returned(call: MadeCall) -> tuple[Block, ...]:
    output = call.result.structured if call.result else None
    if call.failure or not isinstance(output, tool_results.AgentResult):
        return call.failure or _unframed(call)
    if output.isAsync:
        return (_STARTED,)
    if output.content is None:
        return call.results()
    blocks = (view_block(part) for part in output.content)
    shown = [_without_notes(block) for block in blocks if block is not None]
    return (*filter(None, shown), *_sums(output.totalDurationMs, output.totalTokens, output.totalToolUseCount))


def _unframed(call: MadeCall) -> tuple[Block, ...]:
    """Returns the report of a result that has no typed form, such as one inside the stream of a sub-agent."""
    if call.result is None or call.result.side_file:
        return call.results(is_bulk=True)
    if is_launch(call.result.text):
        return (_STARTED,)
    framed = hand_back(call.result.text)
    if framed is None:
        return call.results(is_bulk=True)
    report: tuple[Block, ...] = (Prose(markdown=framed.report),) if framed.report else ()
    return (*report, *call.result.others(), *_sums(framed.duration_ms, framed.tokens, framed.calls))


def _without_notes(block: Block) -> Block | None:
    if not isinstance(block, Prose):
        return block
    text = without_notes(block.markdown)
    return structs.replace(block, markdown=text) if text else None


def _sums(duration_ms: float | None, tokens: int | None, calls: int | None) -> tuple[Block, ...]:
    facts = (
        figures.duration(duration_ms) if duration_ms is not None else "",
        f"{figures.count(tokens)} tokens" if tokens is not None else "",
        figures.several(calls, "tool call") if calls is not None else "",
    )
    sums = " · ".join(fact for fact in facts if fact)
    return (Note(text=sums),) if sums else ()


def send_message(call: MadeCall) -> View | None:
    """Shows a message to an agent that is already running."""
    if not isinstance(call.input, tools.SendMessage):
        return None
    asked = call.input
    text = asked.message or asked.content
    output = call.result.structured if call.result else None
    message: tuple[Block, ...] = (Prose(markdown=text),) if text else ()
    recipient = asked.to or asked.recipient
    reply = output.message if isinstance(output, tool_results.MessageResult) and not call.failure else None
    given = (Note(text=reply),) if reply else call.results()
    return View(f"to {recipient or '?'}", message, given, refers=recipient)


def skill(call: MadeCall) -> View | None:
    if not isinstance(call.input, tools.Skill):
        return None
    asked = call.input
    title = " ".join(part for part in (asked.skill or asked.command, asked.args) if part)
    return View(title, (), call.results(is_bulk=True))
