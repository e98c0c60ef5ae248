"""Tests of `chorus index` and of the index that `chorus sync` and `chorus forget` update."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from chorus.core.query.parse import parse
from chorus.errors import ChorusError
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.indexing.index_keeper import FOLDER
from chorus.find.indexing.writer import index_writer
from chorus.keep.vault.files import FileVault
from chorus.testing.builders import Layout, Session
from chorus.testing.builders.lines import Ids
from tests.cli.commands import run, run_json
from tests.find.indexing.test_index_keeper import NOW
from tests.keep.archive.vaults import client, talk

PATIENCE_S = 20


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home beside a client's folder with one session."""
    client(tmp_path / "claude", talk(), layout=Layout.INLINE)
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    return tmp_path / "home"


def found(home, text):
    index = SqliteIndex(home / FOLDER)
    try:
        return len(index.search(parse(text, now=NOW), limit=100).hits)
    finally:
        index.close()


def session_file(tmp_path):
    (path,) = (tmp_path / "claude").rglob("*.jsonl")
    return path


def add_prompt(path, words):
    session = Session(path.stem, ids=Ids(words))
    session.user(words)
    with path.open("ab") as file:
        file.write(bytes(session))


def test_sync_keeps_the_index_up_to_date(home, tmp_path):
    """A search finds what a pass recorded."""
    run("sync")
    add_prompt(session_file(tmp_path), "a needle in the hay")
    assert found(home, "needle") == 0
    run("sync")

    assert found(home, "needle") == 1


def test_the_index_can_be_deleted(home):
    """`chorus index` builds a missing index again, and `--rebuild` always builds it again."""
    run("sync")
    shutil.rmtree(home / FOLDER)

    first = run_json("index")
    assert (first["conversations"], first["changed"]) == (1, 1)
    assert run_json("index")["changed"] == 0
    assert run_json("index", "--rebuild")["changed"] == 1
    assert "1 conversation, 0 indexed" in run("index").stdout


def test_a_damaged_index_stops_no_pass(home, tmp_path):
    """A pass replaces a damaged index with a good one and prints no error."""
    run("sync")
    (home / FOLDER / "index.db").write_bytes(b"spoiled")
    add_prompt(session_file(tmp_path), "needle")
    outcome = run("sync")

    assert outcome.exit_code == 0 and outcome.stderr == ""
    assert found(home, "needle") == 1


def test_what_keeps_the_index_from_being_written_is_said(home, tmp_path):
    """If the index cannot be written, the pass says so and still records into the vault."""
    run("sync")
    shutil.rmtree(home / FOLDER)
    (home / FOLDER).write_text("in the way")
    add_prompt(session_file(tmp_path), "needle")
    outcome = run("sync")

    assert outcome.exit_code == 0
    assert "the index is not up to date" in outcome.stderr and "Traceback" not in outcome.stderr
    assert "1 grown" in outcome.stdout


def test_while_another_writes_the_index_a_pass_leaves_it_to_that(home, tmp_path):
    """`sync` does not wait for another process that writes the index, and `chorus index` reports that process."""
    run("sync")
    add_prompt(session_file(tmp_path), "needle")
    with index_writer(FileVault(home), NOW) as keeper:
        assert run("sync").exit_code == 0
        with pytest.raises(ChorusError, match="another process"):
            run("index")
        assert found(home, "needle") == 0
        assert keeper is not None
        keeper.catch_up()
        assert found(home, "needle") == 1


def test_what_is_forgotten_leaves_no_word_behind(home, tmp_path):
    """After `forget`, neither the index nor its files contain the forgotten words."""
    path = session_file(tmp_path)
    add_prompt(path, "xyzzysecret")
    run("sync")
    assert found(home, "xyzzysecret") == 1
    run("forget", path.stem[:8], "--yes")

    assert found(home, "xyzzysecret") == 0
    held = b"".join(each.read_bytes() for each in (home / FOLDER).iterdir())
    assert b"xyzzysecret" not in held


def test_a_watcher_s_lines_are_found_as_they_come(home, tmp_path):
    """`sync --watch` indexes each line as soon as it is recorded."""
    run("sync")
    watcher = subprocess.Popen(
        [sys.executable, "-m", "chorus", "sync", "--watch"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    assert watcher.stderr is not None
    try:
        while b"watching" not in watcher.stderr.readline():
            pass
        time.sleep(0.3)
        add_prompt(session_file(tmp_path), "needle")
        ends_at = time.monotonic() + PATIENCE_S
        while not found(home, "needle"):
            assert time.monotonic() < ends_at, "the line was not found in time"
            time.sleep(0.02)
    finally:
        os.kill(watcher.pid, signal.SIGTERM)
        watcher.wait()
        watcher.stderr.close()
    assert json.loads(run("index", "--json").stdout)["changed"] == 0
