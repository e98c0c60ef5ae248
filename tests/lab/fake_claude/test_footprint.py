"""Tests of the files that a stand-in writes if it is asked to."""

import json

import pytest

from chorus.testing.builders import Run, Session, encode_all
from tests.lab.fake_claude.calling import ASKING, STREAM, Caller, answer, call, executable, prompt
from tests.lab.fake_claude.plays import asked_turn


@pytest.fixture
def home(tmp_path):
    """The client's folder for this test."""
    return tmp_path / "claude home"


def records(home):
    """Returns the path and the records of the one session file."""
    (path,) = home.glob("projects/*/*.jsonl")
    return path, [json.loads(raw) for raw in path.read_bytes().splitlines()]


def test_the_session_file_grows_with_what_is_said(tmp_path, home):
    """Prompts, messages and results are written as a chain in the form of a session file; other output is not."""
    run, _ = asked_turn()
    (tmp_path / "run.jsonl").write_bytes(bytes(run))
    claude = executable(tmp_path, tmp_path / "run.jsonl", write_session=True)

    with Caller(claude, *ASKING, CLAUDE_CONFIG_DIR=str(home)) as caller:
        caller.send(prompt("go"))
        asked = caller.hear_until("control_request")[-1]
        (entry,) = home.glob("sessions/*.json")
        while (status := json.loads(entry.read_bytes()))["status"] != "waiting":
            pass
        caller.send(answer(asked, behavior="deny", message="no"))
        caller.close()

    path, lines = records(home)
    assert status["pid"] == caller.process.pid and status["waitingFor"] == "permission prompt"
    assert list(home.glob("sessions/*")) == []
    assert path.stem == run.id
    assert [line["type"] for line in lines] == ["user", "assistant", "user", "assistant"]
    assert [line["parentUuid"] for line in lines] == [None, *[line["uuid"] for line in lines[:-1]]]
    assert lines[2]["toolUseResult"] == "Error: no"


def test_a_folder_that_cannot_be_written_is_said(tmp_path):
    """If no session file can be written, one line says so and nothing is played."""
    (tmp_path / "run.jsonl").write_bytes(bytes(asked_turn()[0]))
    (tmp_path / "in the way").write_text("a file")
    claude = executable(tmp_path, tmp_path / "run.jsonl", write_session=True)

    outcome = call(claude, "-p", "x", env={"CLAUDE_CONFIG_DIR": str(tmp_path / "in the way"), "PATH": "/usr/bin:/bin"})

    assert outcome.returncode == 2 and outcome.stdout == b""
    assert outcome.stderr.startswith(b"fake-claude: ") and outcome.stderr.count(b"\n") == 1


def test_a_recorded_session_file_is_written_again(tmp_path, home):
    """A recorded session file is written byte for byte, but only if the stand-in is asked to."""
    run, session = Run(), Session(Run().id)
    session.user("Hi")
    session.assistant("Hello.", stop="end_turn")
    run.init()
    run.assistant("Hello.", uuid=session.lines[-1]["uuid"])
    run.result("Hello.")
    folder = tmp_path / "recorded"
    kept = folder / "home/.claude/projects/-w" / f"{run.id}.jsonl"
    kept.parent.mkdir(parents=True)
    kept.write_bytes(bytes(session) + encode_all([{"type": "cost-state"}]))
    (folder / "run.jsonl").write_bytes(bytes(run))
    environment = {"CLAUDE_CONFIG_DIR": str(home), "PATH": "/usr/bin:/bin"}

    call(executable(tmp_path, folder), "-p", "x", *STREAM, env=environment)
    assert not home.exists()
    call(executable(tmp_path, folder, write_session=True), "-p", "x", *STREAM, env=environment)

    path, _ = records(home)
    assert path.read_bytes() == kept.read_bytes()
