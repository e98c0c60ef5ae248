"""Tests of the line that shows the progress of a server's first pass."""

import io

from chorus.cli.first_pass import FirstPass
from chorus.show.server.live.progress import ProgressSnapshot
from tests.cli.at_a_terminal import at_a_terminal
from tests.cli.test_table import Terminal

MB = 1_000_000


def described(*standings, **settings):
    """Returns the output that a terminal gets."""
    terminal = Terminal()
    line = FirstPass(terminal, **settings)
    line.begin()
    for standing in standings:
        line.tell(standing)
    line.end()
    return terminal.getvalue()


def recording(done, total=10):
    return ProgressSnapshot(state="keeping", done_bytes=int(done * MB), total_bytes=total * MB)


def test_from_the_first_moment_to_the_last(monkeypatch):
    """One line is drawn again and again, and at the end it says that everything is recorded."""
    monkeypatch.setenv("COLUMNS", "80")
    watching = ProgressSnapshot(state="watching", total_bytes=10 * MB)
    drawn = described(ProgressSnapshot(), recording(0), recording(5), recording(5), watching)
    lines = drawn.split("\r\x1b[K")

    assert lines[:2] == ["", "Looking for sessions"] and len(lines) == 5
    assert "  0 %  0 bytes of 10.0 MB" in lines[2]
    assert f"{'━' * 12}{'─' * 12}  50 %  5.0 MB of 10.0 MB" in lines[3]
    assert lines[4] == "Recorded  10.0 MB; new sessions are recorded while they are written.\n"


def test_nothing_is_drawn_before_the_link_or_after_the_end(monkeypatch):
    """The line is not drawn before the link. A failed pass says why, and a server that ends clears the line."""
    monkeypatch.setenv("COLUMNS", "80")
    early, terminal = FirstPass(Terminal()), Terminal()
    early.tell(recording(5))
    early.end()
    late = FirstPass(terminal)
    late.begin()
    late.tell(ProgressSnapshot(state="failed", trouble="no room\x1b[31m left"))
    late.tell(recording(6))

    assert terminal.getvalue() == "chorus: no room\\x1b[31m left\n"
    assert described(recording(5)).endswith("\r\x1b[K")


def test_a_narrow_or_dumb_terminal(monkeypatch):
    """The line fits the width, and a dumb terminal gets a new line for every ten percent."""
    monkeypatch.setenv("COLUMNS", "30")
    assert all(len(line) < 30 for line in described(recording(3)).split("\r\x1b[K"))

    plain = described(*(recording(done / 10) for done in range(101)), is_dumb=True)
    assert plain.splitlines() == [f"Recording {percent} %" for percent in range(0, 101, 10)]


def test_a_pipe_gets_nothing():
    """The line is not drawn into a pipe."""
    pipe = io.StringIO()
    line = FirstPass(pipe)
    line.begin()
    line.tell(recording(5))
    line.end()

    assert pipe.getvalue() == ""


def test_a_person_sees_it(tmp_path):
    """`chorus serve` at a terminal shows the progress below the link and says when everything is recorded."""
    folder = tmp_path / "client" / "projects" / "-p"
    folder.mkdir(parents=True)
    for number in range(3):
        (folder / f"{number}.jsonl").write_text('{"type":"user","message":{"role":"user","content":"hi"}}\n' * 1000)
    environment = {
        "CHORUS_HOME": str(tmp_path / "home"),
        "CLAUDE_CONFIG_DIR": str(tmp_path / "client"),
        "COLUMNS": "80",
    }
    typed = [("are recorded while they are written", b"\x03")]
    code, seen = at_a_terminal("serve", "--port", "0", "--no-open", environment=environment, typed=typed, kind="xterm")

    assert code == 0 and seen.index("Ctrl-C ends it.") < seen.index(" %  ") < seen.index("\x1b[KRecorded  1")
    assert seen.rstrip().endswith("Ended.")
