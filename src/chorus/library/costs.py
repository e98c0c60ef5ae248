"""The cost of a conversation: in total, for each sub-agent, and for each message."""

from collections.abc import Iterable, Iterator
from math import fsum
from pathlib import Path

from msgspec import Struct, field

from chorus.base import config
from chorus.base.prices import PRICES_FILE, load_prices
from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.items import Message
from chorus.core.conversation.tokens import Tokens
from chorus.core.spending.counting import rank, used_by_turns
from chorus.core.spending.rates import Prices
from chorus.core.spending.rows import IMPOSSIBLE, Usage
from chorus.core.spending.sums import Sums

_WHOLE = "the whole conversation"


class Cost(Struct, kw_only=True):
    """Tokens and their cost at list prices."""

    usd: float | None = None
    """At the prices of the day; None if nothing has a known price."""
    tokens: Tokens = Tokens()
    unpriced: dict[str, int] = field(default_factory=dict)
    """Reason why messages have no price → number of messages. They are not part of `usd`: unknown is never zero."""


class ConversationCost(Cost, kw_only=True):
    """The cost of one conversation, with its parts and the cost that the client reported."""

    reported_usd: float | None = None
    """The cost of the turns that the client reported."""
    agents: dict[str, Cost] = field(default_factory=dict)
    """By sub-agent id; "" is the main thread."""
    messages: dict[str, Cost] = field(default_factory=dict)
    """By the `id` of the message item."""


def price_table(path: str | Path | None = None) -> Prices:
    """Returns the price table of Chorus, overridden by `prices.json` in Chorus' home, or by `path`."""
    own = Path(path) if path else config.home(None) / PRICES_FILE
    return load_prices(own, may_be_missing=path is None)


def cost(conversation: Conversation, *, at: Prices | None = None) -> ConversationCost:
    """Returns the cost of a conversation; each message counts once.

    History that a fork copied from its source is included here, because only the vault knows other conversations.
    """
    table = at or price_table()
    usages = dict(_usages(conversation))
    priced = {name: _cost([usage], table) for name, usage in usages.items()}
    threads: dict[str, list[Usage]] = {}
    for usage in usages.values():
        threads.setdefault(usage.thread, []).append(usage)
    whole = _cost(usages.values(), table)
    return ConversationCost(
        usd=whole.usd,
        tokens=whole.tokens,
        unpriced=whole.unpriced,
        reported_usd=conversation.reported_cost_usd,
        agents={thread: _cost(own, table) for thread, own in threads.items()},
        messages={} if conversation.is_per_turn else priced,
    )


def _usages(conversation: Conversation) -> Iterator[tuple[str, Usage]]:
    """Yields the usage of each message, with the id of the item that shows it; of turns, if only these have usage."""
    session = conversation.session
    if conversation.is_per_turn:
        turns = conversation.turns
        reported = {turn.id: turn.tokens for turn in turns if turn.tokens is not None}
        if used := used_by_turns(session, conversation.id, turns, reported):
            yield from ((usage.message, usage) for usage in used)
            return
    shown: dict[str, Message] = {}
    for message in conversation.all(Message):
        if message.tokens is not None or message.doubt is not None:
            name = message.message_id or message.id
            known = shown.get(name)
            if known is None or rank(message.agent) < rank(known.agent):
                shown[name] = message
    for message in shown.values():
        yield (
            message.id,
            Usage(
                message=message.message_id or message.id,
                thread=message.agent,
                at=message.started_at,
                model=message.model,
                tier=message.service_tier if message.tokens is not None else IMPOSSIBLE,
                tokens=message.tokens or Tokens(),
                is_lower_bound=message.tokens is not None and message.stop_reason is None,
            ),
        )


def _cost(usages: Iterable[Usage], table: Prices) -> Cost:
    sums = Sums()
    for usage in usages:
        sums.take(_WHOLE, usage)
    found = Cost()
    known: list[float] = []
    for spent in sums.rows():
        found.tokens += spent.tokens
        quote = table.quote(spent.model, spent.tier, prompt_over=spent.prompt_over, day=spent.quarter[:10])
        if isinstance(quote, str):
            found.unpriced[quote] = found.unpriced.get(quote, 0) + spent.messages
        else:
            known.append(quote.cost(spent.tokens))
    found.usd = fsum(known) if known else None
    return found
