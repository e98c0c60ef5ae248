"""Tests that the words that a text must contain narrow a pattern: fewer texts are read, and no hit is missed."""

import re
from random import Random

import pytest

from chorus.core.query.literals import clauses
from chorus.core.query.tree import Or, Query, Regex
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.indexing.index_keeper import FOLDER, IndexKeeper
from chorus.find.search.entry_texts import Texts
from chorus.keep.vault.files import FileVault
from chorus.testing.builders import Session
from chorus.testing.indexes import NEVER, keep

TEXTS = (
    "request timed out after 30s",
    "ConnectionTimeout raised",
    "E1234: permission denied for user_name",
    "naïve café, ﬁle and ſize; Ωmega",
    "今日は東京です deploy",
    "foo.bar(baz)[0] -> x['key']",
    "HTTP/1.1 404 Not Found",
    "",
    "a" * 300 + "needle" + "b" * 300,
)
PIECES = (
    "time(d )?out",
    "E[0-9]{4}",
    "permission",
    "(?i)DENIED",
    "user_\\w+",
    "caf.",
    "é",
    "東京",
    "bar\\(",
    "\\[0\\]",
)
PIECES += ("(foo|needle)", "(foo|.*)", "[[:digit:]]+", "x{0}", "(?:HTTP/)+1", "\\bNot\\b", "a{3,}n", "ﬁle", "deploy$")
PIECES += ("^E", "\\x66oo", "(?s).+needle", "4[0-9]+", "\\[0\\]")


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    vault = FileVault(tmp_path_factory.mktemp("narrowing") / "vault")
    talk, random = Session(), Random(1)
    for n in range(400):
        talk.user(f"{n} {random.choice(TEXTS)} {random.choice(TEXTS)}")
    keep(vault, talk)
    keeper = IndexKeeper(vault, saved_since=NEVER)
    keeper.catch_up()
    keeper.close()
    index = SqliteIndex(vault.root / FOLDER)
    yield index, Texts(index, vault)
    index.close()


def looked_for(asked, node):
    """Returns the numbers of the hits, and how many texts were read."""
    index, texts = asked
    seen = []

    def texts_of(wanted):
        found = texts.texts(wanted)
        seen.extend(found)
        return found

    hits = index.search(Query(node), limit=1000, texts_of=texts_of).hits
    return [hit.number for hit in hits], len(seen)


@pytest.mark.parametrize("seed", range(40))
def test_nothing_is_missed(asked, seed):
    """A narrowed pattern finds the same hits as the same pattern in a query that cannot be narrowed."""
    random = Random(seed)
    pattern = "".join(random.choices((*PIECES, "", ".*", " "), k=random.randint(1, 3)))
    node = Regex(pattern, ignores_case=random.random() < 0.3)

    numbers, _ = looked_for(asked, node)
    every, looked_at = looked_for(asked, Or((node, Regex("$^x"))))

    assert numbers == every and looked_at == 400


def test_few_texts_are_read(asked):
    """A pattern whose words are in few texts, or in none, is answered without reading all the others."""
    hits, looked_at = looked_for(asked, Regex("^3 .*"))
    assert looked_at == 400 and len(hits) == 1
    for pattern, most in (("ConnectionTime.ut", 330), ("Xnothing", 128), ("(Xnothing|Ynothing)+z", 128)):
        _, looked_at = looked_for(asked, Regex(pattern))
        assert looked_at <= most, pattern


@pytest.mark.parametrize(
    ("pattern", "runs"),
    [
        ("time(d )?out", [["time"], ["out"]]),
        ("(foo|bar)baz", [["bar", "foo"], ["baz"]]),
        ("(foo|.)", []),
        ("fo+bar", [["bar"]]),
        ("(abc)+", [["abc"]]),
        ("(abc)*", []),
        ("(abc){2,3}", [["abc"]]),
        ("user_name", [["user"], ["name"]]),
        ("naïve", [["na"], ["ve"]]),
        ("(?i:ABC)d", [["abcd"]]),
        ("[[:alpha:]]bc", []),
        ("a|b", []),
        ("(", []),
        ("x{99999999999}", []),
    ],
)
def test_what_a_text_must_hold(pattern, runs):
    """The clauses of a pattern are the runs that every matching text contains, or nothing if that is unknown."""
    assert sorted(sorted(clause) for clause in clauses(Regex(pattern))) == sorted(runs)


@pytest.mark.parametrize("seed", range(200))
def test_whatever_matches_holds_the_runs(seed):
    """Every text that matches a random pattern contains at least one run of each clause."""
    random = Random(seed)
    words = ["alpha", "beta", "x1", "gamma"]
    pattern = "".join(
        random.choice((*words, "(alpha|beta)", "(x1)?", "[ab]", ".", "(gamma)+", "\\w+", " ")) for _ in range(4)
    )
    for _ in range(20):
        text = "".join(random.choice((*words, " ", "a")) for _ in range(8))
        if re.search(pattern, text):
            for clause in clauses(Regex(pattern)):
                assert any(run in text for run in clause)
