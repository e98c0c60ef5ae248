"""What can go wrong before a run begins, and what is said about it."""

import pytest

from chorus.errors import ChorusError
from chorus.holding.starting import find_client, version_of
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
    """A file that is no program: the run ends at once, and says why."""
    broken = tmp_path / "claude"
    broken.write_text("no program")
    broken.chmod(0o755)

    folder = place.start(str(broken))

    ending = until(lambda: folder.read().ending)
    assert ending.is_failure
    assert "could not be started" in ending.words and "Exec format error" in ending.words
