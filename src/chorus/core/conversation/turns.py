"""The end of a turn: its text, duration and cost."""

import msgspec

from chorus.core.conversation import calls, model_usage, status
from chorus.core.conversation.fold_context import FoldContext
from chorus.core.conversation.items import Block, Turn
from chorus.core.conversation.plausibility import MAX_TURN_TOKENS, doubt, doubt_cost
from chorus.core.conversation.usage import plus, tokens_of, tokens_of_flat
from chorus.core.records.model import blocks
from chorus.core.records.model.base import is_present
from chorus.core.records.model.outcome import PermissionDenial
from chorus.core.records.model.system import System
from chorus.core.records.model.turns import FlatOutcome, Result

_AFTER_ALL = "9"
"""Sorts after every time."""


class ModelCost(msgspec.Struct):
    usd: float | None = msgspec.field(default=None, name="costUSD")


_denied = msgspec.json.Decoder(list[PermissionDenial])
_costs = msgspec.json.Decoder(dict[str, ModelCost])


def result(context: FoldContext, value: Result) -> None:
    """Folds a turn result. It ends a turn, not the run: a session has one for each turn."""
    context.stream.retried = None
    outcome = value.result if isinstance(value.result, FlatOutcome) else None
    is_error = bool(value.is_error) or bool(value.subtype and value.subtype.startswith("error"))
    usage = None
    if value.usage:
        usage = tokens_of(value.usage)
    elif outcome and outcome.usage:
        usage = tokens_of_flat(outcome.usage)
    total, since_last = value.total_cost_usd, _since_last(value)
    wrong = [doubt(usage, MAX_TURN_TOKENS) if usage else None, doubt_cost(total), doubt_cost(since_last)]
    usage = None if wrong[0] else usage
    models = model_usage.totals_of(value.modelUsage)
    models_since_last = model_usage.totals_of(value.model_usage_since_last_result)
    if doubted := model_usage.doubt_of(models) or model_usage.doubt_of(models_since_last):
        # Totals build on each other: if one of the two is impossible, nothing is left to compare with.
        wrong.append(doubted)
        models = models_since_last = None
    item = Turn(
        id="turn:" + context.id,
        order=context.order,
        agent=context.agent,
        place=context.place,
        subtype=value.subtype,
        is_error=is_error,
        errors=tuple(value.errors or ()),
        num_turns=value.num_turns,
        duration_ms=value.duration_ms,
        duration_api_ms=value.duration_api_ms,
        total_cost_usd=None if wrong[1] else total,
        cost_since_last_usd=None if wrong[2] else since_last,
        tokens=usage,
        models=models or (),
        models_since_last=models_since_last,
        has_agents=context.stream.has_agents,
        stop_reason=value.stop_reason or (outcome.stopReason if outcome else None),
        terminal_reason=value.terminal_reason,
        ended_at=context.time,
        doubt=", ".join(filter(None, wrong)) or None,
    )
    if usage:
        # A copy of the result with more authority replaces it: its tokens are subtracted first.
        counted = context.state.turn_tokens.get(item.id)
        context.state.session.turn_tokens = plus(context.state.session.turn_tokens, usage, counted)
        context.state.turn_tokens[item.id] = usage
    if not context.stream.latest:
        _anchor(context, item, context.stream.last_line)
    context.put(item)
    if isinstance(value.result, str) and value.result:
        block = blocks.Block(type="text", text=value.result)
        context.changes.append(
            Block(
                id=item.id + ":0",
                order=context.part(1),
                agent=context.agent,
                of=item.id,
                block=block,
                place=context.place,
            )
        )
    for call_id in _denials(value):
        calls.denied(context, call_id)
    status.turn_ended(context, item)


def _denials(value: Result) -> list[str]:
    """Returns the calls that were denied during the turn."""
    if not is_present(value.permission_denials):
        return []
    try:
        found = _denied.decode(value.permission_denials)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return []
    return [denial.tool_use_id for denial in found if denial.tool_use_id]


def duration(context: FoldContext, value: System) -> None:
    """Folds `turn_duration`: all that the interactive client writes about the end of a turn."""
    item = Turn(id="turn:" + context.id, order=context.order, place=context.place, subtype=value.subtype)
    item.duration_ms, item.ended_at = value.durationMs, context.time
    context.changes.append(item)


def _since_last(value: Result) -> float | None:
    """Returns the increment of the cost, if the client states it."""
    if not is_present(value.model_usage_since_last_result):
        return None
    try:
        costs = _costs.decode(value.model_usage_since_last_result)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return sum(cost.usd or 0.0 for cost in costs.values())


def _anchor(context: FoldContext, item: Turn, line_id: str | None) -> None:
    """Gives a turn of a stream without times the time of the line before it, which another stream may know.

    A result at the beginning of its stream (`--output-format json` has nothing else) ends the conversation.
    """
    if line_id is None:
        if context.record.offset == 0:
            item.order = (_AFTER_ALL, *item.order[1:])
        return
    context.state.followers.setdefault(line_id, []).append(item)
    known = context.state.lines.get(line_id)
    if known and known.time:
        item.order = (known.time, *item.order[1:])


def follow(context: FoldContext, line_id: str) -> None:
    """Moves the turns after a line, when the time of the line became known."""
    for item in context.state.followers[line_id]:
        if context.time:
            item.order = (context.time, *item.order[1:])
            context.put(item)
            status.turn_ended(context, item)
