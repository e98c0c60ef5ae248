"""What a conversation cost: as a whole, for each sub-agent, for each message."""

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
from chorus.core.spending.rows import Usage
from chorus.core.spending.sums import Sums

_WHOLE = "the whole conversation"


class Cost(Struct, kw_only=True):
    """Tokens and what they cost at list prices, beside what the client itself reported."""

    usd: float | None = None
    """At the prices of the day; None when nothing could be priced."""
    tokens: Tokens = Tokens()
    unpriced: dict[str, int] = field(default_factory=dict)
    """Why messages have no price → how many. They are not in `usd`: unknown is never free."""


class ConversationCost(Cost, kw_only=True):
    """What one conversation cost, and how that is made up."""

    reported_usd: float | None = None
    """What the client said that its turns cost."""
    agents: dict[str, Cost] = field(default_factory=dict)
    """By sub-agent id; "" is the main thread."""
    messages: dict[str, Cost] = field(default_factory=dict)
    """By message: the `id` of the item."""


def price_table(path: str | Path | None = None) -> Prices:
    """The price table of Chorus, with that of a person laid over it (`prices.json` in Chorus' home, or `path`)."""
    own = Path(path) if path else config.home(None) / PRICES_FILE
    return load_prices(own, may_be_missing=path is None)


def cost(conversation: Conversation, *, at: Prices | None = None) -> ConversationCost:
    """What a conversation cost, each message once. History that a fork copied from its source is part of it here:
    only the vault knows of other conversations."""
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
        agents={thread: _cost(some, table) for thread, some in threads.items()},
        messages={} if conversation.is_per_turn else priced,
    )


def _usages(conversation: Conversation) -> Iterator[tuple[str, Usage]]:
    """What each message used, by the id of the item that shows it; of a turn where no message tells."""
    session = conversation.session
    if conversation.is_per_turn:
        turns = conversation.turns
        reported = {turn.id: turn.tokens for turn in turns if turn.tokens is not None}
        for usage in used_by_turns(session, conversation.id, turns, reported):
            yield usage.message, usage
        return
    shown: dict[str, Message] = {}
    for message in conversation.all(Message):
        if message.tokens is not None:
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
                tier=message.service_tier,
                tokens=message.tokens or Tokens(),
                is_lower_bound=message.stop_reason is None,
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
