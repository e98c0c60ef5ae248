"""Figures that no API can return: shown as a record states them, and counted nowhere.

A message has one prompt and one answer, both within a context window. The bounds are far above any window there is, and
far below what it takes to make a sum meaningless.
"""

from math import isfinite

from msgspec import structs

from chorus.core.conversation.tokens import Tokens

MAX_TOKENS = 20_000_000
"""Of each kind, in one message."""
MAX_TURN_TOKENS = 1_000 * MAX_TOKENS
"""Of each kind, in what a turn reports: that may be the sum of many messages."""
MAX_USD = 100_000.0
"""What one client may report to have spent."""


def doubt(tokens: Tokens, most: int = MAX_TOKENS) -> str | None:
    """What is stated that cannot be, in words; None when all of it may be."""
    told = structs.asdict(tokens).items()
    wrong = [f"{name} {number:,}" for name, number in told if not 0 <= number <= most]
    return ", ".join(wrong) or None


def doubt_cost(usd: float | None) -> str | None:
    """The same of a cost."""
    return None if usd is None or (isfinite(usd) and 0 <= usd <= MAX_USD) else f"cost ${usd:,.2f}"
