"""Tests of writing a tree as text."""

from random import Random

import pytest
from hypothesis import given

from chorus.core.query.describe import describe
from chorus.core.query.parse import parse
from chorus.core.query.tree import And, Node, Not, Or, Query, Regex, Sequence, Time, Word
from chorus.errors import QueryError
from tests.core.query.asking import NODES, NOW, SEQUENCES, a_query, tree


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("", ""),
        ("  a   AND b ", "a b"),
        ("(a b) OR ((c))", "a b OR c"),
        ("a (b OR c)", "a (b OR c)"),
        ("NOT a NOT (b c)", "-a -(b c)"),
        ('pre* "a b*"', 'pre* "a b"*'),
        ("tool:Edit OR tool:Write", "tool:Edit,Write"),
        ("a (tool:Edit OR tool:Write)", "a tool:Edit,Write"),
        ('-ROLE:User workspace:"my app","x"', '-role:user workspace:"my app",x'),
        ('tool:"a,b" file:"(x"', 'tool:"a,b" file:"(x"'),
        ("cost:>$0.50 tokens<1.5M messages:3", "cost>0.5 tokens<1500000 messages=3"),
        ("cost AND >1", "cost AND >1"),
        ("NOT --force NOT >x", "NOT --force NOT >x"),
        ("on:2026-02-03", "after:2026-02-03T00:00:00.000Z before:2026-02-04T00:00:00.000Z"),
        ("-on:2026-02-03", "-(after:2026-02-03T00:00:00.000Z before:2026-02-04T00:00:00.000Z)"),
        ("after:7d", "after:2026-02-04T15:30:00.000Z"),
        (r"regex:/a\/b \d/i", r"regex:/a\/b \d/i"),
        ("tool:Bash is:error->tool:Edit ->3 a OR b", None),
        ("tool:Bash is:error ->tool:Edit ->3 a OR b", "tool:Bash is:error -> tool:Edit ->3 a OR b"),
    ],
)
def test_the_canonical_text(text: str, canonical: str | None) -> None:
    """Each query has one canonical text: no unneeded brackets, commas between values, and absolute times."""
    if canonical is None:
        with pytest.raises(QueryError):
            tree(text)
    else:
        assert describe(parse(text, now=NOW)) == canonical


@given(NODES | SEQUENCES)
def test_what_is_written_is_read_again(root: Node | Sequence) -> None:
    """Parsing the text of a tree in its simplest form gives the same tree."""
    assert tree(describe(Query(root))) == root


def test_what_was_read_is_read_again() -> None:
    """The canonical text of any query has the same meaning as the query, and is itself canonical."""
    random = Random(20260211)
    read = 0
    for _ in range(3_000):
        text = a_query(random)
        try:
            query = parse(text, now=NOW)
        except QueryError:
            continue
        canonical = describe(query)
        # A day is written as two times, so the canonical text of a query near the limits can exceed them.
        if len(text) < 1_000:
            read += 1
            assert tree(canonical) == query.root, text
            assert describe(Query(tree(canonical))) == canonical
    assert read > 500


@pytest.mark.parametrize(
    ("root", "text"),
    [
        (Word("a b"), '"a b"'),
        (Word("OR"), '"OR"'),
        (Word("tol:x", is_prefix=True), '"tol:x"*'),
        (And((And((Word("a"), Word("b"))), Not(Not(Word("c"))))), "(a b) NOT -c"),
        (Or((Or((Word("a"), Word("b"))), Word("c"))), "(a OR b) OR c"),
        (Time(), "after:0001-01-01T00:00:00.000Z"),
        (Regex(r"a\/b/"), r"regex:/a\/b\//"),
    ],
)
def test_trees_made_by_hand(root: Node, text: str) -> None:
    """A tree that no text produces is written as a text with the same meaning."""
    assert describe(Query(root)) == text
    assert tree(text) is not None
