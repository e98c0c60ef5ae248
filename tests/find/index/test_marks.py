"""Tests that fields and words share an index and never match each other."""

from datetime import UTC, datetime

import pytest

from chorus.core.query.parse import parse
from chorus.find.index.marks import ERROR, PROMPT, mark
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.testing.builders import Session, tool_use
from chorus.testing.indexes import name_of, writings_of

NOW = datetime(2026, 1, 5, tzinfo=UTC)


@pytest.fixture
def talk():
    talk = Session()
    talk.user("fetch the parcel")
    talk.assistant(tool_use("Bash", {"command": "carry parcel parcel"}, id="toolu_1"))
    talk.tool_result("toolu_1", "done")
    return talk


@pytest.fixture
def index(talk, tmp_path):
    found = SqliteIndex.build(tmp_path)
    found.write(writings_of(talk))
    yield found
    found.close()


def test_words_do_not_find_marks(index, talk):
    """A query for the word that represents a field finds no entry, because nobody wrote that word."""
    for word in (PROMPT, "roleuser", mark("tool", "Bash"), mark("conversation", name_of(talk)), "rol*"):
        assert index.search(parse(word, now=NOW), limit=9).hits == [], word


def test_fields_do_not_find_words(tmp_path):
    """A text that contains the word of a field does not match the field."""
    index = SqliteIndex.build(tmp_path)
    talk = Session()
    talk.user(f"{ERROR} {mark('tool', 'Bash')}")
    index.write(writings_of(talk))

    assert index.search(parse("is:error OR tool:Bash", now=NOW), limit=9).hits == []
    index.close()


def test_a_field_does_not_change_the_rank(index):
    """A field in a query does not change the rank of the hits that remain."""
    hits = index.search(parse("parcel", now=NOW), limit=9, is_ranked=True).hits
    of_tools = index.search(parse("parcel role:tool", now=NOW), limit=9, is_ranked=True).hits
    fields = index.search(parse("role:tool", now=NOW), limit=9, is_ranked=True).hits

    assert len(hits) == 2
    assert of_tools == fields == [hit for hit in hits if hit in of_tools]
