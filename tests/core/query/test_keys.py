"""Tests of the keys of the query language: mistyped keys are guessed, and all keys are documented."""

import re
from pathlib import Path

import pytest

from chorus.core.query.keys import CHOICES, EXAMPLES, HINTS, closest, meant_key
from chorus.core.query.parse import MAX_CHARACTERS, MAX_DEPTH, MAX_TERMS
from chorus.core.query.tree import VALUES, Sequence
from tests.core.query.asking import tree

GUIDE = (Path(__file__).parents[3] / "docs" / "guide" / "queries.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("typed", "key"),
    [
        ("tol", "tool"),
        ("Fiel", "file"),
        ("bfore", "before"),
        ("mess", "messages"),
        ("since", "after"),
        ("project", "workspace"),
        ("localhost", None),
        ("line", None),
        ("x" * 5000, None),
    ],
)
def test_a_typing_error_is_guessed(typed: str, key: str | None) -> None:
    """A mistyped key is guessed by similarity, by its beginning or by its name in other tools.

    A text that is too different from every key gives no guess.
    """
    assert meant_key(typed) == key


def test_a_value_is_guessed() -> None:
    """A mistyped value is guessed in the same way from the values that a field takes."""
    assert closest("usr", VALUES["role"]) == "user"
    assert closest("sub", VALUES["is"]) == "subagent"
    assert closest("zip", VALUES["has"]) is None


@pytest.mark.parametrize("key", HINTS)
def test_every_key_is_documented(key: str) -> None:
    """The guide names each key and each of its values, and the example in error messages is a valid query."""
    assert re.search(rf"^\| .*`{key}:?`.* \|", GUIDE, re.MULTILINE)
    values = {str(field): choices for field, choices in VALUES.items()}
    assert all(f"`{value}`" in GUIDE for value in values.get(key, ()))
    assert tree(EXAMPLES[key]) is not None
    assert key not in values or tuple(CHOICES[key]) == values[key]


def test_the_limits_are_documented() -> None:
    """The guide names the limits as the code defines them."""
    assert f"{MAX_CHARACTERS:,} characters, {MAX_TERMS} terms, and parentheses {MAX_DEPTH} deep" in GUIDE


def test_the_examples_of_the_guide_can_be_asked() -> None:
    """Every query at the beginning of the guide, and every example of a field, is a valid query."""
    shown = re.findall(r"^\| `([^`]+)` \| [^`|]+ \|$", GUIDE.split("## Words")[0], re.MULTILINE)
    fields = re.findall(r"\| `([^`]+)` \|$", GUIDE, re.MULTILINE)

    assert len(shown) == 5 and len(fields) >= 14
    assert all(tree(query) is not None for query in [*shown, *fields])
    assert isinstance(tree(shown[-1]), Sequence)
