"""Tests records of Agent Trace against what their published schema asks for."""

import json
import re
import uuid
from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from chorus.core.blame.agent_trace import claims_of, read_traces, trace_of
from chorus.core.blame.origins import Edit

COMMIT = "a" * 40
TIME = "2026-11-18T09:00:00.000Z"
EDIT = Edit("5e551011-0000-4000-8000-000000000001", turn=2, call="toolu_1", model="claude-opus-5")


def keys(value, required, optional=()):
    """Checks the keys of an object: the schema allows no others."""
    assert set(required) <= value.keys() <= {*required, *optional}
    return value


def validate(record):
    """Checks a record as the published JSON schema does."""
    keys(record, ("version", "id", "timestamp", "files"), ("vcs", "tool", "metadata"))
    assert re.fullmatch(r"[0-9]+\.[0-9]+", record["version"])
    assert uuid.UUID(record["id"]).version in range(1, 9)
    assert record["timestamp"].endswith("Z") and datetime.fromisoformat(record["timestamp"])
    assert keys(record["vcs"], ("type", "revision"))["type"] in ("git", "jj", "hg", "svn")
    assert all(isinstance(each, str) for each in keys(record["tool"], ("name", "version")).values())
    for file in record["files"]:
        assert isinstance(keys(file, ("path", "conversations"))["path"], str)
        for each in file["conversations"]:
            keys(each, ("ranges",), ("url", "contributor", "related"))
            assert re.match(r"[a-z]+:", each["url"])
            who = keys(each["contributor"], ("type",), ("model_id",))
            assert who["type"] in ("human", "ai", "mixed", "unknown") and len(who.get("model_id", "")) <= 250
            for part in each["ranges"]:
                keys(part, ("start_line", "end_line"), ("content_hash", "contributor"))
                assert 1 <= part["start_line"] <= part["end_line"]


@given(st.text(), st.text(), st.text())
def test_a_record_is_valid(conversation, model, path):
    """Whatever the names are, the record is one line that the schema accepts."""
    path, model = path.encode("utf-8", "replace").decode(), model.encode("utf-8", "replace").decode()
    line = trace_of(COMMIT, {path: {Edit(conversation, model=model): [(1, 2)]}}, time=TIME, version="1.0")

    assert line.count(b"\n") == 1
    validate(json.loads(line))


def test_a_record_says_who_wrote_which_lines():
    """A record names the commit, the lines, the model and the conversation, and can be read again."""
    line = trace_of(COMMIT, {"a.py": {EDIT: [(1, 2), (5, 5)]}}, time=TIME, version="1.0")
    record = json.loads(line)

    assert record["vcs"] == {"type": "git", "revision": COMMIT}
    (conversation,) = record["files"][0]["conversations"]
    assert conversation["url"] == f"urn:uuid:{EDIT.conversation}"
    assert conversation["contributor"] == {"type": "ai", "model_id": "anthropic/claude-opus-5"}
    assert line == trace_of(COMMIT, {"a.py": {EDIT: [(1, 2), (5, 5)]}}, time=TIME, version="1.0")
    (trace,) = read_traces(line)
    assert [claim.model for claim in claims_of(trace, "a.py", 5)] == ["anthropic/claude-opus-5"]
    assert not list(claims_of(trace, "a.py", 3)) and not list(claims_of(trace, "b.py", 1))


@given(st.binary())
def test_lines_that_are_no_record_are_skipped(data):
    """No file of a repository raises, and records between other lines are found."""
    line = trace_of(COMMIT, {"a.py": {EDIT: [(1, 1)]}}, time=TIME, version="1.0")

    assert len(list(read_traces(data.replace(b"\n", b"") + b"\n" + line + b'{"files": 3}\n'))) >= 1
