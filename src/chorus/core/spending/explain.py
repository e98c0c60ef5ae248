"""The costs of one conversation, for each message, with the records from which they were read."""

from collections.abc import Callable, Iterable
from math import fsum
from typing import Any

from msgspec import Struct, structs

from chorus.core.conversation.items import MAIN
from chorus.core.records.place import Place
from chorus.core.spending.evidence import Evidence
from chorus.core.spending.ownership import Owned
from chorus.core.spending.periods import quarter
from chorus.core.spending.rates import KINDS, Prices, Quote, counts
from chorus.core.spending.reported import increments, reported_of
from chorus.core.spending.reported_choice import COST_STATE, MESSAGES, choose_figures, group_of
from chorus.core.spending.rows import Usage
from chorus.core.spending.sums import prompt_over

Owner = Callable[[str], Owned | None]
"""Returns the owner of a message among all conversations, by its name; None if no other conversation contains it."""


class Charge(Struct, kw_only=True):
    """The cost of a message, or of a turn if only turns have usage, with everything that it is computed from."""

    usage: Usage
    """Merged from all conversations that contain the message."""
    owner: str | None
    """The conversation in which it is counted, if that is another one."""
    prompt_over: int
    quote: Quote | None
    cost_usd: float | None
    why_unknown: str | None
    places: list[Place]


class Figure(Struct, kw_only=True):
    """A cost that the client reported."""

    source: str
    usd: float
    counts: bool
    """Whether it is part of the reported cost that counts."""
    places: list[Place]


class Explanation(Struct, kw_only=True):
    conversation: str
    charges: list[Charge]
    figures: list[Figure]
    dated: str | None

    @property
    def cost_usd(self) -> float | None:
        """The cost that `chorus cost` shows for the conversation."""
        costs = [each.cost_usd for each in self.charges if each.owner is None and each.cost_usd is not None]
        return fsum(costs) if costs else None

    @property
    def reported_usd(self) -> float | None:
        counted = [each.usd for each in self.figures if each.counts]
        return fsum(counted) if counted else None


def explain(evidence: Evidence, name: str, prices: Prices, owner: Owner, *, is_fork: bool) -> Explanation:
    """Returns the costs of the conversation `name`, in order of time, with the place of each number."""
    charges = [_charge(usage, evidence, name, prices, owner(usage.message)) for usage in evidence.account(name).usages]
    charges.sort(key=lambda charge: (charge.usage.at or "", charge.usage.message))
    return Explanation(
        conversation=name,
        charges=charges,
        figures=_figures(evidence, name, is_fork=is_fork),
        dated=prices.dated,
    )


def _charge(usage: Usage, evidence: Evidence, name: str, prices: Prices, owned: Owned | None) -> Charge:
    merged = owned.usage if owned else usage
    length = 0 if merged.is_per_turn else prompt_over(merged.tokens)
    quote = prices.quote(merged.model, merged.tier, prompt_over=length, day=quarter(merged.at)[:10])
    is_known = isinstance(quote, Quote)
    own_name = usage.message.removeprefix(f"{name}/")
    turn = evidence.turns.get(own_name.removesuffix(f"#{usage.model}")) if usage.is_per_turn else None
    return Charge(
        usage=merged,
        owner=owned.conversation if owned and owned.conversation != name else None,
        prompt_over=length,
        quote=quote if is_known else None,
        cost_usd=quote.cost(merged.tokens) if is_known else None,
        why_unknown=None if is_known else quote,
        places=[turn.place] if turn else evidence.of(own_name),
    )


def _figures(evidence: Evidence, name: str, *, is_fork: bool) -> list[Figure]:
    fold = evidence.fold
    rows = reported_of(fold, evidence.turns.values(), name)
    kept, _ = choose_figures(rows, frozenset({name}) if is_fork else frozenset())
    counted = {group_of(row.source) for row in kept}
    left_out = {row.source for row in rows} - {row.source for row in kept}
    turns = sorted((turn for turn in evidence.turns.values() if turn.agent == MAIN), key=lambda turn: turn.order)
    found = [(source, usd, [turn.place]) for turn, usd, source in increments(turns, fold.state.session.versions)]
    found += [(COST_STATE, row.usd, evidence.states[-1:]) for row in rows if row.source == COST_STATE]
    found += [
        (MESSAGES, known.cost_usd, evidence.of(message))
        for message, known in fold.state.api_messages.items()
        if known.cost_usd is not None
    ]
    return [
        Figure(source=source, usd=usd, counts=group_of(source) in counted and source not in left_out, places=places)
        for source, usd, places in found
    ]


def as_json(explanation: Explanation, line_of: Callable[[Place], int | None]) -> dict[str, Any]:
    """Returns the documented JSON of `chorus cost --explain ID --json`. `line_of` returns a record's line number."""

    def lines(places: Iterable[Place]) -> list[dict[str, Any]]:
        return [{"stream": place.stream, "line": line_of(place), "offset": place.offset} for place in places]

    return {
        "conversation": explanation.conversation,
        "messages": [
            {
                "message": each.usage.message,
                "thread": each.usage.thread,
                "at": each.usage.at,
                "model": each.usage.model,
                "tier": each.usage.tier,
                "tokens": structs.asdict(each.usage.tokens),
                "prompt_over": each.prompt_over,
                "rates": dict(zip(KINDS, each.quote.rates, strict=True)) if each.quote else None,
                "cost_usd": each.cost_usd,
                "why_unknown": each.why_unknown,
                "is_lower_bound": each.usage.is_lower_bound,
                "is_per_turn": each.usage.is_per_turn,
                "counted_in": each.owner or explanation.conversation,
                "lines": lines(each.places),
            }
            for each in explanation.charges
        ],
        "reported": [
            {"source": each.source, "usd": each.usd, "counts": each.counts, "lines": lines(each.places)}
            for each in explanation.figures
        ],
        "cost_usd": explanation.cost_usd,
        "reported_usd": explanation.reported_usd,
        "prices": {"dated": explanation.dated},
    }


def parts(charge: Charge) -> list[tuple[str, int, float]]:
    """Returns the parts of a cost: the kind of token, their number, and USD per million."""
    if charge.quote is None:
        return []
    tokens = charge.usage.tokens
    found = list(zip(KINDS, counts(tokens), charge.quote.rates, strict=True))
    found.append(("web_search", tokens.web_searches, charge.quote.web_search * 1_000_000))
    return [part for part in found if part[1]]
