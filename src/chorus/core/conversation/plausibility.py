"""Numbers that no API can return. They are shown as recorded, but not counted.

A message has one prompt and one answer, both within a context window. The limits are far above any context window, and
low enough that sums stay meaningful.
"""

from math import isfinite

from msgspec import structs

from chorus.core.conversation.tokens import Tokens

MAX_TOKENS = 20_000_000
"""Maximum of each kind of tokens in one message."""
MAX_TURN_TOKENS = 1_000 * MAX_TOKENS
"""Maximum of each kind of tokens in a turn result, which may be the sum of many messages."""
MAX_USD = 100_000.0
"""Maximum cost that a client may report."""


def doubt(tokens: Tokens, most: int = MAX_TOKENS) -> str | None:
    """Returns the impossible token counts, in words; None if all are possible."""
    counts = structs.asdict(tokens).items()
    wrong = [f"{name} {number:,}" for name, number in counts if not 0 <= number <= most]
    return ", ".join(wrong) or None


def doubt_cost(usd: float | None) -> str | None:
    """Returns an impossible cost, in words; None if it is possible or absent."""
    return None if usd is None or (isfinite(usd) and 0 <= usd <= MAX_USD) else f"cost ${usd:,.2f}"
