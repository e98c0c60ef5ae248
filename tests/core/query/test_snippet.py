"""Tests of the snippet, the line that shows why an entry was found."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chorus.core.query.matches import matches, search_terms
from chorus.core.query.snippet import MIN_WIDTH, Snippet, snippet
from chorus.core.query.tree import Node, Regex
from chorus.core.query.words import spans, without_signs
from tests.core.query.asking import NODES, lines_run, tree

FILLER = "lorem ipsum dolor sit amet "


def shown(text: str, query: str, width: int = 160) -> str:
    """Returns the snippet with its marks written as brackets."""
    found = snippet(text, tree(query), width=width)
    line = found.text
    for start, end in reversed(found.marks):
        line = f"{line[:start]}[{line[start:end]}]{line[end:]}"
    return line


@pytest.mark.parametrize(
    ("text", "query", "line"),
    [
        ("the cat sat", "cat", "the [cat] sat"),
        ("The CAT, the cat.", "cat", "The [CAT], the [cat]."),
        ("concatenate", "cat", "concatenate"),
        ("catalogue of cats", "cat*", "[catalogue] of [cats]"),
        ("a cat and a dog", "dog -cat", "a cat and a [dog]"),
        ("a cat or a dog", "(cat OR bird) tool:Bash", "a [cat] or a dog"),
        ("one two, three", '"two three"', "one [two, three]"),
        ("one two three", '"one three"', "one two three"),
        ("one two three", '"one tw"*', "[one two] three"),
        ("call parseUrl now", '"call parseurl now"', "[call parseUrl now]"),
        ("call parseUrl now", "url", "call parse[Url] now"),
        ("call parse_url now", "parseUrl", "call [parse_url] now"),
        ("see src/main.py:12", "src/main.py", "see [src/main.py]:12"),
        ("ein Café", "cafe", "ein [Café]"),
        ("今日は東京です", "東京", "今日は[東京]です"),
        ("run a then b", "tool:Bash a -> b", "run [a] then [b]"),
        ("TypeError: x is 12", r"regex:/\w+error: ./i", "[TypeError: x] is 12"),
        ("(a", r"regex:/b\(/ a", "([a]"),
        ("aaa", "regex:/(a+)+$/", "[aaa]"),
        ("aaa", "regex:/b*/", "aaa"),
        ("anything", "", "anything"),
        ("", "cat", ""),
        ("  \n ", "cat", ""),
    ],
)
def test_what_is_marked(text: str, query: str, line: str) -> None:
    """Every match of the query is marked, as the query language defines a match, and excluded terms are not marked."""
    assert shown(text, query) == line


def test_it_is_one_line() -> None:
    """White space becomes one blank, and no control or hidden characters remain."""
    text = "\n a\r\n\tb\x00\x1b[1;31mred\x1b[0m \x07\u202ex\u2028y\x85z \ud800\n"

    assert snippet(text, None) == Snippet("a bred x y z \ufffd", [])


def test_the_best_part_is_shown() -> None:
    """A part with many different terms wins over a part with one term repeated and over the first match."""
    text = f"cat cat cat cat {FILLER * 20} the dog and the cat {FILLER * 20} dog dog"

    assert shown(text, "cat dog", width=60) == "…sit amet the [dog] and the [cat] lorem ipsum dolor sit amet…"


def test_of_equals_the_first_is_shown() -> None:
    """If a later place is only as good as the beginning, the beginning is shown."""
    assert shown(f"first cat {FILLER * 500} last cat", "cat bird").startswith("first [cat]")


def test_far_into_a_long_text() -> None:
    """Matches are found in a text of a megabyte, also at its end and in the middle of an identifier."""
    assert shown(FILLER * 20_000 + "Needle, hay", "hay needle", width=40) == "…ipsum dolor sit amet [Needle], [hay]"
    assert "ask[Needle]Here" in shown(FILLER * 20_000 + "askNeedleHere" + FILLER * 20_000, "needle")
    assert "[東京]" in shown("日本" * 20_000 + "東京タワー", "東京")
    # A character that becomes longer in lower case must not shift the place.
    assert "[needle]" in shown("İ" * 20_000 + " needle " + FILLER * 1000, "needle")


def test_words_that_only_look_alike_do_not_hide_the_right_one() -> None:
    """A word is found even after hundreds of longer words that contain it."""
    assert "[cat]" in shown("concatenation " * 900 + FILLER * 500 + " cat " + FILLER * 500, "cat")


@pytest.mark.parametrize("width", [0, MIN_WIDTH, 21, 50, 160, 1000])
@pytest.mark.parametrize("length", [10, 155, 160, 170, 5_000])
def test_it_is_as_wide_as_asked(width: int, length: int) -> None:
    """A snippet is never wider than asked, including ellipses, and not much narrower if there is enough text."""
    text = (FILLER * 200)[:length]
    found = snippet(text, tree("amet"), width=width)

    assert len(found.text) <= max(width, MIN_WIDTH)
    assert len(found.text) >= min(len(text.strip()), max(width, MIN_WIDTH) - 42)


TEXT = st.lists(st.sampled_from(["a", "b", " ", "fooBar ", "日", "\n", "\x00", "é", "word ", "\ud800", "x" * 50])).map(
    "".join
)


@given(TEXT | st.text(), NODES, st.integers(0, 200))
def test_marks_are_places_of_the_line(text: str, root: Node, width: int) -> None:
    """For any text and query, the snippet is one harmless line, and its marks are in order and do not touch."""
    found = snippet(text, root, width=width)
    ends = [place for mark in found.marks for place in mark]

    assert len(found.text) <= max(width, MIN_WIDTH)
    assert ends == sorted(set(ends)) and all(0 <= end <= len(found.text) for end in ends)
    assert not any(unicodedata.category(char) in ("Cc", "Cs") for char in found.text)
    found.text.encode()


@given(
    st.lists(st.sampled_from(["foo", "bar", "fooBar", "the", ",", "日本"]), max_size=30),
    st.sampled_from(["foo", "bar"]),
)
def test_a_word_of_a_short_text_is_always_marked(words: list[str], word: str) -> None:
    """In a text that is shown as a whole, every occurrence of the word is marked."""
    text = " ".join(words)
    marked = [found.lower() for found in _marked(snippet(text, tree(word), width=1000))]

    assert marked == [word] * sum(part.lower().count(word) for part in words)


WORDS = st.sampled_from(
    ["foo", "bar", "fooBar", "barFoo", "foobar", "Foo_Bar", "12", "12→foo", "fo", "éfoo", "x.foo", "日本", "İ"]
)
ASKED = st.sampled_from(["foo", "fo*", "fooBar", '"foo bar"', '"bar foo bar"', '"foo ba"*'])


@given(st.lists(WORDS, max_size=12), ASKED)
def test_where_a_text_is_not_taken_apart_nothing_stands(words: list[str], query: str) -> None:
    """A search only around the words of the query finds the same matches as a search in the whole text."""
    text = " ".join(words)
    wanted = search_terms(tree(query))

    # A non-ASCII word character in the text makes the code split the text as a whole.
    assert matches(text, wanted) == [match for match in matches(f"{text} é", wanted) if match.end <= len(text)]


@given(st.text() | st.lists(st.sampled_from("aB1 _→…“½ﬁ\u0301\u0903日é\ud800")).map("".join))
def test_signs_part_words_as_blanks_do(text: str) -> None:
    """Replacing each punctuation sign with a blank changes neither the words of a text nor their places."""
    assert spans(without_signs(text)) == spans(text)


def test_a_longer_text_is_not_more_work() -> None:
    """Ten times the text runs no more Python code, because only the built-in string search reads all of it."""
    root = tree("needle amet -hay pin*")

    def work(length: int) -> int:
        return lines_run(lambda: snippet(FILLER * length + "needle", root))

    assert work(40_000) <= work(4_000) + 100


def test_a_pattern_that_warns_is_quiet() -> None:
    """The warning of Python's pattern engine about nested sets is not shown."""
    assert snippet("a[", Regex("[[a]")).marks == [(0, 2)]


def _marked(found: Snippet) -> list[str]:
    return [found.text[start:end] for start, end in found.marks]
