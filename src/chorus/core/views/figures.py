"""Formats numbers and names for people, in the same way for every front end."""

import re
from datetime import datetime, tzinfo
from typing import assert_never

from chorus.core.conversation import lifecycle
from chorus.core.conversation.items import Author, CallState, Tokens
from chorus.core.views.counts import COUNTLESS, THOUSAND, count

LABELS: dict[str, str] = {
    Author.MODEL: "Claude",
    Author.HUMAN: "You",
    Author.TOOL: "Tool",
    Author.SYNTHETIC: "Client",
    Author.COMMAND: "Command",
    Author.NOTIFICATION: "Notification",
    Author.AGENT: "Task",
}
"""The label of each author."""

AT_WORK, NOT_FINISHED = "at work", "not known to have finished"
_AGENT_WORDS = {lifecycle.RUNNING: AT_WORK, lifecycle.UNKNOWN: NOT_FINISHED}
_STATE_WORDS = {
    "async_launched": "at work in the background",
    "remote_launched": "at work elsewhere",
    "in_progress": "at work",
    "max_turns": "stopped at the limit of turns",
    "max_turns_reached": "limit of turns reached",
    "budget_exhausted": "stopped at the limit of cost",
    "max_tokens": "stopped at the limit of tokens",
    "end_turn": "finished",
    "error_max_turns": "limit of turns reached",
    "error_max_budget_usd": "limit of cost reached",
    "error_during_execution": "an error while it ran",
    "acceptEdits": "accept edits",
    "bypassPermissions": "bypass permissions",
    "dontAsk": "don't ask",
}
"""Replacements for words that read badly when they are only split into their parts."""
_MACHINE_WORD = re.compile(r"[a-z][a-z0-9]*(?:(?:_[a-z0-9]+)+|(?:[A-Z][a-z0-9]+)+)")
_HUMP = re.compile(r"[A-Z]")
_PREFIX = "claude-"


def size(size_bytes: int) -> str:
    """Returns a size as `812 bytes` or `164.9 kB`."""
    if size_bytes < THOUSAND:
        return f"{size_bytes} byte{'' if size_bytes == 1 else 's'}"
    scaled = float(min(size_bytes, COUNTLESS))
    for unit in ("kB", "MB"):
        scaled /= THOUSAND
        if scaled < THOUSAND:
            return f"{scaled:.1f} {unit}"
    return f"{scaled / THOUSAND:.1f} GB"


def duration(duration_ms: float) -> str:
    """Returns a duration as `80ms`, `1.2s`, `42s`, `3m 05s` or `2h 10m`."""
    seconds = duration_ms / 1000
    if not 0 <= seconds < COUNTLESS:
        return "?"
    if seconds < 0.9995:
        return f"{duration_ms:.0f}ms"
    if seconds < 9.95:
        return f"{seconds:.1f}s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60:02d}s"
    return f"{whole // 3600}h {whole % 3600 // 60:02d}m"


def cost(cost_usd: float) -> str:
    """Returns a cost as `$0.0018`, `$0.03` or `$12.40`."""
    if not -COUNTLESS < cost_usd < COUNTLESS:
        return "$?"
    return f"${cost_usd:.2f}" if cost_usd == 0 or cost_usd >= 0.01 else f"${cost_usd:.4f}"


def tokens(spent: Tokens, *, is_lower_bound: bool = False) -> str:
    """Returns `2.1k in · 42 out`, cache included, with `≥ 42 out` for a lower bound; empty if there are no tokens."""
    read = spent.input + spent.cache_creation + spent.cache_read
    least = "≥ " if is_lower_bound else ""
    return f"{count(read)} in · {least}{count(spent.output)} out" if read or spent.output else ""


def several(number: int, noun: str) -> str:
    """Returns a number with its noun: `1 line`, `2 lines`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def model(name: str) -> str:
    """Returns the name of a model without the prefix that all of them share."""
    return name.removeprefix(_PREFIX)


def moment(time: str | None, zone: tzinfo | None) -> datetime | None:
    """Parses the timestamp of a record and converts it to `zone`; None if it is missing or invalid."""
    if not time:
        return None
    try:
        return datetime.fromisoformat(time).astimezone(zone)
    except (ValueError, OverflowError, OSError):
        return None


def span(start: str | None, end: str | None, zone: tzinfo | None) -> str:
    """Returns `12 Mar 2026 14:02 – 14:31`, with a second date if the end is on another day; empty without a start."""
    begun, ended = moment(start, zone), moment(end, zone)
    if begun is None:
        return ""
    text = day(begun) + f"{begun: %H:%M}"
    if ended is None or (ended - begun).total_seconds() < 60:
        return text
    return f"{text} – {ended:%H:%M}" if ended.date() == begun.date() else f"{text} – {day(ended)}{ended: %H:%M}"


def day(when: datetime) -> str:
    return f"{when.day} {when:%b %Y}"


def elapsed_ms(start: str | None, end: str | None) -> float | None:
    """Returns the milliseconds between two timestamps; None if one is missing or invalid, or if the end is earlier."""
    if not start or not end:
        return None
    try:
        elapsed = (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
    except (ValueError, TypeError, OverflowError):
        return None
    return elapsed * 1000 if elapsed >= 0 else None


def queued(*, is_waiting: bool) -> str:
    """Returns the label for input that arrived while the agent was busy."""
    return "Queued" if is_waiting else "Queued, read in the middle of a turn"


def agent_status(status: str | None) -> str | None:
    """Returns the status of a sub-agent in words."""
    return _AGENT_WORDS.get(status) or in_words(status) if status else None


def agent_name(kind: str, description: str) -> str:
    """Returns the display name of a sub-agent: `Explore: Find the tests`. Its id is meant for programs only."""
    return ": ".join(part for part in (kind, description) if part.strip()) or "without a name"


def in_words(word: str) -> str:
    """Returns an identifier in words: `max_turns` becomes `max turns`, and `acceptEdits` `accept edits`.

    Text that is no such identifier (a sentence, a name, a path) is returned unchanged.
    """
    if word in _STATE_WORDS:
        return _STATE_WORDS[word]
    if not _MACHINE_WORD.fullmatch(word):
        return word
    return _HUMP.sub(lambda found: f" {found[0].lower()}", word.replace("_", " ")).strip()


def outcome(state: CallState, by: str | None = None) -> str:
    """Returns the state of a call in words, with `by` as who refused it; empty if the call succeeded."""
    match state:
        case CallState.DONE:
            return ""
        case CallState.PENDING:
            return "no result"
        case CallState.FAILED:
            return "failed"
        case CallState.REFUSED:
            return f"refused by {by}" if by else "refused"
        case CallState.ORPHAN:
            return "result without a call"
        case _:
            assert_never(state)
