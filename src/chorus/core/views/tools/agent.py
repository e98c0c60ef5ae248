"""Views of sub-agents and skills: what was asked, and what was returned. The agent's rows are shown below the call."""

from chorus.core.records.model import tool_results, tools
from chorus.core.views import figures
from chorus.core.views.blocks import Block, Note, Prose
from chorus.core.views.content import view_block
from chorus.core.views.tools.call import MadeCall, View


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
        return call.failure or call.results(is_bulk=True)
    if output.isAsync:
        return (Note(text="started in the background"),)
    if output.content is None:
        return call.results()
    facts = (
        figures.duration(output.totalDurationMs) if output.totalDurationMs is not None else "",
        f"{figures.count(output.totalTokens)} tokens" if output.totalTokens is not None else "",
        figures.several(output.totalToolUseCount, "tool call") if output.totalToolUseCount is not None else "",
    )
    sums = " · ".join(fact for fact in facts if fact)
    blocks = (view_block(part) for part in output.content)
    shown: list[Block] = [block for block in blocks if block is not None]
    return (*shown, Note(text=sums)) if sums else tuple(shown)


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
