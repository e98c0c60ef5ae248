"""Tests of the progress bar of long commands."""

import pytest

from chorus.cli import progress as bars
from chorus.cli.progress import progress
from tests.cli.test_table import Terminal


@pytest.mark.parametrize("done", [0, 1_500_000, 2_000_000])
def test_a_bar_is_full_when_the_work_is_done(tmp_path, monkeypatch, done):
    """The last state of a bar is 100 %, also if less than the size of the files was to be counted."""
    file = tmp_path / "long.jsonl"
    file.write_bytes(b"x" * 2_000_000)
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr(bars, "LONG_BYTES", 1_000_000)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "100")
    with progress("Verifying", [str(file)]) as advance:
        advance(done)
        assert "2.0/2.0 MB" not in screen.getvalue() or done == 2_000_000

    assert "2.0/2.0 MB" in screen.getvalue()


def test_work_that_is_stopped_does_not_look_done(tmp_path, monkeypatch):
    """A bar stays where it is if the work ends with an error or with Ctrl-C."""
    file = tmp_path / "long.jsonl"
    file.write_bytes(b"x" * 2_000_000)
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr(bars, "LONG_BYTES", 1_000_000)
    monkeypatch.setenv("TERM", "xterm-256color")

    def stopped():
        with progress("Verifying", [str(file)]) as advance:
            advance(500_000)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()

    assert "Verifying" in screen.getvalue() and "2.0/2.0 MB" not in screen.getvalue()
