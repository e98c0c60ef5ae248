"""Tests of recordings on disk."""

import pytest

from chorus.errors import SourceUnreadable
from chorus.lab.fake_claude.files import load
from chorus.testing.builders import Run, Session, encode_all
from tests.lab.fake_claude.calling import prompt


def said():
    run = Run()
    run.init()
    run.result()
    return bytes(run)


def test_a_folder_brings_all_that_was_kept_of_a_run(tmp_path):
    """Times, input, command line, standard error, exit code and session file are found beside the output."""
    (tmp_path / "go.jsonl").write_bytes(said())
    (tmp_path / "go.times").write_text("10.5\nnan\n")
    (tmp_path / "go.stdin.jsonl").write_bytes(encode_all([prompt("hi")]))
    (tmp_path / "go.cmd.json").write_text('["claude", "-p", "hi"]')
    (tmp_path / "go.stderr").write_bytes(b"oh\n")
    (tmp_path / "go.exit").write_text("3\n")
    (tmp_path / "hooks.jsonl").write_text("{}\n")
    session = Session(Run().id)
    session.user("hi")
    kept = tmp_path / "home/.claude/projects/-w" / f"{session.id}.jsonl"
    kept.parent.mkdir(parents=True)
    kept.write_bytes(bytes(session))

    (recording,) = load(tmp_path)

    assert (recording.name, recording.times, recording.code) == ("go", [10.5, None], 3)
    assert (recording.arguments, recording.stderr) == (["-p", "hi"], b"oh\n")
    assert [line.kind for line in recording.sent] == ["user"]
    assert b"".join(line.raw for line in recording.session) == bytes(session)


def test_a_file_alone_is_enough(tmp_path):
    """A single file of output is a recording without input, with times from its timestamps."""
    path = tmp_path / "run.jsonl"
    path.write_bytes(said())

    (recording,) = load(path)

    assert b"".join(line.raw for line in recording.lines) == said()
    assert (recording.sent, recording.arguments, recording.code) == ([], None, None)


def test_runs_of_a_folder_come_in_the_order_of_their_times(tmp_path):
    """Runs are sorted by their recorded times, and a file name may also end in `.stdout`."""
    for name, time in (("a.jsonl", "20"), ("b.stdout.jsonl", "10")):
        (tmp_path / name).write_bytes(said())
        (tmp_path / f"{name[0]}.times").write_text(f"{time}\n{time}\n")

    assert [recording.name for recording in load(tmp_path)] == ["b", "a"]


@pytest.mark.parametrize("data", [b"", b"\xff\xfe\x00", b"[1,2", b"[" * 100_000, b"null", b"1e999"])
def test_damaged_files_beside_a_run_are_no_error(tmp_path, data):
    """Times, command line or exit code that cannot be read count as unknown."""
    (tmp_path / "go.jsonl").write_bytes(said())
    for end in (".times", ".cmd.json", ".exit", ".stdin.jsonl"):
        (tmp_path / f"go{end}").write_bytes(data)

    (recording,) = load(tmp_path)

    assert (recording.arguments, recording.code) == (None, None)
    assert len(recording.lines) == 2


def test_what_is_not_there_is_said(tmp_path):
    """A missing path and a folder without recordings give error messages."""
    with pytest.raises(SourceUnreadable, match="No such file"):
        load(tmp_path / "missing")
    with pytest.raises(SourceUnreadable, match="contains no recording"):
        load(tmp_path)
