"""Facts about an API message, by its id, from all lines, streams and agents: tokens, times, model, stop reason.

Tokens are counted once per message id, with each field at its maximum. Every line of a message repeats its usage, and
so does every copy of a line (in a fork, a mirror, or a sub-agent's thread inside the main file).
"""

from chorus.core.conversation import naming
from chorus.core.conversation.fold_context import EMBEDDED, FoldContext
from chorus.core.conversation.items import Message, Tokens
from chorus.core.conversation.plausibility import doubt, doubt_cost
from chorus.core.conversation.record_digests import start_digest
from chorus.core.conversation.state import ApiMessage, State
from chorus.core.conversation.usage import SYNTHETIC_MODEL, highest, is_same, plus, tokens_of
from chorus.core.records.model import blocks
from chorus.core.records.model.turns import Assistant

FAST = "fast"
"""The service tier of requests in fast mode."""


def add_line(
    context: FoldContext, name: str, value: Assistant, message: blocks.Message, *, exclude: str | None = None
) -> None:
    """Adds the facts in one line of the message `name` and updates the items that show the message.

    The changed items are added to the changes, except `exclude`, which the caller adds itself.
    """
    state = context.state
    known = state.api_messages.get(name)
    if known is None:
        known = state.api_messages[name] = ApiMessage()
    elif context.is_foreign:
        return
    elif known.stream is not None:
        context.overlaps(known.stream)
    if known.stream is None and context.authority != EMBEDDED:
        known.stream = context.record.stream
    if message.content and (known.start_read_at is None or (context.authority, context.order) < known.start_read_at):
        known.start_read_at = context.authority, context.order
        known.start_digest = start_digest(message, value.timestamp)
    was_counted, was_ended = known.tokens is not None, known.stop_reason is not None
    changed = _count(context, known, message)
    time = context.time
    if time:
        if known.started_at is None or time < known.started_at:
            known.started_at, changed = time, True
        if known.ended_at is None or time > known.ended_at:
            known.ended_at, changed = time, True
    model = message.model or value.model
    if model and known.model is None:
        known.model, changed = model, True
        if model != SYNTHETIC_MODEL:
            naming.add_model(context, model)
    if message.stop_reason and (known.stop_at is None or context.order >= known.stop_at):
        changed = changed or known.stop_reason != message.stop_reason
        known.stop_at, known.stop_reason = context.order, message.stop_reason
    is_ended = known.stop_reason is not None
    if known.tokens is not None and (not was_counted or is_ended != was_ended):
        state.session.messages_counted += not was_counted
        state.session.messages_unended += (not is_ended) - (was_counted and not was_ended)
        context.session_changed = True
    request = value.requestId or value.request_id
    if request and known.request_id is None:
        known.request_id, changed = request, True
    if value.costUSD is not None or value.durationMs is not None or value.error or _is_error(value):
        if wrong := doubt_cost(value.costUSD):
            known.doubt = max(known.doubt or "", wrong)
        elif value.costUSD is not None:
            known.cost_usd = value.costUSD
        known.duration_ms = value.durationMs if value.durationMs is not None else known.duration_ms
        known.error = value.error or known.error or ("api error" if _is_error(value) else None)
        changed = True
    _credit(context, known)
    if (value.aborted or value.isAbortedMidStream) and not known.is_cut:
        known.is_cut = changed = True
    if changed:
        for shown in known.shown_as:
            item = state.messages[shown].item
            _write(known, item)
            if shown != exclude:
                context.put(item)


def _credit(context: FoldContext, known: ApiMessage) -> None:
    """Adds the output of the message to the work of its model."""
    output = known.tokens.output if known.tokens else 0
    if known.model and known.model != SYNTHETIC_MODEL and output != known.worked:
        naming.add_work(context, known.model, output - max(known.worked, 0), known.worked < 0)
        known.worked = output


def cut_off(context: FoldContext, name: str) -> None:
    """Marks the message `name` as cut off: its stream continued without ending it."""
    known = context.state.api_messages.get(name)
    if known is None or known.is_cut:
        return
    known.is_cut = True
    for shown in known.shown_as:
        _write(known, context.state.messages[shown].item)
        context.put(context.state.messages[shown].item)


def is_shown(state: State, item: Message) -> bool:
    """Returns whether an item shows the API message of `item`."""
    known = state.api_messages.get(item.message_id or item.id)
    return known is not None and bool(known.shown_as)


def show(state: State, item: Message) -> None:
    """Registers that `item` shows its API message."""
    known = state.api_messages.get(item.message_id or item.id)
    if known is not None:
        known.shown_as.append(item.id)
        _write(known, item)


def forget(state: State, item: Message) -> None:
    """Registers that `item` was removed."""
    known = state.api_messages.get(item.message_id or item.id)
    if known is not None and item.id in known.shown_as:
        known.shown_as.remove(item.id)


def _write(known: ApiMessage, item: Message) -> None:
    """Copies the facts about an API message to an item that shows it."""
    item.model, item.stop_reason, item.tokens = known.model, known.stop_reason, known.tokens
    item.service_tier, item.request_id = known.service_tier, known.request_id
    item.started_at, item.ended_at = known.started_at, known.ended_at
    item.cost_usd, item.duration_ms, item.error = known.cost_usd, known.duration_ms, known.error
    item.doubt = known.doubt
    item.is_unfinished = known.is_cut and known.stop_reason is None


def _count(context: FoldContext, known: ApiMessage, message: blocks.Message) -> bool:
    """Adds the tokens of a line to the message and the session. Returns whether the message changed."""
    usage = message.usage
    if usage is None or message.model == SYNTHETIC_MODEL:
        return False
    session = context.state.session
    stated = None
    if known.tokens is None or context.origin is not None or not is_same(known.tokens, usage):
        stated = tokens_of(usage)
        if wrong := doubt(stated):
            known.doubt = max(known.doubt or "", wrong)
            return True
    if known.tokens is None:
        known.tokens = Tokens()
        session.has_message_usage = True
        context.session_changed = True
    if stated is None:
        return False
    known.service_tier = known.service_tier or tier_of(usage.service_tier, usage.speed)
    if context.origin is None:
        tokens = highest(known.tokens, stated)
    else:
        reported, has_ended = known.reported.get(context.origin, (Tokens(), False))
        known.reported[context.origin] = highest(reported, stated), has_ended or bool(message.stop_reason)
        tokens = _best_tokens(known)
    if tokens == known.tokens:
        return False
    session.tokens = plus(session.tokens, tokens, known.tokens)
    context.session_changed = True
    known.tokens = tokens
    return True


def _best_tokens(known: ApiMessage) -> Tokens:
    """Returns the tokens in the stream with the best origin; until it has a stop reason, other streams complete them.

    So the client's file completes what its standard output announced, and no other stream raises a final number.
    """
    tokens = Tokens()
    for origin in sorted(known.reported):
        reported, has_ended = known.reported[origin]
        tokens = highest(tokens, reported)
        if has_ended:
            break
    return tokens


def tier_of(service_tier: str | None, speed: str | None) -> str | None:
    """Returns the tier that sets the price. Fast mode is reported separately and costs more than any tier."""
    return FAST if speed == FAST else service_tier


def _is_error(value: Assistant) -> bool:
    return bool(value.isApiErrorMessage or value.is_api_error_message)
