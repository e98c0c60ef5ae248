"""Tests of `chorus fake-claude`, from the command line to a running stand-in."""

import subprocess

import pytest

from chorus.testing.builders import Run, Session, lay_out
from tests.cli.commands import run, run_process


@pytest.fixture
def recording(tmp_path):
    told = Run()
    told.init()
    told.assistant("Hello.")
    told.result("Hello.")
    path = tmp_path / "run.jsonl"
    path.write_bytes(bytes(told))
    return path


def test_what_follows_the_dashes_is_the_clients(recording):
    """Options before -- belong to Chorus, options after it to the client, and the exit code is that of the client."""
    played = run_process("fake-claude", "--at-once", recording, "--", "-p", "x")
    refused = run_process("fake-claude", "--at-once", recording, "--", "-p", "x", "--nonsense")

    assert (played.stdout, played.stderr, played.returncode) == (b"Hello.\n", b"", 0)
    assert (refused.stdout, refused.stderr, refused.returncode) == (b"", b"error: unknown option '--nonsense'\n", 1)


def test_an_executable_is_installed(tmp_path, recording):
    """--install writes a program that plays the recording with these settings, and refuses the client's arguments."""
    claude = tmp_path / "bin" / "claude"

    outcome = run("fake-claude", "--install", claude, "--speed", "0", "--strict", recording)

    assert outcome.exit_code == 0 and str(claude) in outcome.output
    played = subprocess.run([claude, "-p", "x"], capture_output=True, timeout=60, check=False)
    assert (played.stdout, played.returncode) == (b"Hello.\n", 0)
    assert run_process("fake-claude", "--install", claude, recording, "--", "-p").returncode == 2


def test_what_somebody_else_wrote_is_not_overwritten(tmp_path, recording):
    """An existing file is not overwritten, and one line says so."""
    other = tmp_path / "claude"
    other.write_text("mine")

    outcome = run_process("fake-claude", "--install", other, recording)

    assert outcome.returncode == 2 and other.read_text() == "mine"
    assert outcome.stderr.count(b"\n") == 1 and b"choose another path" in outcome.stderr


@pytest.mark.parametrize("arguments", [["--speed", "-1"], ["--longest-gap", "x"]])
def test_wrong_settings_are_refused(recording, arguments):
    """A negative speed and a gap that is not a number are refused."""
    assert run_process("fake-claude", *arguments, recording).returncode == 2


def test_a_kept_conversation_is_played_by_its_id(tmp_path):
    """The beginning of the id is enough, and the vault stays unchanged."""
    session = Session()
    session.user("hello")
    session.assistant("And hello to you.", stop="end_turn")
    lay_out(tmp_path / "client", session)
    home = tmp_path / "home"
    assert run_process("sync", tmp_path / "client", "--vault", home).returncode == 0
    played = run_process("fake-claude", "--at-once", "--vault", home, session.id[:8], "--", "-p", "hello")

    assert (played.stdout, played.returncode) == (b"And hello to you.\n", 0)
    assert run_process("verify", "--vault", home).returncode == 0
    assert run_process("fake-claude", "--vault", home, "ffffffff").returncode != 0
