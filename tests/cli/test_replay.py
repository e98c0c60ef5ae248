"""Tests of `chorus replay` at a terminal, in a pipe, and as an asciicast that the real asciinema plays."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from chorus.cli.replay_keys import split
from chorus.testing.builders import Session, tool_use
from chorus.testing.builders.lines import Clock
from tests.cli.at_a_terminal import at_a_terminal
from tests.cli.commands import run, run_process

HOSTILE = "\x1b]0;owned\x07\x1b[2J\u202etxt\x9b31m"
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
OURS = re.compile(r"\x1b\[(?:[0-9;]*m|2J|H|K|r|[0-9]+;[0-9]+[Hr])")
"""The escape sequences that a replay may write: colours, and those that place and clear lines."""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A session with hostile text, an edit, a failed command, an answer, a long pause and a second prompt."""
    session = Session(clock=Clock("2026-03-01T10:00:00.000Z"))
    session.user(f"Please fix the parser {HOSTILE}")
    session.assistant(
        f"I will edit it. {HOSTILE}", tool_use("Edit", {"file_path": f"/w/{HOSTILE}.py"}, id="t1"), stop="tool_use"
    )
    session.tool_result("t1", HOSTILE)
    session.assistant(tool_use("Bash", {"command": f"make {HOSTILE}"}, id="t2"), stop="tool_use")
    session.tool_result("t2", f"it failed {HOSTILE}", is_error=True)
    session.assistant("Done with it.", stop="end_turn")
    session.user("Thanks a lot", timestamp="2026-03-01T11:30:00.000Z")
    path = tmp_path / f"{session.id}.jsonl"
    path.write_bytes(bytes(session))
    return path


def _events(path: Path) -> tuple[dict[str, Any], list[list[Any]]]:
    header, *events = map(json.loads, path.read_text("utf-8").splitlines())
    return header, events


def test_a_pipe_gets_the_rows_with_their_times(source: Path) -> None:
    """A pipe gets the rows with their times and without waiting, and `--to` ends them at a moment."""
    whole = run_process("replay", source)
    until = run_process("replay", source, "--to", "0:02")

    text = whole.stdout.decode()
    assert whole.returncode == 0 and "[0:00]" in text and "[1:30:00]" in text and "Thanks a lot" in text
    assert "\x1b" not in text and "\u202e" not in text
    assert "Thanks a lot" not in until.stdout.decode() and "Please fix" in until.stdout.decode()
    assert run_process("replay", "-", given=source.read_bytes()).stdout.decode() == text


@pytest.mark.parametrize("width", [40, 80, 160])
def test_rows_fit_any_width(source: Path, width: int) -> None:
    """No line is wider than `--width`."""
    lines = run("replay", source, "--width", width).stdout.splitlines()

    assert max(map(cell_len, lines)) <= width


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--from", "2020-01-01"], "has no moment 2020-01-01: it lasts from 2026-03-01T10:00"),
        (["--to", "nonsense"], "has no moment nonsense"),
        (["--from", "1:00", "--to", "0:00"], "--to is before --from"),
    ],
)
def test_a_moment_that_is_not_there_is_one_line(source: Path, options: list[str], words: str) -> None:
    """The error says what is missing, and nothing is written."""
    cast = source.with_name("x.cast")
    done = run_process("replay", source, *options, "--cast", cast)

    assert done.returncode != 0 and words in done.stderr.decode() and b"Traceback" not in done.stderr
    assert not cast.exists() and [each.name for each in source.parent.iterdir()] == [source.name]


def test_the_part_that_is_there_begins_with_the_first_time(tmp_path: Path) -> None:
    """The error about a missing moment names the first time also if records without a time come before it."""
    session = Session(clock=Clock("2026-03-01T10:00:00.000Z"))
    session.fact("permission-mode", permissionMode="plan")
    session.user("hello")
    path = tmp_path / f"{session.id}.jsonl"
    path.write_bytes(bytes(session))
    done = run_process("replay", path, "--from", "2020-01-01")

    assert b"it lasts from 2026-03-01T10:00:00.000Z to 2026-03-01T10:00:00.000Z (UTC)" in done.stderr


def test_sources_without_a_conversation_are_one_line(tmp_path: Path) -> None:
    """An empty file, a missing file and a folder without sessions each give one line of error."""
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    for name in (empty, tmp_path / "missing.jsonl", tmp_path):
        done = run_process("replay", name)
        assert done.returncode != 0 and len(done.stderr.decode().splitlines()) == 1, done.stderr


def test_an_asciicast_has_times_marks_and_no_sequence_of_the_transcript(source: Path) -> None:
    """The times never decrease, a long pause is short, and only Chorus' own escape sequences are in the file."""
    cast = source.with_name("x.cast")
    done = run_process("replay", source, "--cast", cast, "--width", "80", "--height", "24")
    header, events = _events(cast)

    assert done.returncode == 0, done.stderr
    assert (header["version"], header["width"], header["height"]) == (2, 80, 24)
    times = [event[0] for event in events]
    assert times == sorted(times) and times[-1] < 60
    assert [event[2] for event in events if event[1] == "m"][-1] == "prompt: Thanks a lot"
    output = "".join(str(event[2]) for event in events if event[1] == "o")
    assert "\x1b" not in OURS.sub("", output)
    assert not {"\x07", "\x9b", "\u202e"} & set(cast.read_text("utf-8"))
    assert "pause of 1h" in output


def test_an_asciicast_is_not_written_over_a_file(source: Path) -> None:
    """A file is replaced only with --force, and a missing folder gives one line and leaves nothing."""
    cast = source.with_name("x.cast")
    cast.write_text("mine")
    refused = run_process("replay", source, "--cast", cast)

    assert refused.returncode != 0 and b"--force" in refused.stderr and cast.read_text() == "mine"
    assert run_process("replay", source, "--cast", cast, "--force").returncode == 0
    assert _events(cast)[0]["version"] == 2
    nowhere = run_process("replay", source, "--cast", source.parent / "no" / "x.cast")
    assert nowhere.returncode != 0 and b"nothing was left behind" in nowhere.stderr


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_an_asciicast_takes_no_place_of_a_pipe(source: Path) -> None:
    """A pipe or a device stays what it is, also with --force."""
    pipe = source.with_name("pipe")
    os.mkfifo(pipe)
    refused = run_process("replay", source, "--cast", pipe, "--force")

    assert refused.returncode == 2 and b"a pipe or a device is not replaced" in refused.stderr and pipe.is_fifo()


def test_a_full_disk_leaves_nothing_half_written(small_disk: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The error says what happened, and no file is left."""
    session = Session()
    for number in range(3_000):
        session.user(f"prompt {number} " + "words " * 60)
    path = tmp_path_factory.mktemp("sessions") / f"{session.id}.jsonl"
    path.write_bytes(bytes(session))
    done = run_process("replay", path, "--cast", small_disk / "x.cast", "--speed", "64")

    assert done.returncode != 0 and b"No space left" in done.stderr and b"Traceback" not in done.stderr
    assert [each.name for each in small_disk.iterdir() if each.name != "lost+found"] == []


@pytest.mark.skipif(importlib.util.find_spec("asciinema") is None, reason="asciinema is not installed")
def test_the_real_asciinema_plays_it(source: Path) -> None:
    """Asciinema accepts the file and plays it to the last row."""
    cast = source.with_name("x.cast")
    assert run_process("replay", source, "--cast", cast, "--speed", "64").returncode == 0
    played = subprocess.run(
        [sys.executable, "-m", "asciinema", "play", "-s", "1000", str(cast)],
        capture_output=True,
        timeout=60,
        check=False,
    )
    whole = subprocess.run(
        [sys.executable, "-m", "asciinema", "cat", str(cast)], capture_output=True, timeout=60, check=False
    )

    assert played.returncode == 0 and whole.returncode == 0, (played.stderr, whole.stderr)
    assert b"Thanks a lot" in played.stdout and b"Thanks a lot" in whole.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="this system has no pseudo-terminals")
def test_a_person_plays_it_with_keys(source: Path) -> None:
    """Space pauses, ] goes to the next mark, p to a prompt, . to a row, ← back; escape closes the help, q ends."""
    code, seen = at_a_terminal(
        "replay",
        source,
        "--speed",
        "0.5",
        typed=[
            ("▶", b" "),
            ("⏸", b"]"),
            ("Edit", b"?"),
            ("5 seconds back", b"\x1b"),
            ("Edit", b"p"),
            ("Thanks a lot", b"\x1b[D"),
            ("0:03", b"."),
            ("make", b"q"),
        ],
        kind="xterm-256color",
    )

    assert code == 0, seen
    assert seen.startswith("\x1b[?1049h\x1b[?25l") and "\x1b[?25h\x1b[?1049l" in seen
    assert "\x1b]0;owned" not in seen and "\u202e" not in seen


@pytest.mark.parametrize(
    ("sent", "keys"),
    [
        ("\x1b[H\x1b[F", ["home", "end"]),
        ("\x1b[1~\x1b[4~", ["home", "end"]),
        ("\x1b[7~\x1b[8~", ["home", "end"]),
        ("\x1bOH\x1bOF", ["home", "end"]),
        ("\x1b[C\x1bOD\x1b[5~q", ["right", "left", "q"]),
    ],
)
def test_keys_of_many_terminals_are_known(sent: str, keys: list[str]) -> None:
    """Home and end are what xterm, tmux, rxvt and the console send for them, and unknown keys do nothing."""
    assert split(sent) == keys
