"""Tests of the parser: which tree a typed text becomes."""

from datetime import datetime
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chorus.core.query.parse import MAX_CHARACTERS, MAX_DEPTH, MAX_TERMS, parse
from chorus.core.query.tree import And, Field, Measure, Not, Or, Phrase, Query, Regex, Sequence, Step, Time, Word
from chorus.errors import QueryError
from tests.core.query.asking import NOW, a_query, lines_run, tree

A, B, C, D = Word("a"), Word("b"), Word("c"), Word("d")


@pytest.mark.parametrize("text", ["", " ", "\t\n\u3000"])
def test_nothing_asks_for_everything(text: str) -> None:
    """An empty or blank text is a query without a root."""
    assert parse(text, now=NOW) == Query(None, text)


def test_the_text_is_kept() -> None:
    """A query keeps the text that was typed."""
    assert parse(" a  OR b ", now=NOW).text == " a  OR b "


def test_a_time_without_a_zone_is_our_own_mistake() -> None:
    """The caller must give a time with a time zone."""
    with pytest.raises(ValueError, match="no time zone"):
        parse("a", now=datetime(2026, 1, 1))  # noqa: DTZ001


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("a b", And((A, B))),
        ("a AND b", And((A, B))),
        ("a OR b", Or((A, B))),
        ("a b OR c d", Or((And((A, B)), And((C, D))))),
        ("a (b OR c) d", And((A, Or((B, C)), D))),
        ("a(b OR c)", None),
        ("(a)(b)", And((A, B))),
        ("(a OR b)c", And((Or((A, B)), C))),
        ("a or b and not c", And((A, Word("or"), B, Word("and"), Word("not"), C))),
        ("-a", Not(A)),
        ("NOT a", Not(A)),
        ("NOT(a b)", Not(And((A, B)))),
        ("-a b", And((Not(A), B))),
        ("-(a OR b) c", And((Not(Or((A, B))), C))),
        ("a -b OR -c", Or((And((A, Not(B))), Not(C)))),
    ],
)
def test_operators(text: str, root: object) -> None:
    """Adjacent terms bind more strongly than OR, a minus binds most strongly, and operators are in upper case."""
    if root is None:
        with pytest.raises(QueryError):
            tree(text)
    else:
        assert tree(text) == root


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("((a))", A),
        ("(a (b (c d)))", And((A, B, C, D))),
        ("a OR (b OR (c OR d))", Or((A, B, C, D))),
        ("NOT NOT a", A),
        ("-(-a)", A),
        ("NOT -(NOT a)", Not(A)),
        ("-(-(a b))  c", And((A, B, C))),
        (
            "after:2026-01-01 a before:2026-01-05",
            And((Time("2026-01-01T00:00:00.000Z", "2026-01-05T00:00:00.000Z"), A)),
        ),
        ("on:2026 on:2026-02", Time("2026-02-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z")),
    ],
)
def test_the_tree_is_in_its_simplest_form(text: str, root: object) -> None:
    """The tree has no unneeded nesting, no double negation and no needlessly split time."""
    assert tree(text) == root


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("parse*", Word("parse", is_prefix=True)),
        ("parse**", Word("parse", is_prefix=True)),
        ("src/*.py", Word("src/*.py")),
        ("main()", Word("main()")),
        ("(main() OR f(x(y)))", Or((Word("main()"), Word("f(x(y))")))),
        ("--force", Word("--force")),
        ("a - b", And((A, Word("-"), B))),
        ("a->b", Word("a->b")),
        ('"a b"', Phrase("a b")),
        ('"a b"*', Phrase("a b", is_prefix=True)),
        ('"a b*"', Phrase("a b", is_prefix=True)),
        ('-"a b"', Not(Phrase("a b"))),
        ('"OR" "->"', And((Phrase("OR"), Phrase("->")))),
        (r'"say \"hi\" \\"', Phrase('say "hi" \\')),
        (r'"C:\new\table"', Phrase(r"C:\new\table")),
        ('a"b c"d', And((A, Phrase("b c"), D))),
    ],
)
def test_words_and_phrases(text: str, root: object) -> None:
    """Words are kept as typed, and a star at the end makes a word a prefix."""
    assert tree(text) == root


@pytest.mark.parametrize(
    "texts",
    [
        "http://localhost https://a.b/c?d=e:f C:\\Users tool://x file:///etc/hosts git@github.com:x/y.git",
        "std::string ::1 file::open model::Foo :smile:",
        "12:30 localhost:8080 main.py:42",
        "note: x:y a-b:c user_id:5 größe:5 {a:b}",
        "count>5 x=5 a>b role=user",
    ],
)
def test_a_colon_does_not_make_a_field(texts: str) -> None:
    """A text with a colon that cannot be a field is one word, including the colon."""
    assert tree(texts) == And(tuple(map(Word, texts.split())))
    assert tree("(note:)") == Word("note:")


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("role:user", Field("role", "user")),
        ("Role:USER", Field("role", "user")),
        ("tool:mcp__*", Field("tool", "mcp__*")),
        ("file:/etc/*.conf", Field("file", "/etc/*.conf")),
        ("file:C:\\x", Field("file", "C:\\x")),
        ("file:app/(group)/page.tsx", Field("file", "app/(group)/page.tsx")),
        ("(file:a)", Field("file", "a")),
        ('workspace:"my app"', Field("workspace", "my app")),
        ('workspace:"a,b",c', Or((Field("workspace", "a,b"), Field("workspace", "c")))),
        ("tool:Edit,Write", Or((Field("tool", "Edit"), Field("tool", "Write")))),
        ("-tool:Edit,Write", Not(Or((Field("tool", "Edit"), Field("tool", "Write"))))),
        ("is:error,prompt", Or((Field("is", "error"), Field("is", "prompt")))),
        ("has:thinking", Field("has", "thinking")),
    ],
)
def test_fields(text: str, root: object) -> None:
    """Field names may be in any case, values may be quoted, and a comma separates alternative values."""
    assert tree(text) == root


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("cost>1", Measure("cost", ">", 1)),
        ("COST>=$0.50", Measure("cost", ">=", 0.5)),
        ("cost<.5", Measure("cost", "<", 0.5)),
        ("tokens>100k", Measure("tokens", ">", 100_000)),
        ("tokens<=1.5M", Measure("tokens", "<=", 1_500_000)),
        ("tokens<1.001k", Measure("tokens", "<", 1001)),
        ("tokens>2g", Measure("tokens", ">", 2_000_000_000)),
        ("messages=3", Measure("messages", "=", 3)),
        ("messages:3", Measure("messages", "=", 3)),
        ("cost:>1", Measure("cost", ">", 1)),
        ("cost > 1", Measure("cost", ">", 1)),
        ("cost AND >1", And((Word("cost"), Word(">1")))),
        ("-cost>1", Not(Measure("cost", ">", 1))),
    ],
)
def test_measures(text: str, root: object) -> None:
    """Numbers of a conversation can be compared, with or without a colon, blanks, a currency sign or a suffix."""
    assert tree(text) == root


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("regex:/a.b/", Regex("a.b")),
        ("regex:/a b (c|d)/i", Regex("a b (c|d)", ignores_case=True)),
        (r"regex:/a\/b\d\\/", Regex(r"a/b\d\\")),
        (r"(regex:/\(/ OR a)", Or((Regex(r"\("), A))),
        ('-regex:/"/', Not(Regex('"'))),
    ],
)
def test_patterns(text: str, root: object) -> None:
    """Everything between the slashes is the pattern, and the parser does not check whether the pattern is valid."""
    assert tree(text) == root


def test_sequences() -> None:
    """Each step of a sequence is a query, and a number limits how many calls later the step may come."""
    assert tree("tool:Bash is:error -> a OR b ->3 -c") == Sequence(
        (
            Step(And((Field("tool", "Bash"), Field("is", "error")))),
            Step(Or((A, B))),
            Step(Not(C), within=3),
        )
    )
    assert tree('a ->b ->3"c"') == Sequence((Step(A), Step(B), Step(Phrase("c"), within=3)))


def test_limits() -> None:
    """A query at a limit is accepted, and a query beyond it is refused with an error that names the limit."""
    deep = "(" * MAX_DEPTH + "a" + ")" * MAX_DEPTH
    beyond = {
        "a" * (MAX_CHARACTERS + 1): f"{MAX_CHARACTERS:,} characters",
        "a " * (MAX_TERMS + 1): f"{MAX_TERMS} terms",
        "tool:" + ",".join("a" * (MAX_TERMS + 1)): f"{MAX_TERMS} terms",
        f"({deep})": f"{MAX_DEPTH} deep",
        "a ->1000001 b": "1,000,000 calls",
        f"a ->{'9' * 5_000} b": "1,000,000 calls",
    }

    assert tree(deep) == A
    assert tree("a" * MAX_CHARACTERS) == Word("a" * MAX_CHARACTERS)
    assert isinstance(tree("a " * MAX_TERMS), And)
    assert tree("NOT " * 2000 + "a") == A
    assert isinstance(tree("(a) " * 2 * MAX_DEPTH), And)
    for text, limit in beyond.items():
        with pytest.raises(QueryError, match=limit):
            tree(text)


def test_ten_thousand_queries_are_read_or_refused() -> None:
    """Each of ten thousand random texts gives a query or a QueryError that can be shown."""
    random = Random(20260211)
    queries = [a_query(random) for _ in range(10_000)]

    refused = [error for error in map(_refusal, queries) if error is not None]

    assert 2_000 < len(refused) < 9_000
    for error in refused:
        message, line, pointer = str(error).split("\n")
        assert 0 <= error.start <= len(error.text)
        assert message.isprintable() and line.isprintable() and set(pointer) <= {" ", "^"}


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Any text gives a query or a QueryError that can be shown."""
    assert str(_refusal(text))


@pytest.mark.parametrize(
    "piece",
    [
        "a ",
        "a*",
        "a(b)",
        '"a\\" ',
        "(a) ",
        "-(a) OR ",
        "foo",
        "cost ",
        "http:/",
        "tool:a,",
        "regex:/a\\/",
        "NOT ",
        "after:7d ",
        "ab:1 ",
        "->3 a",
        "\\",
    ],
)
def test_work_grows_with_the_text_and_not_faster(piece: str) -> None:
    """Four times the text takes about four times the work, not sixteen times."""

    def work(length: int) -> int:
        text = (piece * length)[:length]
        return lines_run(lambda: _refusal(f"{text} end"))

    assert work(8_000) <= 5 * work(2_000) + 500


def _refusal(text: str) -> QueryError | None:
    """Returns the QueryError that refuses the text; any other error reaches the test."""
    try:
        parse(text, now=NOW)
    except QueryError as error:
        return error
    return None
