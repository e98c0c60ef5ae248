"""Tests of G5: a thousand sessions are recorded, indexed, listed and searched in bounded memory.

`bench` measures how fast.
"""

import json
import os

import pytest

from chorus.testing.builders import Session
from tests.support.memory import bounded

MAX_RSS_MB = 500


@pytest.mark.skipif(not hasattr(os, "posix_spawn"), reason="memory of a child cannot be measured here")
@pytest.mark.parametrize(("count", "rounds"), [(1_000, 10), pytest.param(10_000, 250, marks=pytest.mark.long)])
def test_many_sessions_take_little_memory(tmp_path, monkeypatch, count, rounds):
    """No command exceeds its memory limit, and each session is listed once."""
    client = tmp_path / "claude"
    project = client / "projects" / "-p"
    project.mkdir(parents=True)
    for number in range(count):
        session = Session(f"{number:08x}-0000-4000-8000-000000000000")
        for round_ in range(rounds):
            session.user(f"Please look at item {round_} of session {number}, and say what it is about.")
            session.assistant(f"Item {round_} is about something that takes a sentence or two to say. " * 4)
        (project / f"{session.id}.jsonl").write_bytes(bytes(session))
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(client))

    bounded(MAX_RSS_MB, "sync")
    listed, _ = bounded(MAX_RSS_MB, "list", "--json")
    found, _ = bounded(MAX_RSS_MB, "search", "--json", f"session {count - 1}")
    bounded(MAX_RSS_MB, "sync")

    assert json.loads(listed)["total"] == count
    assert f"{count - 1:08x}-0000" in found
