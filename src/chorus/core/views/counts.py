"""Formats numbers in few characters. Imports nothing."""

THOUSAND = 1000
COUNTLESS = 10**15
"""Numbers come from transcripts and may be absurd: all numbers above this one are formatted alike."""


def count(number: int) -> str:
    """Returns a number as `999`, `1.2k`, `12k` or `3.4M`."""
    size = float(min(number, COUNTLESS))
    for unit in ("", "k", "M", "G"):
        if abs(size) < THOUSAND - (0.5 if unit else 0):
            return f"{size:.1f}{unit}" if unit and abs(size) < 9.95 else f"{size:.0f}{unit}"
        size /= THOUSAND
    return f"{size:.0f}T"
