"""Builds the price table of Chorus from the data of `genai-prices` and from numbers that are missing there.

It has Anthropic's prices, and the regional prices of Bedrock as multiples of them. Only the numbers below are written
by hand; to review them, read the pages that are named next to them.
"""

import json
from datetime import date
from importlib import metadata
from typing import TYPE_CHECKING, Any

from chorus.core.spending.model_names import name_of

if TYPE_CHECKING:
    from genai_prices.types import ConditionalPrice, ModelInfo, ModelPrice

PACKAGE = "genai-prices"

WEB_SEARCH = 0.01
"""USD each: $10 per 1,000 searches; fetches cost nothing beyond their tokens.
platform.claude.com/docs/en/about-claude/pricing, "Server-side tools"."""
TIERS = {"batch": 0.5}
"""Half of every token price. platform.claude.com/docs/en/build-with-claude/batch-processing, "Pricing".
The other tier, `priority`, has prices by contract (platform.claude.com/docs/en/api/service-tiers): unknown."""
FAST = {
    "claude-opus-4-6": 6.0,
    "claude-opus-4-7": 6.0,
    "claude-opus-4-8": 2.0,
    "claude-opus-5": 2.0,
    "claude-opus-5-5": 2.0,
}
"""Fast mode as a multiple of the model's prices, over the whole context window.
platform.claude.com/docs/en/build-with-claude/fast-mode, "Pricing"."""
SAME_AS = {"claude-mythos-5": "claude-fable-5", "claude-mythos-5-1": "claude-fable-5-1"}
"""Mythos has the prices of Fable with the same version. platform.claude.com/docs/en/about-claude/pricing, first table.
"""
LONG = {"claude-sonnet-4": (200_000, 2.0, 1.5)}
"""Sonnet 4 with a context of 1M (a beta, retired): prompt and output of requests over 200,000 tokens, as multiples.
platform.claude.com/docs/en/api/service-tiers has the same ratio; for Sonnet 4.5 the package has it."""

_COLUMNS = {
    "input": "input_mtok",
    "output": "output_mtok",
    "cache_write_5m": "cache_write_mtok",
    "cache_write_1h": "cache_write_1h_mtok",
    "cache_read": "cache_read_mtok",
}


class PackageMissing(Exception):  # noqa: N818 - the name says what is wrong
    """`genai-prices` is not installed here, so the table can be neither built nor compared."""


def price_table() -> str:
    """Returns the content of `src/chorus/core/spending/table.json`."""
    try:
        from genai_prices import data
    except ImportError as error:
        raise PackageMissing(f"{PACKAGE} is not installed") from error
    of = {provider.id: provider.models for provider in data.providers}
    every = [model for models in of.values() for model in models if "claude" in model.id]
    regional = _regional(of["aws"])
    models = [_model(model, regional) for model in of["anthropic"]]
    for name, other in SAME_AS.items():
        twin = next(model for model in models if other in model["names"])
        models.append({**twin, "names": [name]})
    head = {
        "dated": max(_days(every)),
        "source": f"{PACKAGE} {metadata.version(PACKAGE)}",
        "web_search": WEB_SEARCH,
        "tiers": TIERS,
    }
    lines = ",\n".join(f"  {json.dumps(model)}" for model in sorted(models, key=lambda model: model["names"]))
    return f'{json.dumps(head)[:-1]}, "models": [\n{lines}\n]}}\n'


def _days(models: "list[ModelInfo]") -> list[str]:
    """Returns every date in the prices of Claude models: the package has no date, but is not older than the latest."""
    constraints = [price.constraint for model in models for price in _periods(model)]
    constraints += [variant.constraint for model in models for variant in model.price_variants or ()]
    days = [getattr(constraint, "start_date", None) for constraint in constraints]
    return [day.isoformat() for day in days if isinstance(day, date)]


def _model(model: "ModelInfo", regional: dict[str, float]) -> dict[str, Any]:
    names = _names(model)
    made: dict[str, Any] = {"names": names}
    own = {name: factor for name, factor in regional.items() if name in names}
    if any(factor != 1.0 for factor in own.values()):
        made["regional"] = max(own.values())
    if fast := next((FAST[name] for name in names if name in FAST), None):
        made["tiers"] = {"fast": fast}
    made["rates"] = [_period(price) for price in _periods(model)]
    for name in names:
        if name in LONG:
            made["rates"][0]["long"] = _longer(made["rates"][0], *LONG[name])
    return made


def _names(model: "ModelInfo") -> list[str]:
    """Returns the names of the model in our spelling, its own id first."""
    clauses = getattr(model.match, "or_", [model.match])
    texts = [model.id]
    for clause in clauses:
        for rule in ("equals", "starts_with", "contains"):
            texts += [text.rstrip("@") for text in (getattr(clause, rule, None),) if text]
    # In the package, `claude-sonnet-4-2025` means "any snapshot of 2025".
    return list(dict.fromkeys(name_of(text).model for text in texts if not text[-5:].startswith("-20")))


def _periods(model: "ModelInfo") -> "list[ConditionalPrice]":
    from genai_prices.types import ConditionalPrice

    return model.prices if isinstance(model.prices, list) else [ConditionalPrice(prices=model.prices)]


def _period(price: "ConditionalPrice") -> dict[str, Any]:
    start = getattr(price.constraint, "start_date", None)
    made: dict[str, Any] = {"from": start.isoformat()} if start else {}
    made |= {name: _number(_base(price.prices, column)) for name, column in _COLUMNS.items() if _has(price, column)}
    tiers = {name: getattr(getattr(price.prices, column, None), "tiers", ()) for name, column in _COLUMNS.items()}
    if any(tiers.values()):
        (over,) = {tier.start for found in tiers.values() for tier in found}
        made["long"] = {"over": over, **{name: _number(found[0].price) for name, found in tiers.items() if found}}
    return made


def _longer(rates: dict[str, Any], over: int, given: float, said: float) -> dict[str, Any]:
    return {"over": over, **{name: rates[name] * (said if name == "output" else given) for name in _COLUMNS}}


def _has(price: "ConditionalPrice", column: str) -> bool:
    return getattr(price.prices, column, None) is not None


def _base(prices: "ModelPrice", column: str) -> Any:
    found = getattr(prices, column)
    return getattr(found, "base", found)


def _number(value: Any) -> float | int:
    number = float(value)
    return int(number) if number.is_integer() else number


def _regional(models: "list[ModelInfo]") -> dict[str, float]:
    """Returns model → price of Bedrock's regional endpoints as a multiple of the global one, if both have a price."""
    costs: dict[str, dict[str, float]] = {"global": {}, "regional": {}}
    for model in models:
        kind, _, name = model.id.partition(".")
        if kind in costs and "claude" in name:
            costs[kind][name_of(name).model] = float(_base(_periods(model)[-1].prices, "input_mtok"))
    shared = costs["global"].keys() & costs["regional"].keys()
    return {name: round(costs["regional"][name] / costs["global"][name], 6) for name in sorted(shared)}
