"""Tests of failures before a run begins, and of their messages."""

import json
import os
import threading
import time

import pytest

from chorus.errors import ChorusError
from chorus.steer.runs.starting import find_client, version_of
from tests.support.running import program, until


def test_a_client_that_is_not_there_is_said_with_the_way_out(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(ChorusError, match="no `claude` on PATH: install Claude Code"):
        find_client()
    with pytest.raises(ChorusError, match="nothing/here: no program"):
        find_client("nothing/here")


def test_a_client_is_found_on_the_path(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))

    assert program(tmp_path / "claude", "") == find_client()


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        ("print('1.0.128 (Claude Code)')", "is 1.0.128, and Chorus runs 2.1.211 or newer: run `claude update`"),
        ("print('hello')", r"does not say its version \(hello\); is it Claude Code\?"),
        ("raise SystemExit('broken')", r"does not say its version \(broken\)"),
    ],
)
def test_a_client_that_is_too_old_or_none_is_refused(tmp_path, printed, words):
    with pytest.raises(ChorusError, match=words):
        version_of(program(tmp_path / "claude", printed))


def test_a_workspace_that_is_gone_starts_nothing(place, tmp_path):
    client = program(tmp_path / "claude", "")
    place.work.rmdir()

    with pytest.raises(ChorusError, match="the workspace is gone"):
        place.start(client)
    assert list(place.runs) == []


def test_a_client_that_cannot_be_started_is_said(place, tmp_path):
    """If the client is not an executable program, the run ends at once with the reason."""
    broken = tmp_path / "claude"
    broken.write_text("no program")
    broken.chmod(0o755)

    folder = place.start(str(broken))

    ending = until(lambda: folder.read().ending)
    assert ending.is_failure
    assert "could not be started" in ending.words and "Exec format error" in ending.words


def test_a_vault_of_a_newer_chorus_starts_nothing(place, tmp_path):
    """With a vault of a newer format, no run starts and the error comes before the client is called."""
    place.home.mkdir()
    (place.home / "vault.json").write_text('{"format": 99}')
    client = program(tmp_path / "claude", f"open({str(tmp_path / 'called')!r}, 'w')")

    with pytest.raises(ChorusError, match=r"format 99.*upgrade Chorus"):
        place.start(client)
    assert list(place.runs) == []
    assert not (tmp_path / "called").exists()


def test_a_holder_that_dies_at_once_leaves_its_last_words(place):
    """If the holder dies at once, its log is removed with the run, so the error contains its last message."""
    with pytest.raises(ChorusError, match=r"the holder died at once: .*null byte"):
        place.start("cla\0ude")
    assert list(place.runs) == []


def test_whoever_looks_at_a_run_does_not_keep_it_from_starting(place, tmp_path, monkeypatch):
    """A reader tries the lock to see whether a holder lives, and a holder that starts at that moment waits for it."""
    folder = place.runs.new()
    monkeypatch.setattr(place.runs, "new", lambda: folder)
    folder.path.mkdir(parents=True)
    lock = folder.hold()
    assert lock is not None

    def let_go():
        time.sleep(0.5)
        os.close(lock)

    looking = threading.Thread(target=let_go)
    looking.start()
    try:
        started = place.start(program(tmp_path / "claude", ""))
    finally:
        looking.join()

    until(lambda: started.read().ending)


def test_a_client_that_is_asked_for_its_version_gets_no_more_of_the_environment(tmp_path, monkeypatch):
    """The call for the version gets the same restricted environment as a run, because it is the same program."""
    for name in ("NODE_OPTIONS", "SECRET"):
        monkeypatch.setenv(name, "1")
    body = f"""
import json, os
open({str(tmp_path / "env")!r}, "w").write(json.dumps(dict(os.environ)))
print("2.1.300 (Claude Code)")
"""
    version_of(program(tmp_path / "claude", body))

    found = json.loads((tmp_path / "env").read_text())
    assert "PATH" in found and not {"NODE_OPTIONS", "SECRET"} & found.keys()
