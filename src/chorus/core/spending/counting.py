"""The usage of each message of a conversation: each message is counted once, with the maximum of each field.

If no message has usage, or no message has a stop reason while turn results have the totals of each model, the turn
results are counted instead. Messages and turn results describe the same work and are never added.
"""

from collections.abc import Iterable, Mapping

from msgspec import structs

from chorus.core.conversation.agent_ids import precedence
from chorus.core.conversation.fold import Fold
from chorus.core.conversation.items import Session, Turn
from chorus.core.conversation.model_usage import added_by_turn, counts_by_turns
from chorus.core.conversation.tokens import Tokens
from chorus.core.conversation.usage import highest
from chorus.core.spending.prompts import NO_PROMPTS, Prompts
from chorus.core.spending.rows import IMPOSSIBLE, Usage, name_of


def usages_of(fold: Fold, name: str, turns: Iterable[Turn] = (), prompts: Prompts = NO_PROMPTS) -> list[Usage]:
    """Returns the usage of the conversation `name`, as of all records fed so far.

    `turns` are its turn items so far. They say when tokens were used that only turns report. `prompts` say to which
    turn a message belongs. If turns count and none reports usage, the messages say why nothing is counted.
    """
    ordered = sorted(turns, key=lambda turn: turn.order)
    if counts_by_turns(fold.state.session, ordered) and (used := per_turn(fold, name, ordered)):
        return [structs.replace(each, turn=prompts.before(each.at)) for each in used] if prompts else used
    found = (usage_of(fold, name, message, prompts) for message in fold.state.api_messages)
    return [usage for usage in found if usage is not None]


def usage_of(fold: Fold, name: str, message: str, prompts: Prompts = NO_PROMPTS) -> Usage | None:
    """Returns the usage of one message, by its name in the fold's `api_messages`; None if no line of it has usage.

    If all of its usage is impossible, no tokens are counted, and the tier is `IMPOSSIBLE`.
    """
    state = fold.state
    known = state.api_messages.get(message)
    if known is None or (known.tokens is None and known.doubt is None):
        return None
    is_counted = known.tokens is not None
    shown = [state.messages[item].item for item in known.shown_as if item in state.messages]
    return Usage(
        message=name_of(name, message, is_id=all(item.message_id for item in shown)),
        thread=min((item.agent for item in shown), key=rank, default=""),
        at=known.started_at,
        model=known.model,
        tier=known.service_tier if is_counted else IMPOSSIBLE,
        tokens=known.tokens or Tokens(),
        is_lower_bound=is_counted and known.stop_reason is None,
        start_digest=known.start_digest,
        turn=prompts.before(known.started_at),
    )


def per_turn(fold: Fold, name: str, turns: Iterable[Turn]) -> list[Usage]:
    """Returns the usage in the turn results of a fold. `turns` say when, and what each model used."""
    return used_by_turns(fold.state.session, name, turns, fold.state.turn_tokens)


def used_by_turns(session: Session, name: str, turns: Iterable[Turn], reported: Mapping[str, Tokens]) -> list[Usage]:
    """Returns the usage in turn results (`reported`, by turn id), separately for each model if they state it.

    Otherwise the model is the model of the session, if it has only one. A turn with impossible figures counts nothing.
    """
    sole = session.models[0] if len(session.models) == 1 else None
    ordered = sorted(turns, key=lambda turn: turn.order)
    times = {turn.id: time_of(turn, session) for turn in ordered}
    by_model = added_by_turn(ordered, session.versions)

    def usage(turn: str, model: str | None, tokens: Tokens, part: str = "", tier: str | None = None) -> Usage:
        return Usage(
            message=name_of(name, turn + part, is_id=False),
            thread="",
            at=times.get(turn, session.ended_at),
            model=model,
            tier=tier,
            tokens=highest(Tokens(), tokens),
            is_per_turn=True,
        )

    found = [usage(turn, each.model, each.tokens, f"#{each.model}") for turn, used in by_model.items() for each in used]
    found += [usage(turn, sole, tokens) for turn, tokens in reported.items() if turn not in by_model]
    doubted = (turn.id for turn in ordered if turn.doubt and turn.id not in by_model and turn.id not in reported)
    return found + [usage(turn, sole, Tokens(), tier=IMPOSSIBLE) for turn in doubted]


def time_of(turn: Turn, session: Session) -> str | None:
    """Returns when a turn ended: as it says, else the time in its order key, else the end of the session."""
    placed = turn.order[0]
    return turn.ended_at or (placed if len(placed) > 1 else None) or session.ended_at


def rank(thread: str) -> tuple[int, str]:
    """Returns the sort key of a thread. If several threads contain a message, it belongs to the lowest one."""
    return precedence(thread), thread
