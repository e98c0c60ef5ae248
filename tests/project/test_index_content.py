"""Tests that changed content of the index needs a new `SCHEMA`, because otherwise people keep a partly old index."""

from typing import get_args

import pytest

from chorus.core.conversation import notices
from chorus.core.query.tree import VALUES
from chorus.core.records.model import TYPED
from chorus.core.records.model.stream import KeepAlive
from chorus.find.index import marks
from chorus.find.index.rows import Header
from chorus.find.index.sqlite import schema
from tools import index_content
from tools.generate import main

MARKED_BY_PEOPLE = {"isstarred", "isarchived"}
"""These are annotations, which are not in the word index."""


@pytest.fixture(scope="module")
def found():
    return [put for writing in index_content.writings() for put in writing.put]


def test_the_corpus_has_every_mark(found):
    """The corpus has every role, every `is:` and `has:`, and every kind of value that a field asks for."""
    seen = {mark for put in found if put.document for mark in put.document.marks}
    fixed = {f"{field}{value}" for field in ("role", "is", "has") for value in VALUES[field]}

    assert fixed - MARKED_BY_PEOPLE <= seen
    assert set(marks._LETTERS.values()) <= {mark[0] for mark in seen - fixed}


def test_the_corpus_has_every_kind_of_entry(found):
    """The corpus has an entry of every kind that the index stores."""
    assert {type(put.entry.item) for put in found} == set(get_args(Header))


def test_the_corpus_has_every_row(found):
    """The corpus has a row of every record type that is shown as a notice."""
    rows = {struct.__struct_config__.tag for struct in get_args(TYPED) if struct.is_row}
    elsewhere = {"assistant", "user", "result", "text", "tool_use", "tool_result", "stream_event", "agent_metadata"}

    assert rows - elsewhere <= {getattr(put.entry.item, "type", None) for put in found}


def other_words(monkeypatch):
    monkeypatch.setattr(notices, "rate_limit_words", lambda _: "other words")


def another_row(monkeypatch):
    monkeypatch.setattr(KeepAlive, "is_row", True)


def another_mark(monkeypatch):
    monkeypatch.setattr(marks, "PROMPT", "isasked")


def another_table(monkeypatch):
    monkeypatch.setattr(schema, "TABLES", schema.TABLES + "CREATE TABLE more (n INTEGER);")


@pytest.mark.parametrize("change", [other_words, another_row, another_mark, another_table])
def test_a_change_needs_a_new_number(change, monkeypatch, capsys):
    """Changed words, rows, marks or tables fail the check, which names the new number, and a higher number passes."""
    monkeypatch.setattr("tools.generate.GENERATED", {index_content.FILE: index_content.document})
    assert main(["--check"]) == 0

    change(monkeypatch)
    assert main(["--check"]) == 1
    said = capsys.readouterr().err
    assert f"raise SCHEMA in {index_content.SCHEMA_FILE} from {schema.SCHEMA} to {schema.SCHEMA + 1}" in said

    monkeypatch.setattr(schema, "SCHEMA", schema.SCHEMA + 1)
    assert f'"schema": {schema.SCHEMA}' in index_content.document()
