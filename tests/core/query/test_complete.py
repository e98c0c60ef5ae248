"""Tests of the suggestions that appear while a query is typed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chorus.core.query.complete import MAX_COMPLETIONS, Completion, complete
from chorus.core.query.keys import HINTS
from chorus.core.query.tree import MEASURES
from chorus.errors import QueryError
from tests.core.query.asking import PIECES, tree

KNOWN = {
    "tool": ["Bash", "Edit", "MultiEdit", "mcp__git__log"],
    "workspace": ["/home/me/my app", "/home/me/chorus"],
    "model": [f"model-{n}" for n in range(100)],
}


def known(field: str) -> list[str]:
    return KNOWN.get(field, [])


def suggested(marked: str) -> list[str]:
    """Returns the text after each suggestion is taken, for a text with the cursor at `|`."""
    cursor = marked.index("|")
    text = marked.replace("|", "", 1)
    found = complete(text, cursor, values=known)
    return [text[: each.start] + each.text + text[each.end :] for each in found]


@pytest.mark.parametrize(
    ("marked", "texts"),
    [
        ("to|", ["tool:", "tokens>"]),
        ("a TO|", ["a tool:", "a tokens>"]),
        ("-rol|", ["-role:"]),
        ("(wor|)", ["(workspace:)"]),
        ("ro|le:user", ["role:user"]),
        ("to|kens<5", ["tool<5", "tokens<5"]),
        ("role:|", ["role:user", "role:assistant", "role:tool", "role:system"]),
        ("role:s|", ["role:system", "role:user", "role:assistant"]),
        ("is:pro|mpt", ["is:prompt", "is:approved"]),
        ("IS:er|", ["IS:error"]),
        ("tool:edit|", ["tool:Edit", "tool:MultiEdit"]),
        ("tool:Bash,e|", ["tool:Bash,Edit", "tool:Bash,MultiEdit"]),
        ("tool:Edit,|", ["tool:Edit,Bash", "tool:Edit,MultiEdit", "tool:Edit,mcp__git__log"]),
        ("workspace:my|", ['workspace:"/home/me/my app"']),
        ('workspace:"my a|', ['workspace:"/home/me/my app"']),
        ('workspace:"my a|pp" x', ['workspace:"/home/me/my app" x']),
        ("on:yes|", ["on:yesterday"]),
        ("after:7|", ["after:7d"]),
    ],
)
def test_suggestions(marked: str, texts: list[str]) -> None:
    """Keys are suggested by their beginning and values also by a part, and a suggestion replaces the typed text."""
    assert suggested(marked) == texts


@pytest.mark.parametrize(
    "marked",
    [
        "zzz|",
        '"to|',
        '"a to|',
        "--fo|",
        "regex:/to|",
        "regex:/a to|/",
        "foo:b|",
        "cost>|",
        "cost:|",
        '"a"|',
        'tool:"Edit"|',
        'tool:a"b|',
        "é|",
        "http:|",
    ],
)
def test_where_nothing_can_be_suggested(marked: str) -> None:
    """Phrases, patterns, words and numbers get no suggestions."""
    assert suggested(marked) == []


@pytest.mark.parametrize("marked", ["|", "a |", "-|", "(|", '"a b" |', "regex:/a b/ |", "a -> |"])
def test_every_key_is_suggested_where_one_may_stand(marked: str) -> None:
    """When nothing is typed yet, all keys are suggested, each with a hint."""
    found = complete(marked.replace("|", ""), marked.index("|"))

    assert [each.text for each in found] == [key + (">" if key in MEASURES else ":") for key in HINTS]
    assert all(each.hint for each in found)


def test_a_suggestion_says_what_it_asks_for() -> None:
    """A fixed value has its own hint, and a known value has the hint of its field."""
    assert complete("is:err", 6) == [Completion("error", 3, 6, "failed")]
    assert complete("tool:Ba", 7, values=known) == [Completion("Bash", 5, 7, HINTS["tool"])]


def test_there_are_never_too_many() -> None:
    """When very many known values fit, only the first ones are suggested."""
    assert [each.text for each in complete("model:m", 7, values=known)] == KNOWN["model"][:MAX_COMPLETIONS]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=5), st.integers(-5, 60))
def test_suggestions_fit_anywhere(pieces: list[str], cursor: int) -> None:
    """For any text and any position of the cursor, a suggestion replaces a part of the text around the cursor."""
    text = " ".join(pieces)
    for each in complete(text, cursor, values=known):
        assert 0 <= each.start <= max(0, min(cursor, len(text))) <= each.end <= len(text)


@pytest.mark.parametrize("key", [key for key in HINTS if key not in (*MEASURES, "regex")])
def test_what_is_suggested_can_be_asked(key: str) -> None:
    """The parser accepts every value that is suggested."""
    for each in complete(f"{key}:", len(key) + 1, values=known):
        try:
            tree(f"{key}:{each.text}")
        except QueryError as error:
            pytest.fail(str(error))
