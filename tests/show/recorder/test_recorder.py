"""Tests the recorder that `chorus sync` and the server share, which reports to callbacks."""

import contextlib
import os
import threading
import time
from pathlib import Path

import pytest

from chorus.base import config
from chorus.core.query.tree import Query
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.keep.sources.watcher import Stop
from chorus.keep.vault.files import FileVault
from chorus.show.recorder.recorder import Recorder
from chorus.testing.builders import Session


@pytest.fixture(autouse=True)
def _own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "vault"))


def _write(folder: Path, words: str, session_id: str | None = None) -> Path:
    session = Session(session_id) if session_id else Session()
    session.user(words)
    path = folder / "projects" / "-p" / f"{session.id}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(session))
    return path


def _recorder(tmp_path: Path, says=lambda _: None) -> Recorder:
    return Recorder(FileVault(tmp_path / "vault"), [tmp_path / "client"], contextlib.nullcontext, says)


def _titles(vault: Path) -> list[str]:
    index = SqliteIndex(vault / "index")
    try:
        return sorted(row.title for row in index.conversations(Query(None, ""), limit=100)[0])
    finally:
        index.close()


def test_a_first_pass_tells_how_far_it_is(tmp_path):
    """The reported bytes add up to the size of the sources.

    Afterwards the sessions can be found, and their workspace is listed.
    """
    paths = [_write(tmp_path / "client", f"words {n}", f"{n:08d}-0000-4000-8000-000000000000") for n in range(5)]
    done: list[int] = []
    recorder = _recorder(tmp_path)
    with recorder.indexing() as indexing:
        assert indexing.is_ours
        report = recorder.first_pass(indexing, done.append)
        recorder.end_pass()

    assert sum(done) == sum(path.stat().st_size for path in paths)
    assert (report.new, report.failed) == (5, [])
    assert _titles(tmp_path / "vault") == [f"words {n}" for n in range(5)]
    assert [each.path for each in config.load(tmp_path / "vault").workspaces] == ["/home/dev/work"]


@pytest.mark.parametrize("is_old", [False, True])
def test_everything_is_done_when_all_bytes_are(tmp_path, is_old):
    """All bytes are reported only after their sessions can be found and old ones are sealed."""
    paths = [_write(tmp_path / "client", f"words {n}", f"{n:08d}-0000-4000-8000-000000000000") for n in range(5)]
    if is_old:
        for path in paths:
            os.utime(path, (1_700_000_000, 1_700_000_000))
    total = sum(path.stat().st_size for path in paths)
    done, seen = 0, []

    def advance(size_bytes: int) -> None:
        nonlocal done
        done += size_bytes
        if done == total and size_bytes:
            seen.append((len(_titles(tmp_path / "vault")), len(list((tmp_path / "vault").rglob("*.jsonl.zst")))))

    recorder = _recorder(tmp_path)
    with recorder.indexing() as indexing:
        recorder.first_pass(indexing, advance)

    assert done == total and [found for found, _ in seen] == [5]
    assert (seen[0][1] > 0) is is_old


def test_a_pass_can_be_called_off_between_sources(tmp_path):
    """An exception of the callback ends a pass, and the next pass records the rest."""
    for n in range(5):
        _write(tmp_path / "client", f"words {n}", f"{n:08d}-0000-4000-8000-000000000000")

    def enough(_: int) -> None:
        raise InterruptedError

    recorder = _recorder(tmp_path)
    with recorder.indexing() as indexing, pytest.raises(InterruptedError):
        recorder.first_pass(indexing, enough)
    again = _recorder(tmp_path)
    with again.indexing() as indexing:
        again.first_pass(indexing)
        again.end_pass()
    assert len(_titles(tmp_path / "vault")) == 5


def test_watching_keeps_and_finds_what_is_written(tmp_path):
    """Until it is stopped, a watching recorder stores and indexes new sessions and reports each change."""
    _write(tmp_path / "client", "first", "1" * 8 + "-0000-4000-8000-" + "0" * 12)
    recorder, stop, changed = _recorder(tmp_path), Stop(), threading.Event()
    found: list[str] = []

    def look() -> None:
        found[:] = _titles(tmp_path / "vault")
        if len(found) == 2:
            changed.set()

    with recorder.indexing() as indexing:
        recorder.first_pass(indexing)
        recorder.end_pass()
        watching = threading.Thread(target=recorder.watch, args=(indexing, stop), kwargs={"changed": look})
        watching.start()
        time.sleep(0.1)
        _write(tmp_path / "client", "second", "2" * 8 + "-0000-4000-8000-" + "0" * 12)
        assert changed.wait(30)
        stop.set()
        watching.join(30)
    assert not watching.is_alive()
    assert found == ["first", "second"]


def test_the_index_has_one_writer(tmp_path):
    """A second recorder still stores sessions, and knows that the first one writes the index."""
    _write(tmp_path / "client", "words")
    first, second = _recorder(tmp_path), _recorder(tmp_path)
    with first.indexing() as ours, second.indexing() as theirs:
        assert (ours.is_ours, theirs.is_ours) == (True, False)
        report = second.first_pass(theirs)
        second.end_pass()
        assert report.new == 1
        ours.catch_up()
    assert _titles(tmp_path / "vault") == ["words"]


def test_the_writer_indexes_what_another_process_kept_first(tmp_path):
    """The process that writes the index reads a new line at its next look, even if another process stored it."""
    path = _write(tmp_path / "client", "first")
    first, second = _recorder(tmp_path), _recorder(tmp_path)
    with first.indexing() as ours, second.indexing() as theirs:
        for recorder, indexing in ((first, ours), (second, theirs)):
            recorder.first_pass(indexing)
            recorder.end_pass()
        session = Session()
        session.user("first")
        session.title("another title")
        path.write_bytes(bytes(session))
        syncing = second._syncing
        assert syncing is not None
        assert syncing.look(path).grown == 1
        watching = first._syncing
        assert watching is not None
        report = watching.look(path)
        assert not report.conversations
        ours.take(report.looked_at)
    assert _titles(tmp_path / "vault") == ["another title"]


def test_what_another_process_kept_is_not_compared(tmp_path, monkeypatch):
    """For a source that another process recorded, a look reads the note of that process and not the whole stream."""
    path = _write(tmp_path / "client", "first")
    first, second = _recorder(tmp_path), _recorder(tmp_path)
    with first.indexing() as ours, second.indexing() as theirs:
        for recorder, indexing in ((first, ours), (second, theirs)):
            recorder.first_pass(indexing)
            recorder.end_pass()
        compared: list[object] = []
        monkeypatch.setattr("chorus.keep.sources.stream.compare", lambda *all_of_it: compared.append(all_of_it))
        session = Session()
        session.user("first")
        for n in range(4):
            session.user(f"word {n}")
            path.write_bytes(bytes(session))
            for recorder in (first, second) if n % 2 else (second, first):
                assert recorder._syncing is not None
                recorder._syncing.look(path)
    assert not compared


def test_the_index_is_taken_over_with_the_next_line(tmp_path):
    """When the process that wrote the index has ended, the other one writes it from its next line on."""
    path = _write(tmp_path / "client", "first")
    first, second = _recorder(tmp_path), _recorder(tmp_path)
    # The second recorder starts first, so it writes the index.
    with second.indexing() as theirs, first.indexing() as ours:
        assert not ours.is_ours
        first.first_pass(ours)
        first.end_pass()
        theirs.__exit__()
        session = Session()
        session.user("first")
        session.title("another title")
        path.write_bytes(bytes(session))
        assert first._syncing is not None
        ours.take(first._syncing.look(path).looked_at)
        assert ours.is_ours
    assert _titles(tmp_path / "vault") == ["another title"]


def test_what_is_wrong_with_the_index_stops_nothing(tmp_path):
    """An index that cannot be written is reported with advice, and the sessions are stored."""
    _write(tmp_path / "client", "words")
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "index").write_text("in the way")
    said: list[str] = []
    recorder = _recorder(tmp_path, said.append)
    with recorder.indexing() as indexing:
        report = recorder.first_pass(indexing)
        recorder.end_pass()
    assert report.new == 1
    assert said and "`chorus index` tries again" in said[0]
