"""What a conversation is called, and the lists of names it collects: client versions, models."""

from msgspec import structs

from chorus.core.conversation.fold_context import FoldContext
from chorus.core.conversation.items import Change, Order
from chorus.core.conversation.state import Register, State

TITLE_CHARS = 300
_MAX_RANKED = 50
"""Models of one conversation that are ranked by their work; a client uses a few."""
_PLAN = "Implement the following plan:"
"""What the client says in the person's name when a plan was accepted; the plan follows, under its own heading."""


def title(context: FoldContext, source: str, text: str | None) -> None:
    """A title from one of the sources; the best source that has one decides."""
    if text and context.latest("title-" + source, text[:TITLE_CHARS]):
        _choose_title(context)


def first_prompt(context: FoldContext, text: str) -> None:
    """What the person asked first names the conversation while nothing better does."""
    if context.first("title-prompt", " ".join((_heading(text) or text)[:TITLE_CHARS].split())):
        context.state.session.first_prompt = context.state.registers["title-prompt"].value
        _choose_title(context)


def _heading(text: str) -> str | None:
    """The heading of a plan that is to be carried out; None when the prompt is no such plan, or has no heading."""
    if not text.startswith(_PLAN):
        return None
    lines = text[len(_PLAN) :][:TITLE_CHARS].split("\n")
    return next((line.strip("# ") for line in lines if line.startswith("#") and line.strip("# ")), None)


def _choose_title(context: FoldContext) -> None:
    _choose(context.state)
    context.touched = True


def _choose(state: State) -> None:
    for source in ("custom", "ai", "summary", "prompt"):
        if register := state.registers.get("title-" + source):
            state.session.title, state.session.title_source = register.value, source
            break


def saw_version(context: FoldContext, version: str) -> None:
    _saw(context, context.state.versions, "versions", version)


def saw_model(context: FoldContext, model: str) -> None:
    if _saw(context, context.state.models, "models", model):
        _rank_models(context)


def worked(context: FoldContext, model: str, output: int, messages: int) -> None:
    """A model wrote so many more tokens and messages; whoever did most is named first."""
    known = context.state.work.get(model, (0, 0))
    context.state.work[model] = known[0] + output, known[1] + messages
    if len(context.state.models) > 1:
        _rank_models(context)


def _rank_models(context: FoldContext) -> None:
    state = context.state
    if len(state.models) > _MAX_RANKED:
        return
    seen = sorted(state.models, key=state.models.__getitem__)
    most = max(seen, key=lambda name: state.work.get(name, (0, 0)))
    ranked = (most, *(name for name in seen if name != most))
    if state.session.models != ranked:
        state.session.models = ranked
        context.touched = True


def _saw(context: FoldContext, seen: dict[str, Order], fact: str, name: str) -> bool:
    """Add `name` to a list of the session that is ordered by first sight; tells whether that changed it."""
    known = seen.get(name)
    if known is not None and context.order >= known:
        return False
    seen[name] = context.order
    setattr(context.state.session, fact, tuple(sorted(seen, key=seen.__getitem__)))
    context.touched = True
    return True


def entitle(state: State, at: Order, text: str) -> list[Change]:
    """A summary for this conversation, found elsewhere; of several the one stated last holds."""
    known = state.registers.get("title-summary")
    if known and known.at >= at:
        return []
    state.registers["title-summary"] = Register(at, text)
    _choose(state)
    return [structs.replace(state.session)]
