"""Tests of what tokens cost, with numbers that can be checked by hand against Anthropic's price list."""

import json

import pytest

from chorus.core.conversation.tokens import Tokens
from chorus.core.spending.rates import Prices, Quote
from chorus.core.spending.rows import IMPOSSIBLE, Spent

MILLION = 1_000_000
OPUS = "claude-opus-4-5-20251101"


def spent(model=OPUS, tokens=None, *, tier="standard", quarter="2026-02-03T04:15", prompt_over=0):
    return Spent("c", "", quarter, model, tier, prompt_over, False, tokens or Tokens(input=MILLION), 1, 0)


def cost(*arguments, **more):
    return Prices.load().cost_of(spent(*arguments, **more))


@pytest.mark.parametrize(
    ("tokens", "usd"),
    [
        (Tokens(input=MILLION), 5),
        (Tokens(output=MILLION), 25),
        (Tokens(cache_read=MILLION), 0.5),
        (Tokens(cache_creation=MILLION, cache_creation_5m=MILLION), 6.25),
        (Tokens(cache_creation=MILLION), 6.25),
        (Tokens(cache_creation=MILLION, cache_creation_1h=MILLION), 10),
        (Tokens(cache_creation=MILLION, cache_creation_5m=MILLION // 2, cache_creation_1h=MILLION // 2), 8.125),
        (Tokens(cache_creation_5m=MILLION), 6.25),
        (Tokens(web_searches=1000), 10),
        (Tokens(web_fetches=1000), 0),
        (Tokens(), 0),
    ],
)
def test_each_kind_of_token_has_its_price(tokens, usd):
    """Each kind of token has its own price, and fetches are free.

    The two lifetimes of cache writes have different prices; an unknown lifetime is 5 minutes.
    """
    assert cost(tokens=tokens) == pytest.approx(usd)


def test_a_client_agrees():
    """The cost equals what client 2.1.325 computed for 12 input, 42 output, 100 written and 2,000 read tokens."""
    tokens = Tokens(12, 42, 100, 2000, 100)

    assert cost("claude-opus-5-5", tokens) == pytest.approx(0.001788)
    assert cost("claude-sonnet-4-5", tokens) == pytest.approx(0.001641)
    assert cost("claude-haiku-4-5", tokens) == pytest.approx(0.000547)
    assert cost("claude-opus-4-7[1m]", tokens) == pytest.approx(0.002735)


@pytest.mark.parametrize(
    ("tier", "usd"), [(None, 5), ("", 5), ("standard", 5), ("batch", 2.5), ("priority", None), ("new", None)]
)
def test_a_tier_has_its_price_or_none(tier, usd):
    """The batch tier costs half, and a tier without a published price has an unknown cost, not the standard cost."""
    assert cost(tier=tier) == usd


def test_no_tier_makes_searches_cheaper():
    """Searches have the same price in every tier."""
    assert cost(tokens=Tokens(web_searches=100), tier="batch") == pytest.approx(1)


def test_fast_mode_is_priced_by_model():
    """Fast mode costs six times as much on Opus 4.6 and twice as much on Opus 5.

    On a model without fast mode its price is unknown.
    """
    assert cost("claude-opus-4-6", tier="fast") == 30
    assert cost("claude-opus-5", tier="fast") == 10
    assert cost("claude-sonnet-4-6", tier="fast") is None


def test_a_region_costs_more_where_bedrock_says_so():
    """The newer models cost a tenth more on Bedrock outside the global endpoint."""
    assert cost("us.anthropic.claude-opus-4-5-20251101-v1:0") == pytest.approx(5.5)
    assert cost("global.anthropic.claude-opus-4-5-20251101-v1:0") == 5
    assert cost("us.anthropic.claude-opus-4-1-20250805-v1:0") == 15


@pytest.mark.parametrize(
    ("model", "prompt_over", "quarter", "usd"),
    [
        ("claude-sonnet-4-5", 0, "2026-02-03T04:15", 3),
        ("claude-sonnet-4-5", 100_000, "2026-02-03T04:15", 3),
        ("claude-sonnet-4-5", 200_000, "2026-02-03T04:15", 6),
        ("claude-sonnet-4-20250514", 200_000, "2025-09-03T04:15", 6),
        ("claude-haiku-5-5", 0, "2026-11-03T04:15", 0.1),
        ("claude-haiku-5-5", 100_000, "2026-11-03T04:15", 0.5),
        ("claude-haiku-5-5", 200_000, "2026-11-03T04:15", 0.5),
        ("claude-opus-4-5", 200_000, "2026-11-03T04:15", 5),
        ("claude-opus-4-6", 200_000, "2026-03-12T23:45", 10),
        ("claude-opus-4-6", 200_000, "2026-03-13T00:00", 5),
        ("claude-opus-4-6", 200_000, "", 5),
    ],
)
def test_long_prompts_and_days(model, prompt_over, quarter, usd):
    """A model may have other prices for long prompts and from a certain day on.

    Usage without a day has the latest price.
    """
    assert cost(model, prompt_over=prompt_over, quarter=quarter) == usd


@pytest.mark.parametrize(
    ("model", "tier", "reason"),
    [
        ("claude-fable-5-2", "standard", "no price for claude-fable-5-2"),
        ("gpt-6", None, "no price for gpt-6"),
        (None, None, "no model is named"),
        (OPUS, IMPOSSIBLE, "figures that no API returns"),
        (OPUS, "priority", f"no price for service tier priority of {OPUS}"),
    ],
)
def test_what_is_not_known_is_said_and_never_free(model, tier, reason):
    """An unknown cost is None and has a reason, so that nobody adds it as a number by mistake."""
    asked = spent(model, tier=tier)

    assert Prices.load().cost_of(asked) is None
    assert Prices.load().why_unknown(asked) == reason


def test_what_is_known_needs_no_reason():
    """A known cost has no reason."""
    assert Prices.load().why_unknown(spent()) is None


def overridden(**table):
    return Prices.load().with_overrides(json.dumps(table).encode(), "mine.json")


def test_a_user_adds_a_model():
    """A user adds a model with only a name and two rates."""
    prices = overridden(models=[{"names": ["claude-fable-5-2"], "rates": [{"input": 8, "output": 40}]}])

    assert prices.cost_of(spent("claude-fable-5-2-20261101", Tokens(MILLION, MILLION, 0, MILLION))) == pytest.approx(
        48.8
    )
    assert prices.cost_of(spent()) == 5
    assert prices.source == "mine.json"


def test_a_user_changes_a_model():
    """A model in the user's file replaces the packaged model, in any spelling of its name."""
    prices = overridden(
        dated="2027-01-01", models=[{"names": ["claude-opus-4-5-20251101"], "rates": [{"input": 1, "output": 1}]}]
    )

    assert prices.cost_of(spent("us.anthropic.claude-opus-4-5-20251101-v1:0")) == 1
    assert prices.dated == "2027-01-01"


def test_a_user_prices_a_tier_and_searches():
    """A user can set the prices of a contract, and prices that the file does not name stay unchanged."""
    prices = overridden(tiers={"priority": 1.5}, web_search=0.005)

    assert prices.cost_of(spent(tier="priority")) == 7.5
    assert prices.cost_of(spent(tokens=Tokens(web_searches=2))) == pytest.approx(0.01)
    assert prices.dated == Prices.load().dated


def test_a_price_that_only_holds_later_is_not_known_before():
    """Before the first day of a price the cost is unknown, and the reason says so."""
    prices = overridden(models=[{"names": ["m"], "rates": [{"from": "2026-05-01", "input": 1, "output": 1}]}])

    assert prices.cost_of(spent("m")) is None
    assert prices.why_unknown(spent("m")) == "no price for m before 2026-05-01"
    assert prices.cost_of(spent("m", quarter="2026-05-01T00:00")) == 1


def test_the_packaged_prices_are_loaded_once():
    """Every caller gets the same prices."""
    assert Prices.load() is Prices.load()


def test_a_quote_shows_its_rates():
    """The rates of a quote include the factors of tier and region."""
    quote = Prices.load().quote("us.anthropic.claude-opus-4-5-20251101-v1:0", "batch")

    assert isinstance(quote, Quote)
    assert quote.rates == pytest.approx((2.75, 13.75, 3.4375, 5.5, 0.275))
