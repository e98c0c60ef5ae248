"""The rows that money is counted in."""

from msgspec import Struct

from chorus.core.conversation.tokens import Tokens


class Usage(Struct, frozen=True):
    """What one message used, as one conversation tells it. Counted once however many conversations hold it."""

    message: str
    """The message's id; for messages without one, the conversation's name and the item's id: such are nobody else's."""
    thread: str
    """The sub-agent that spoke; "" for the main thread."""
    at: str | None
    model: str | None
    tier: str | None
    tokens: Tokens
    is_lower_bound: bool = False
    """Whether no line of the message tells how it ended: old clients left a placeholder as its output count then."""
    is_per_turn: bool = False
    """Whether this is what a turn reports, in a conversation whose messages carry no usage."""
    start_digest: int = 0
    """A digest of how the message begins, and when: copies of one message have the same. 0 when that is not known."""


class Spent(Struct, frozen=True):
    """Tokens that belong to one conversation, summed over messages that share all that a price or a report asks for."""

    conversation: str
    """`workspace/agent/conversation`, or the session's id where nothing is kept."""
    thread: str
    quarter: str
    """The quarter of an hour in UTC (`2026-02-03T04:15`), so that days of every time zone can be told; "" unknown."""
    model: str | None
    tier: str | None
    prompt_over: int
    """The highest of `prices.table.LONG_PROMPTS` that each prompt exceeds; else 0, as for turns: they are no prompt."""
    is_per_turn: bool
    tokens: Tokens
    messages: int
    """How many messages, or turns (`is_per_turn`)."""
    lower_bounds: int
    """How many of these messages have an output count that is but a lower bound."""


class Reported(Struct, frozen=True):
    """What the client itself said that something cost."""

    conversation: str
    quarter: str
    usd: float
    source: str
    """`turns` (increments of `total_cost_usd`), `first-turn` (a first total, which in a fork holds its source's cost
    too), `cost-state` (the session file's own total), `messages` (`costUSD`)."""


def name_of(conversation: str, item: str, *, is_id: bool) -> str:
    """The name of a message over all conversations: its id, else one that no other conversation's message has."""
    return item if is_id else f"{conversation}/{item}"
