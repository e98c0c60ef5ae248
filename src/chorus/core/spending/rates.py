"""The prices of tokens. A model or tier without a price has an unknown cost, never zero."""

from functools import cache
from math import fsum
from operator import mul
from pkgutil import get_data
from typing import Protocol

from msgspec import Struct

from chorus.core.conversation.tokens import Tokens
from chorus.core.spending.model_names import name_of
from chorus.core.spending.price_table import Model, Table, read_table
from chorus.core.spending.rows import IMPOSSIBLE

KINDS = ("input", "output", "cache_write_5m", "cache_write_1h", "cache_read")
"""The kinds of tokens that have a rate, in the order of a quote."""
_MILLION = 1_000_000
_STANDARD = "standard"
_LAST_DAY = "9999-12-31"


class Priced(Protocol):
    """Tokens of requests that have the same price, like `rows.Spent`."""

    @property
    def model(self) -> str | None: ...
    @property
    def tier(self) -> str | None: ...
    @property
    def prompt_over(self) -> int: ...
    @property
    def quarter(self) -> str: ...
    @property
    def tokens(self) -> Tokens: ...


class Quote(Struct, frozen=True):
    """The price of one kind of request."""

    rates: tuple[float, ...]
    """USD per million tokens of each of `KINDS`, with the factors of tier and region."""
    web_search: float
    """USD per web search. Tiers do not change it."""

    def cost(self, tokens: Tokens) -> float:
        """Returns the cost of these tokens in USD."""
        return fsum(map(mul, counts(tokens), self.rates)) / _MILLION + tokens.web_searches * self.web_search


def counts(tokens: Tokens) -> tuple[int, int, int, int, int]:
    """Returns the tokens of each of `KINDS`. Cache writes without a lifetime count as 5 minutes, the client default."""
    hour = tokens.cache_creation_1h
    rest = max(tokens.cache_creation - hour, tokens.cache_creation_5m)
    return tokens.input, tokens.output, rest, hour, tokens.cache_read


class Prices:
    """Prices by model, service tier, length of the prompt, and day."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._models: dict[str, Model] = {}
        for model in table.models:
            for name in model.names:
                self._models.setdefault(name_of(name).model, model)
        self._quotes: dict[tuple[str | None, str | None, int, str], Quote | str] = {}

    @classmethod
    def load(cls) -> "Prices":
        """Returns the prices that come with this version of Chorus."""
        return _packaged()

    def with_overrides(self, data: bytes, where: str = "prices.json") -> "Prices":
        """Returns these prices with a user's table on top. Raises `ChorusError` if that table is invalid.

        A model of the user replaces the model with the same name. Everything else stays.
        """
        mine = self._table
        own = read_table(data, where)
        return Prices(
            Table(
                dated=own.dated or mine.dated,
                source=where,
                web_search=mine.web_search if own.web_search is None else own.web_search,
                tiers={**mine.tiers, **own.tiers},
                models=[*own.models, *mine.models],
            )
        )

    @property
    def dated(self) -> str | None:
        """The day on which the table was correct."""
        return self._table.dated

    @property
    def source(self) -> str | None:
        """Where the prices come from."""
        return self._table.source

    def quote(self, model: str | None, tier: str | None, *, prompt_over: int = 0, day: str = "") -> Quote | str:
        """Returns the price of a request, or the reason as text if it is not known. `day` is UTC; "" means the latest.

        `prompt_over` is the highest of `LONG_PROMPTS` that the prompt exceeds.
        """
        key = (model, tier, prompt_over, day)
        found = self._quotes.get(key)
        if found is None:
            found = self._quotes[key] = self._look_up(model, tier, prompt_over, day)
        return found

    def cost_of(self, spent: Priced) -> float | None:
        """Returns the cost in USD, or None if it is not known (`why_unknown`)."""
        found = self._quote_of(spent)
        return None if isinstance(found, str) else found.cost(spent.tokens)

    def why_unknown(self, spent: Priced) -> str | None:
        """Returns why the cost is not known, or None if it is known."""
        found = self._quote_of(spent)
        return found if isinstance(found, str) else None

    def _quote_of(self, spent: Priced) -> Quote | str:
        return self.quote(spent.model, spent.tier, prompt_over=spent.prompt_over, day=spent.quarter[:10])

    def _look_up(self, model: str | None, tier: str | None, prompt_over: int, day: str) -> Quote | str:
        if tier == IMPOSSIBLE:
            return "figures that no API returns"
        if not model:
            return "no model is named"
        name = name_of(model)
        known = self._models.get(name.model)
        if known is None:
            return f"no price for {model}"
        multiple = _multiple(tier, known.tiers, self._table.tiers)
        if multiple is None:
            return f"no price for service tier {tier} of {model}"
        period = known.rates[0]
        for later in known.rates[1:]:
            if later.from_ <= (day or _LAST_DAY):
                period = later
        if period.from_ > (day or _LAST_DAY):
            return f"no price for {model} before {period.from_}"
        is_long = period.long is not None and prompt_over >= period.long.over
        columns = (period.long if is_long and period.long else period).columns
        if name.is_regional:
            multiple *= known.regional
        return Quote(tuple(rate * multiple for rate in columns), self._table.web_search or 0.0)


def _multiple(tier: str | None, own: dict[str, float], general: dict[str, float]) -> float | None:
    """Returns the factor of a service tier, or None if it is not known. A message without a tier has the factor 1."""
    if not tier or tier == _STANDARD:
        return 1.0
    return own.get(tier, general.get(tier))


@cache
def _packaged() -> Prices:
    data = get_data("chorus.core.spending", "table.json")
    assert data is not None
    return Prices(read_table(data, "table.json"))
