"""Tests of snippets of prose without Markdown syntax."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chorus.core.query.plain import plain
from chorus.core.query.snippet import Snippet, snippet
from tests.core.query.asking import tree


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("## Summary It **works** now", "Summary It works now"),
        ("done ### Next steps", "done Next steps"),
        ("…bold** and **more…", "…bold and more…"),
        ("***both*** and ~~not~~", "both and not"),
        ("an *emphasised word*, 2 * 3 * 4", "an emphasised word, 2 * 3 * 4"),
        ("2**3 and 2 ** 3, f(x) ** y", "2**3 and 2 ** 3, f(x) ** y"),
        ("run `make # all **now**` please", "run make # all **now** please"),
        ("```python x = [1](2)``` end", "python x = [1](2) end"),
        ("cut ```bash ls", "cut bash ls"),
        ("see [the docs](https://example.com/a_b) and ![a map](m.png)", "see the docs and a map"),
        ("a[0](b c) and [x] (y)", "a[0](b c) and [x] (y)"),
        ("| a | b | |---|:---:| | 1 | 2 |", "| a | b | | 1 | 2 |"),
        ("C# and #1 and #tag, __init__ and snake_case", "C# and #1 and #tag, __init__ and snake_case"),
        ("<b>**x**</b> <script>alert(1)</script>", "<b>x</b> <script>alert(1)</script>"),
        ("", ""),
        ("**", "**"),
    ],
)
def test_the_words_stay(text, line):
    """Headings, emphasis, code, links and table lines keep only their words; other text stays unchanged."""
    assert plain(Snippet(text, [])) == Snippet(line, [])


@pytest.mark.parametrize(
    ("text", "query", "line"),
    [
        ("## The **cat** sat", "cat", "The [cat] sat"),
        ("the **big** cat", '"big cat"', "the [big cat]"),
        ("[cats](https://x.org) `cat`", "cat", "cats [cat]"),
        ("[see](https://cat.org/x)", "cat", "[see](https://[cat].org/x)"),
        ("say **it**", "regex:/[*][*]/", "say [**]it[**]"),
    ],
)
def test_what_was_found_stays_marked(text, query, line):
    """Marks move with their words, and syntax that the query searched for is not removed."""
    found = plain(snippet(text, tree(query)))
    shown = found.text
    for start, end in reversed(found.marks):
        shown = f"{shown[:start]}[{shown[start:end]}]{shown[end:]}"

    assert shown == line


@given(st.text(alphabet="ab*`#[](|-~! …"), st.lists(st.integers(0, 30), max_size=6))
def test_marks_stay_in_order_and_in_the_text(text, places):
    """For any text, the marks lie inside the text, are in order and are not empty."""
    places = sorted({min(place, len(text)) for place in places})
    marks = list(zip(places[::2], places[1::2], strict=False))
    found = plain(Snippet(text, marks))

    assert len(found.marks) == len(marks)
    flat = [place for mark in found.marks for place in mark]
    assert flat == sorted(flat) and all(0 <= start < end <= len(found.text) for start, end in found.marks)
    assert set(found.text) <= set(text)
