"""Tests of the price table: the packaged table, the changes of a user, and the comparison with its source."""

import json
import runpy
import sys
from pathlib import Path

import pytest

from chorus.core.spending.price_table import LONG_PROMPTS, Rates, read_table
from chorus.errors import ChorusError

ROOT = Path(__file__).resolve().parents[3]
TABLE = ROOT / "src" / "chorus" / "core" / "spending" / "table.json"


def generator():
    return runpy.run_path(str(ROOT / "tools" / "generate.py"))


def test_the_table_is_what_its_source_gives():
    """The packaged table is the one that the pinned package generates."""
    pytest.importorskip("genai_prices", reason="genai-prices is not installed: the price table is not compared")

    assert TABLE.read_text("utf-8") == generator()["GENERATED"]["src/chorus/core/spending/table.json"]()


def test_without_the_package_all_else_is_still_compared(monkeypatch, capsys):
    """`generate.py --check` works without genai-prices: it says what it did not compare, and does not fail."""
    monkeypatch.setitem(sys.modules, "genai_prices", None)

    stale = generator()["stale"]()

    assert "src/chorus/core/spending/table.json" not in stale
    assert "table.json is not compared: genai-prices is not installed" in capsys.readouterr().err


def test_a_stale_table_is_seen(monkeypatch):
    """If the package is installed, a table with other content is stale."""
    pytest.importorskip("genai_prices", reason="genai-prices is not installed")
    made = generator()
    monkeypatch.setitem(made["GENERATED"], "src/chorus/core/spending/table.json", lambda: "{}")

    assert "src/chorus/core/spending/table.json" in made["stale"]()


def test_every_price_in_the_table_is_one():
    """No model of the table is free, and no name belongs to two models."""
    table = read_table(TABLE.read_bytes(), "table.json")
    names = [name for model in table.models for name in model.names]

    assert len(names) == len(set(names)) > 20
    for model in table.models:
        for period in model.rates:
            assert min(period.columns) > 0
            assert period.long is None or all(map(float.__gt__, map(float, period.long.columns), period.columns))
    assert table.dated and table.web_search == 0.01


def test_rates_that_are_left_out_follow_from_input():
    """By default cache writes cost 1.25 and 2 times the input rate, and cache reads cost a tenth of it."""
    assert Rates(input=4, output=20).columns == (4, 20, 5, 8, 0.4)
    assert Rates(input=4, output=20, cache_read=0.2).columns[-1] == 0.2


def model(*rates, names=("m",)):
    return json.dumps({"models": [{"names": list(names), "rates": list(rates)}]})


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[]", "Expected `object`, got `array`"),
        ("{", "truncated"),
        (model({"input": "4", "output": 1}), "Expected `float`, got `str`"),
        (model({"input": -4, "output": 1}), ">= 0"),
        (model({"output": 1}), "missing required field `input`"),
        (model(), "m: needs at least one name and one entry in `rates`"),
        (model({"input": 1, "output": 1}, names=()), "a model: needs at least one name"),
        (
            model({"from": "2026-02-01", "input": 1, "output": 1}, {"input": 1, "output": 1}),
            "m: `from` of its rates must be different days in order",
        ),
        (
            model({"input": 1, "output": 1, "long": {"over": 5, "input": 2, "output": 2}}),
            "m: `over` must be one of 100000, 200000",
        ),
        ('{"web_search": "free"}', "`$.web_search`"),
    ],
)
def test_a_file_that_is_no_table_is_named_with_its_fault(text, complaint):
    """The error for an invalid table names the file and the fault."""
    with pytest.raises(ChorusError) as caught:
        read_table(text.encode(), "/home/dev/prices.json")

    assert str(caught.value).startswith("/home/dev/prices.json: ")
    assert complaint in str(caught.value)


def test_bytes_that_are_no_text_are_a_fault_too():
    """A file in another encoding is an error with a message for people too."""
    with pytest.raises(ChorusError):
        read_table(b'{"dated": "\xff"}', "x")


def test_a_table_may_hold_more_than_is_known():
    """Keys of later versions are ignored."""
    data = {"models": [{"names": ["m"], "rates": [{"input": 1, "output": 1, "video": 3}], "note": "x"}], "v": 2}

    assert read_table(json.dumps(data).encode(), "x").models[0].names == ["m"]


def test_long_prompts_are_in_order():
    """The lengths of long prompts increase, because a row keeps the highest length that is exceeded."""
    assert list(LONG_PROMPTS) == sorted(LONG_PROMPTS)
