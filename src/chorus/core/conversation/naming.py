"""The title of a conversation, and the lists of client versions and models."""

import msgspec
from msgspec import Struct, structs

from chorus.core.conversation.fold_context import FoldContext
from chorus.core.conversation.items import Change, Order
from chorus.core.conversation.state import Register, State

TITLE_CHARS = 300
_MAX_RANKED = 50
"""Maximum number of models that are ranked by their work. A client uses only a few."""
_PLAN = "Implement the following plan:"
"""The prompt that the client writes when a plan was accepted. The plan follows, with its own heading."""


class _InJson(Struct, forbid_unknown_fields=True):
    """A title as some clients wrote it: an object that contains nothing else."""

    title: str


def plain(text: str) -> str:
    """Returns a title as a person reads it: the text itself, or what the JSON object of a title contains."""
    if not text.startswith("{"):
        return text
    try:
        return msgspec.json.decode(text, type=_InJson).title
    except (msgspec.DecodeError, UnicodeError):
        return text


def title(context: FoldContext, source: str, text: str | None) -> None:
    """Stores a title from one of the sources. The best source with a title wins; a blank text is no title."""
    text = plain(text) if text else text
    if text and not text.isspace() and context.keep_latest("title-" + source, text[:TITLE_CHARS]):
        _choose_title(context)


def first_prompt(context: FoldContext, text: str) -> None:
    """Stores the first prompt of a person. It is the title if there is no better one."""
    if context.keep_first("title-prompt", " ".join((_heading(text) or text)[:TITLE_CHARS].split())):
        context.state.session.first_prompt = context.state.registers["title-prompt"].value
        _choose_title(context)


def _heading(text: str) -> str | None:
    """Returns the heading of an accepted plan; None if the prompt is not such a plan, or has no heading."""
    if not text.startswith(_PLAN):
        return None
    lines = text[len(_PLAN) :][:TITLE_CHARS].split("\n")
    return next((line.strip("# ") for line in lines if line.startswith("#") and line.strip("# ")), None)


def _choose_title(context: FoldContext) -> None:
    _choose(context.state)
    context.session_changed = True


def _choose(state: State) -> None:
    """Sets the title from the best source that has one."""
    for source in ("custom", "ai", "summary", "prompt"):
        if register := state.registers.get("title-" + source):
            state.session.title, state.session.title_source = register.value, source
            break


def add_version(context: FoldContext, version: str) -> None:
    """Adds a client version to the session."""
    _add_name(context, context.state.versions, "versions", version)


def add_model(context: FoldContext, model: str) -> None:
    """Adds a model to the session."""
    if _add_name(context, context.state.models, "models", model):
        _rank_models(context)


def add_work(context: FoldContext, model: str, output: int, messages: int) -> None:
    """Adds output tokens and messages to the work of a model. The model with most work is listed first."""
    known = context.state.work.get(model, (0, 0))
    context.state.work[model] = known[0] + output, known[1] + messages
    if len(context.state.models) > 1:
        _rank_models(context)


def _rank_models(context: FoldContext) -> None:
    """Puts the model with most work first."""
    state = context.state
    if len(state.models) > _MAX_RANKED:
        return
    seen = sorted(state.models, key=state.models.__getitem__)
    most = max(seen, key=lambda name: state.work.get(name, (0, 0)))
    ranked = (most, *(name for name in seen if name != most))
    if state.session.models != ranked:
        state.session.models = ranked
        context.session_changed = True


def _add_name(context: FoldContext, seen: dict[str, Order], fact: str, name: str) -> bool:
    """Adds `name` to a list of the session that is ordered by first appearance. Returns whether the list changed."""
    known = seen.get(name)
    if known is not None and context.order >= known:
        return False
    seen[name] = context.order
    setattr(context.state.session, fact, tuple(sorted(seen, key=seen.__getitem__)))
    context.session_changed = True
    return True


def set_summary_title(state: State, at: Order, text: str) -> list[Change]:
    """Stores a summary of this conversation that was found in another file. The last one in the order wins."""
    known = state.registers.get("title-summary")
    if (known and known.at >= at) or not text.strip():
        return []
    state.registers["title-summary"] = Register(at, text)
    _choose(state)
    return [structs.replace(state.session)]
