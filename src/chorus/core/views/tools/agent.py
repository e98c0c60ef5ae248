"""Sub-agents and skills: what was asked, and what came back. The agent's own rows hang below the call."""

from chorus.core.records.model import tool_results, tools
from chorus.core.views import figures
from chorus.core.views.blocks import Block, Note, Prose
from chorus.core.views.content import shape
from chorus.core.views.tools.call import Made, View


def agent(call: Made) -> View | None:
    """`Agent`, `Task`: the errand, then the agent's last words."""
    if not isinstance(call.input, tools.Agent):
        return None
    asked = call.input
    title = ": ".join(part for part in (asked.subagent_type, asked.description) if part)
    prompt: tuple[Block, ...] = (Note(text=asked.prompt, is_bulk=True),) if asked.prompt else ()
    return View(title or asked.name or "", prompt, _handed_back(call))


def _handed_back(call: Made) -> tuple[Block, ...]:
    told = call.result.structured if call.result else None
    if call.failure or not isinstance(told, tool_results.AgentResult):
        return call.failure or call.results(is_bulk=True)
    if told.isAsync:
        return (Note(text="runs in the background"),)
    if told.content is None:
        return call.results()
    facts = (
        figures.duration(told.totalDurationMs) if told.totalDurationMs is not None else "",
        f"{figures.count(told.totalTokens)} tokens" if told.totalTokens is not None else "",
        figures.several(told.totalToolUseCount, "tool call") if told.totalToolUseCount is not None else "",
    )
    sums = " · ".join(fact for fact in facts if fact)
    shapes = (shape(part) for part in told.content)
    words: list[Block] = [found for found in shapes if found is not None]
    return (*words, Note(text=sums)) if sums else tuple(words)


def send_message(call: Made) -> View | None:
    """A message to an agent that runs already."""
    if not isinstance(call.input, tools.SendMessage):
        return None
    asked = call.input
    words = asked.message or asked.content
    told = call.result.structured if call.result else None
    said: tuple[Block, ...] = (Prose(markdown=words),) if words else ()
    whom = asked.to or asked.recipient
    heard = told.message if isinstance(told, tool_results.MessageResult) and not call.failure else None
    given = (Note(text=heard),) if heard else call.results()
    return View(f"to {whom or '?'}", said, given, refers=whom)


def skill(call: Made) -> View | None:
    if not isinstance(call.input, tools.Skill):
        return None
    asked = call.input
    title = " ".join(part for part in (asked.skill or asked.command, asked.args) if part)
    return View(title, (), call.results(is_bulk=True))
