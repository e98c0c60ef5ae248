"""What each message of a conversation used: once per message, each field at its maximum.

Where no message carries usage, or none says how it ended while results have the totals of each model, what the turns
report counts instead; where both exist they are two figures for the same work and are never added.
"""

from collections.abc import Iterable, Mapping

from chorus.core.conversation.agents import precedence
from chorus.core.conversation.fold import Fold
from chorus.core.conversation.items import Session, Turn
from chorus.core.conversation.model_usage import added_by_turn, counts_by_turns
from chorus.core.conversation.tokens import Tokens
from chorus.core.conversation.usage import highest
from chorus.core.spending.rows import Usage, name_of


def usages_of(fold: Fold, name: str, turns: Iterable[Turn] = ()) -> list[Usage]:
    """What the conversation `name` used, as of all records fed so far.

    `turns` are the turn items it has by then; they tell when tokens were used that only turns report.
    """
    ordered = sorted(turns, key=lambda turn: turn.order)
    if counts_by_turns(fold.state.session, ordered):
        return per_turn(fold, name, ordered)
    found = (usage_of(fold, name, message) for message in fold.state.api_messages)
    return [usage for usage in found if usage is not None]


def usage_of(fold: Fold, name: str, message: str) -> Usage | None:
    """What one message used, by its name in the fold's `api_messages`; None when no line of it tells."""
    state = fold.state
    known = state.api_messages.get(message)
    if known is None or known.tokens is None:
        return None
    shown = [state.messages[item].item for item in known.shown_as if item in state.messages]
    return Usage(
        message=name_of(name, message, is_id=all(item.message_id for item in shown)),
        thread=min((item.agent for item in shown), key=rank, default=""),
        at=known.started_at,
        model=known.model,
        tier=known.service_tier,
        tokens=known.tokens,
        is_lower_bound=known.stop_reason is None,
        start_digest=known.start_digest,
    )


def per_turn(fold: Fold, name: str, turns: Iterable[Turn]) -> list[Usage]:
    """What the turns of a fold report; `turns` tell when, and what each model used."""
    return used_by_turns(fold.state.session, name, turns, fold.state.turn_tokens)


def used_by_turns(session: Session, name: str, turns: Iterable[Turn], reported: Mapping[str, Tokens]) -> list[Usage]:
    """What turns report that they used (`reported`, by their ids), model by model where they tell it.

    Else the model is the session's, where it had only one.
    """
    sole = session.models[0] if len(session.models) == 1 else None
    ordered = sorted(turns, key=lambda turn: turn.order)
    times = {turn.id: time_of(turn, session) for turn in ordered}
    by_model = added_by_turn(ordered, session.versions)

    def usage(turn: str, model: str | None, tokens: Tokens, part: str = "") -> Usage:
        return Usage(
            message=name_of(name, turn + part, is_id=False),
            thread="",
            at=times.get(turn, session.ended_at),
            model=model,
            tier=None,
            tokens=highest(Tokens(), tokens),
            is_per_turn=True,
        )

    found = [usage(turn, each.model, each.tokens, f"#{each.model}") for turn, used in by_model.items() for each in used]
    return found + [usage(turn, sole, tokens) for turn, tokens in reported.items() if turn not in by_model]


def time_of(turn: Turn, session: Session) -> str | None:
    """When a turn ended: as it says, else where it stands in the conversation, else when that ended."""
    placed = turn.order[0]
    return turn.ended_at or (placed if len(placed) > 1 else None) or session.ended_at


def rank(thread: str) -> tuple[int, str]:
    """Of several threads that hold a message, the one with the lowest rank is said to have spoken it."""
    return precedence(thread), thread
