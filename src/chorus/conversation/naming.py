"""What a conversation is called, and the lists of names it collects: client versions, models."""

from msgspec import structs

from chorus.conversation.items import Change, Order
from chorus.conversation.line import Line
from chorus.conversation.state import Register, State

TITLE_CHARS = 300
_PLAN = "Implement the following plan:"
"""What the client says in the person's name when a plan was accepted; the plan follows, under its own heading."""


def title(line: Line, source: str, text: str | None) -> None:
    """A title from one of the sources; the best source that has one decides."""
    if text and line.latest("title-" + source, text[:TITLE_CHARS]):
        _choose_title(line)


def first_prompt(line: Line, text: str) -> None:
    """What the person asked first names the conversation while nothing better does."""
    if line.first("title-prompt", " ".join((_heading(text) or text)[:TITLE_CHARS].split())):
        _choose_title(line)


def _heading(text: str) -> str | None:
    """The heading of a plan that is to be carried out; None when the prompt is no such plan, or has no heading."""
    if not text.startswith(_PLAN):
        return None
    lines = text[len(_PLAN) :][:TITLE_CHARS].split("\n")
    return next((line.strip("# ") for line in lines if line.startswith("#") and line.strip("# ")), None)


def _choose_title(line: Line) -> None:
    _choose(line.state)
    line.touched = True


def _choose(state: State) -> None:
    for source in ("custom", "ai", "summary", "prompt"):
        if register := state.registers.get("title-" + source):
            state.session.title, state.session.title_source = register.value, source
            break


def saw_version(line: Line, version: str) -> None:
    _saw(line, line.state.versions, "versions", version)


def saw_model(line: Line, model: str) -> None:
    _saw(line, line.state.models, "models", model)


def _saw(line: Line, seen: dict[str, Order], fact: str, name: str) -> None:
    """Add `name` to a list of the session that is ordered by first sight."""
    known = seen.get(name)
    if known is None or line.order < known:
        seen[name] = line.order
        setattr(line.state.session, fact, tuple(sorted(seen, key=seen.__getitem__)))
        line.touched = True


def entitle(state: State, at: Order, text: str) -> list[Change]:
    """A summary for this conversation, found elsewhere; of several the one stated last holds."""
    known = state.registers.get("title-summary")
    if known and known.at >= at:
        return []
    state.registers["title-summary"] = Register(at, text)
    _choose(state)
    return [structs.replace(state.session)]
