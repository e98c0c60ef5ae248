"""The shape of a price table: the one that comes with Chorus, and the one a user may lay over it.

    {"dated": "2026-10-19", "web_search": 0.01, "tiers": {"batch": 0.5},
     "models": [{"names": ["claude-opus-4-6"], "regional": 1.1, "tiers": {"fast": 6},
                 "rates": [{"input": 5, "output": 25, "long": {"over": 200000, "input": 10, "output": 37.5}},
                           {"from": "2026-03-13", "input": 5, "output": 25}]}]}

Rates are USD per million tokens. A rate that is left out follows from `input`, as Anthropic's do as a rule.
"""

from typing import Annotated

import msgspec
from msgspec import Meta, Struct, field

from chorus.errors import ChorusError

LONG_PROMPTS = (100_000, 200_000)
"""Models have other prices for prompts of more tokens than one of these (input, cache reads and writes together)."""
_WRITE_5M, _WRITE_1H, _READ = 1.25, 2.0, 0.1
"""Cache writes of both lifetimes and cache reads, as multiples of input: the rule of Anthropic's price list."""

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
        """Input, output, cache writes of 5 minutes and of 1 hour, cache reads."""
        return (
            self.input,
            self.output,
            self.input * _WRITE_5M if self.cache_write_5m is None else self.cache_write_5m,
            self.input * _WRITE_1H if self.cache_write_1h is None else self.cache_write_1h,
            self.input * _READ if self.cache_read is None else self.cache_read,
        )


class LongRates(Rates, kw_only=True):
    """The rates of all tokens of a request whose prompt is longer than `over`."""

    over: int


class Period(Rates, kw_only=True):
    """The rates from a day on."""

    from_: str = field(default="", name="from")
    """The first day (UTC, `YYYY-MM-DD`); "" for as long as the model exists."""
    long: LongRates | None = None


class Model(Struct, kw_only=True):
    names: list[str]
    """Every name of the model, in the spelling of `names.name_of`."""
    rates: list[Period]
    """In order of their days."""
    regional: float = 1.0
    """What a region's endpoint multiplies the rates by."""
    tiers: dict[str, float] = field(default_factory=dict)
    """Service tiers that have a multiple of their own on this model."""


class Table(Struct, kw_only=True):
    dated: str | None = None
    source: str | None = None
    web_search: Price | None = None
    """USD for each web search."""
    tiers: dict[str, float] = field(default_factory=dict)
    """What each service tier multiplies the rates by."""
    models: list[Model] = field(default_factory=list)


_decoder = msgspec.json.Decoder(Table)


def read_table(data: bytes, where: str) -> Table:
    """The table in `data`; `ChorusError` names `where` it lies and what is wrong with it."""
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
