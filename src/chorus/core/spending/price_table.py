"""The format of a price table: the one that comes with Chorus, and the one with which a user may override it.

    {"dated": "2026-10-19", "web_search": 0.01, "tiers": {"batch": 0.5},
     "models": [{"names": ["claude-opus-4-6"], "regional": 1.1, "tiers": {"fast": 6},
                 "rates": [{"input": 5, "output": 25, "long": {"over": 200000, "input": 10, "output": 37.5}},
                           {"from": "2026-03-13", "input": 5, "output": 25}]}]}

Rates are USD per million tokens. A missing rate is computed from `input`, by the usual rule of Anthropic's prices.
"""

from typing import Annotated

import msgspec
from msgspec import Meta, Struct, field

from chorus.errors import ChorusError

LONG_PROMPTS = (100_000, 200_000)
"""Some models have other prices for prompts with more tokens than one of these (input, cache reads and writes)."""
_WRITE_5M, _WRITE_1H, _READ = 1.25, 2.0, 0.1
"""Cache writes of both lifetimes and cache reads, as multiples of input: the usual rule of Anthropic's prices."""

Price = Annotated[float, Meta(ge=0)]


class Rates(Struct, kw_only=True):
    """USD per million tokens of each kind."""

    input: Price
    output: Price
    cache_write_5m: Price | None = None
    cache_write_1h: Price | None = None
    cache_read: Price | None = None

    @property
    def columns(self) -> tuple[float, float, float, float, float]:
        """Rates for input, output, cache writes of 5 minutes and of 1 hour, and cache reads."""
        return (
            self.input,
            self.output,
            self.input * _WRITE_5M if self.cache_write_5m is None else self.cache_write_5m,
            self.input * _WRITE_1H if self.cache_write_1h is None else self.cache_write_1h,
            self.input * _READ if self.cache_read is None else self.cache_read,
        )


class LongRates(Rates, kw_only=True):
    """The rates for all tokens of a request whose prompt is longer than `over`."""

    over: int


class Period(Rates, kw_only=True):
    """The rates since a day."""

    from_: str = field(default="", name="from")
    """The first day (UTC, `YYYY-MM-DD`); "" if the rates were always valid."""
    long: LongRates | None = None


class Model(Struct, kw_only=True):
    names: list[str]
    """Every name of the model, in the form of `model_names.name_of`."""
    rates: list[Period]
    """Sorted by their first day."""
    regional: float = 1.0
    """The factor for the endpoint of a region."""
    tiers: dict[str, float] = field(default_factory=dict)
    """Service tier → factor, for tiers with another factor on this model."""


class Table(Struct, kw_only=True):
    dated: str | None = None
    source: str | None = None
    web_search: Price | None = None
    """USD per web search."""
    tiers: dict[str, float] = field(default_factory=dict)
    """Service tier → factor for the rates."""
    models: list[Model] = field(default_factory=list)


_decoder = msgspec.json.Decoder(Table)


def read_table(data: bytes, where: str) -> Table:
    """Returns the table in `data`. Raises `ChorusError` with the location `where` and what is wrong."""
    try:
        table = _decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ChorusError(f"{where}: {error}; docs/guide/cost.md has the shape of a price file") from error
    for model in table.models:
        called = ", ".join(model.names) or "a model"
        if not model.names or not model.rates:
            raise ChorusError(f"{where}: {called}: needs at least one name and one entry in `rates`")
        days = [period.from_ for period in model.rates]
        if days != sorted(set(days)):
            raise ChorusError(f"{where}: {called}: `from` of its rates must be different days in order")
        for period in model.rates:
            if period.long is not None and period.long.over not in LONG_PROMPTS:
                raise ChorusError(f"{where}: {called}: `over` must be one of {', '.join(map(str, LONG_PROMPTS))}")
    return table
