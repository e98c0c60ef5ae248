"""The lines of a usage report. A figure that is not known is None, and never 0."""

from typing import Any

from msgspec import Struct

from chorus.core.spending.line_figures import LineFigures, rounded

PERIODS: frozenset[str] = frozenset({"day", "week", "month", "hour"})


class GroupLine(LineFigures, kw_only=True):
    """What one group used and cost: the same figures as a line of `chorus cost`."""

    key: str
    label: str = ""
    """The key as people read it."""
    term: str = ""
    """The query that selects its conversations."""

    @property
    def tokens(self) -> int:
        return self.input + self.output + self.cache_creation + self.cache_read

    @property
    def cache_hit_rate(self) -> float | None:
        """The share of the tokens of prompts that were read from the cache; None if there were no prompts."""
        prompts = self.input + self.cache_creation + self.cache_read
        return self.cache_read / prompts if prompts else None

    def as_json(self) -> dict[str, Any]:
        """Returns the documented JSON."""
        rate = self.cache_hit_rate
        return {
            "key": self.key,
            "label": self.label or self.key,
            "tokens": self.tokens_json(),
            "cost_usd": rounded(self.cost_usd),
            "reported_usd": rounded(self.reported_usd),
            "messages": self.messages,
            "lower_bounds": self.lower_bounds,
            "unpriced_messages": sum(self.unpriced.values()),
            "cache_hit_rate": None if rate is None else round(rate, 6),
            "query": self.term,
        }


class ToolLine(Struct, kw_only=True):
    """The calls of one tool."""

    name: str
    term: str = ""
    calls: int = 0
    errors: int = 0
    """Calls whose result is an error. Calls that were refused are not among them."""
    refused: int = 0
    without_result: int = 0
    timed: int = 0
    """Calls whose duration is known."""
    total_ms: int = 0
    p50_ms: float | None = None
    p95_ms: float | None = None
    """Percentiles are at most 4.5 % off (`find.index.durations`)."""
    waits_for_person: bool = False

    @property
    def error_rate(self) -> float | None:
        """The share of errors among the calls that have a result; None if there is none."""
        ended = self.calls - self.refused - self.without_result
        return self.errors / ended if ended else None

    def as_json(self) -> dict[str, Any]:
        rate = self.error_rate
        return {
            "key": self.name,
            "calls": self.calls,
            "errors": self.errors,
            "refused": self.refused,
            "without_result": self.without_result,
            "error_rate": None if rate is None else round(rate, 6),
            "timed": self.timed,
            "total_ms": self.total_ms if self.timed else None,
            "p50_ms": _whole(self.p50_ms),
            "p95_ms": _whole(self.p95_ms),
            "query": self.term,
        }


class TurnLine(Struct, kw_only=True):
    """One turn: what was used from a prompt to the next one."""

    conversation: str
    started_at: str
    item: str
    """The id of the prompt."""
    line: GroupLine
    prompt: str = ""
    """The beginning of the prompt."""

    def as_json(self) -> dict[str, Any]:
        shown = self.line.as_json()
        del shown["key"], shown["label"], shown["query"]
        return {
            "conversation": self.conversation,
            "started_at": self.started_at,
            "prompt": self.prompt,
            **shown,
        }


def _whole(ms: float | None) -> int | None:
    return None if ms is None else round(ms)
