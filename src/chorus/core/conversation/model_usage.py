"""The usage of each model in turn results: converts totals that continue over turns into increments of each turn.

On standard output, a message has only a placeholder for its output tokens, and sub-agents and side requests have none.
The result at the end of a turn is complete: `modelUsage` has the totals of every model.
"""

from collections.abc import Iterable, Sequence
from operator import sub

import msgspec
from msgspec import Raw, structs

from chorus.core.conversation.costs import carries_over
from chorus.core.conversation.items import MAIN, ModelTokens, Session, Turn
from chorus.core.conversation.plausibility import MAX_TURN_TOKENS, doubt
from chorus.core.conversation.tokens import Tokens
from chorus.core.conversation.usage import plus
from chorus.core.records.model.base import is_present
from chorus.core.records.model.outcome import ModelUsage

_decoder = msgspec.json.Decoder(dict[str, ModelUsage])


def totals_of(raw: Raw) -> tuple[ModelTokens, ...] | None:
    """Returns the totals in a `modelUsage`, or None if it is absent or unreadable."""
    if not is_present(raw):
        return None
    try:
        found = _decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return tuple(ModelTokens(model, _tokens(used)) for model, used in found.items())


def doubt_of(totals: tuple[ModelTokens, ...] | None) -> str | None:
    """Returns the impossible values in the totals, in words; None if all values are possible."""
    wrong = [f"{each.model} {why}" for each in totals or () if (why := doubt(each.tokens, MAX_TURN_TOKENS))]
    return ", ".join(wrong) or None


def added_by_turn(turns: Iterable[Turn], versions: tuple[str, ...]) -> dict[str, tuple[ModelTokens, ...]]:
    """Returns turn id → what each model used in the turn, for turns of the main thread, in order, that have totals.

    This is the increment that the client states, else the difference to the turn before. A first total may include
    usage from before a resume. It is used only if it equals the turn's own usage or if sub-agents may have used the
    rest; else the turn's own usage is used.
    """
    goes_on = carries_over(versions)
    found: dict[str, tuple[ModelTokens, ...]] = {}
    before: Turn | None = None
    for turn in turns:
        if turn.agent != MAIN or not turn.models:
            continue
        if turn.models_since_last is not None:
            found[turn.id] = turn.models_since_last
        elif before is not None and (goes_on or before.place.stream == turn.place.stream):
            found[turn.id] = _difference(turn.models, before.models)
        else:
            found[turn.id] = _first(turn) if goes_on else turn.models
        before = turn
    return found


def counts_by_turns(session: Session, turns: Iterable[Turn]) -> bool:
    """Returns whether turn results are more complete than the messages of a conversation.

    They are if no message has usage. They also are if no message has a stop reason (standard output alone, on which
    output counts are placeholders) and the totals of the models are not lower. Only messages have what a killed run
    used after its last result.
    """
    if not session.has_message_usage:
        return True
    if session.messages_unended < session.messages_counted:
        return False
    total = total_by_models(list(turns), session.versions)
    return total is not None and can_contain(total, session.tokens)


def total_by_models(turns: Sequence[Turn], versions: tuple[str, ...]) -> Tokens | None:
    """Returns the tokens of turns (in order), from the totals of their models; None if no turn has such totals."""
    by_model = added_by_turn(turns, versions)
    return _sum(turns, by_model) if by_model else None


def conversation_tokens(session: Session, turns: Sequence[Turn]) -> Tokens:
    """Returns the tokens of a conversation, from its messages or its turns (in order), whichever are more complete."""
    if not counts_by_turns(session, turns):
        return session.tokens
    by_model = added_by_turn(turns, session.versions)
    return _sum(turns, by_model) if by_model else session.turn_tokens


def _sum(turns: Iterable[Turn], by_model: dict[str, tuple[ModelTokens, ...]]) -> Tokens:
    total = sum_of(by_model.values())
    for turn in turns:
        if turn.id not in by_model and turn.tokens is not None:
            total = plus(total, turn.tokens)
    return total


def sum_of(used: Iterable[tuple[ModelTokens, ...]]) -> Tokens:
    """Returns the sum over all turns and models."""
    total = Tokens()
    for each in used:
        for model in each:
            total = plus(total, model.tokens)
    return total


def _tokens(used: ModelUsage) -> Tokens:
    return Tokens(
        used.inputTokens or 0,
        used.outputTokens or 0,
        used.cacheCreationInputTokens or 0,
        used.cacheReadInputTokens or 0,
        used.cacheCreationEphemeral5mInputTokens or 0,
        used.cacheCreationEphemeral1hInputTokens or 0,
        used.webSearchRequests or 0,
    )


def _difference(now: tuple[ModelTokens, ...], before: tuple[ModelTokens, ...]) -> tuple[ModelTokens, ...]:
    known = {each.model: each.tokens for each in before}
    found: list[ModelTokens] = []
    for each in now:
        grown = tuple(map(sub, structs.astuple(each.tokens), structs.astuple(known.get(each.model, Tokens()))))
        # A total that became lower starts a new count, so it is the increment itself.
        tokens = Tokens(*grown) if min(grown) >= 0 else each.tokens
        if any(structs.astuple(tokens)):
            found.append(ModelTokens(each.model, tokens))
    return tuple(found)


def _first(turn: Turn) -> tuple[ModelTokens, ...]:
    """Returns what each model used in a turn that has the first total."""
    own = turn.tokens
    if own is None or turn.has_agents or any(_is_same(each.tokens, own) for each in turn.models):
        return turn.models
    most = max(turn.models, key=lambda each: sum(structs.astuple(each.tokens)[:4]))
    return (ModelTokens(most.model, own),) if can_contain(most.tokens, own) else turn.models


def _is_same(total: Tokens, own: Tokens) -> bool:
    return structs.astuple(total)[:4] == structs.astuple(own)[:4]


def can_contain(total: Tokens, own: Tokens) -> bool:
    """Returns whether a total may include these tokens: none of its counts is lower."""
    return all(whole >= part for whole, part in zip(structs.astuple(total)[:4], structs.astuple(own)[:4], strict=True))
