"""Tests usage as comma-separated values."""

import csv

from chorus.find.usage.csv_text import lines_csv, tools_csv
from chorus.find.usage.figures import GroupLine, ToolLine


def read(text):
    return list(csv.DictReader(text.splitlines(keepends=True)))


def test_what_is_not_known_is_an_empty_cell():
    """An unknown cost, share or duration is empty and never 0; a lower bound says so."""
    known = GroupLine(key="a", cost_usd=1.5, lower_bounds=1, input=1, cache_read=3)
    rows = read(lines_csv("model", [GroupLine(key="b", unpriced={"no price": 2}), known]))
    assert (rows[0]["cost_usd"], rows[0]["cache_hit_rate"], rows[0]["unpriced_messages"]) == ("", "", "2")
    assert (rows[1]["cost_usd"], rows[1]["cost_is_lower_bound"], rows[1]["cache_hit_rate"]) == ("1.5", "true", "0.75")
    (tool,) = read(tools_csv("tool", [ToolLine(name="Bash", calls=2, without_result=2)]))
    assert (tool["p50_ms"], tool["total_ms"], tool["error_rate"]) == ("", "", "")


def test_a_name_is_never_a_formula():
    """Names come from transcripts, so a cell that a spreadsheet would run begins with an apostrophe."""
    for name in ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", '=HYPERLINK("x")'):
        (row,) = read(tools_csv("tool", [ToolLine(name=name)]))
        assert row["tool"] == f"'{name}"
    (row,) = read(tools_csv("tool", [ToolLine(name='a,"b"\nc\0')]))
    assert row["tool"] == 'a,"b"\nc\ufffd'
