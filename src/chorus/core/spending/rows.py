"""The rows in which usage and costs are counted."""

from msgspec import Struct

from chorus.core.conversation.tokens import Tokens

IMPOSSIBLE = "impossible"
"""The tier of usage that counts nothing, because no API returns its figures (`plausibility`). It has no price."""


class Usage(Struct, frozen=True):
    """The usage of one message in one conversation. It is counted once, however many conversations contain it."""

    message: str
    """The message id. For messages without one: conversation name and item id, which no other conversation has."""
    thread: str
    """The sub-agent that wrote it; "" for the main thread."""
    at: str | None
    model: str | None
    tier: str | None
    tokens: Tokens
    is_lower_bound: bool = False
    """Whether no line of the message has a stop reason. Old clients left a placeholder as output count then."""
    is_per_turn: bool = False
    """Whether this is the usage of a turn, in a conversation whose messages have no usable usage."""
    start_digest: int = 0
    """A digest of the beginning of the message and its time. Copies of one message have the same. 0 if not known."""
    turn: str = ""
    """The prompt that began its turn: its time, a space and its id (`prompts`); "" if none came before it."""


class Spent(Struct, frozen=True):
    """Tokens of one conversation, summed over messages that are equal in all that a price or a report depends on."""

    conversation: str
    """`workspace/agent/conversation`, or the session id if there is no vault."""
    thread: str
    quarter: str
    """The quarter of an hour in UTC (`2026-02-03T04:15`), to find the day in every time zone; "" if unknown."""
    model: str | None
    tier: str | None
    prompt_over: int
    """The highest of `price_table.LONG_PROMPTS` that each prompt exceeds; else 0. Always 0 for turns."""
    is_per_turn: bool
    tokens: Tokens
    messages: int
    """Number of messages, or of turns (`is_per_turn`)."""
    lower_bounds: int
    """Number of these messages whose output count is only a lower bound."""


class Reported(Struct, frozen=True):
    """A cost that the client itself reported."""

    conversation: str
    quarter: str
    usd: float
    source: str
    """`turns` (increments of `total_cost_usd`), `first-turn` (a first total, which in a fork includes the cost of its
    source), `cost-state` (the total of the session file), `messages` (`costUSD`)."""


def name_of(conversation: str, item: str, *, is_id: bool) -> str:
    """Returns a name of a message that is unique among all conversations: its id, else one with the conversation."""
    return item if is_id else f"{conversation}/{item}"
