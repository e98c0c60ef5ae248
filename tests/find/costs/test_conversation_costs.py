"""Tests the cost of conversations, as answers show it."""

import json

import pytest

from chorus.errors import ChorusError
from chorus.find.costs.conversation_costs import Costs
from chorus.testing.builders.lines import usage
from chorus.testing.indexes import name_of
from tests.find.search.asking import asked, session, vault_of

MILLION = 1_000_000


def talk_of(number, *models):
    talk = session(number)
    for model in models:
        talk.model = model
        talk.user("again")
        talk.assistant("Done.", stop="end_turn", tokens=usage(given=MILLION, said=0))
    return talk


def costs_of(vault, *talks):
    """Returns the cost of each conversation, in dollars and in words."""
    names = [name_of(talk) for talk in talks]
    found = asked(vault, lambda index: Costs(vault.root).figures(index, map(index.conversation, names)))
    return [(found[name].cost_usd, found[name].in_short) for name in names]


def test_the_cost_is_that_of_all_its_messages(tmp_path):
    """The cost uses the price table that comes with Chorus.

    A part without a price makes the cost a lower bound.
    """
    known, half = talk_of(1, "claude-opus-4-1", "claude-opus-4-1"), talk_of(2, "claude-opus-4-1", "claude-novel-9")

    assert costs_of(vault_of(tmp_path, known, half), known, half) == [(30.0, "$30.00"), (15.0, "≥$15.00")]


def test_a_person_s_own_prices_come_first(tmp_path):
    """The prices in `prices.json` of the home take precedence over the prices of Chorus."""
    talk = talk_of(1, "claude-novel-9")
    vault = vault_of(tmp_path, talk)
    own = {"models": [{"names": ["claude-novel-9"], "rates": [{"input": 2, "output": 4}]}]}
    (vault.root / "prices.json").write_text(json.dumps(own))

    assert costs_of(vault, talk) == [(2.0, "$2.00")]


def test_prices_that_make_no_sense_are_reported(tmp_path):
    """The error about invalid prices names the file."""
    talk = talk_of(1, "claude-opus-4-1")
    vault = vault_of(tmp_path, talk)
    (vault.root / "prices.json").write_text("{")

    with pytest.raises(ChorusError, match=r"prices\.json"):
        costs_of(vault, talk)


@pytest.mark.parametrize("number", [10**12, -1])
def test_figures_that_no_api_returns_are_named_as_the_reason(tmp_path, number):
    """A conversation whose usage is impossible has an unknown cost and the reason, also beside usage with a price."""
    whole, half = session(1), talk_of(2, "claude-opus-4-1")
    half.model = "claude-opus-4-1"
    for talk in (whole, half):
        talk.assistant("Done.", stop="end_turn", tokens=usage(given=number, said=1))

    found = costs_of(vault_of(tmp_path, whole, half), whole, half)

    assert found == [(None, "? figures that no API returns"), (15.0, "≥$15.00")]
