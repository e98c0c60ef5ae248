"""Tests of `chorus restore`, as a person uses it."""

import json
import sys

import pytest

from tests.cli.commands import run, run_json, run_process
from tests.support.keeping import SESSION, client_folder, files, remove

SOCKET_GUARD = """
import sys

def watch(event, _details):
    if event.startswith("socket."):
        raise SystemExit(f"{event}: the network is none of its business")

sys.addaudithook(watch)
from chorus.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def config(tmp_path, monkeypatch):
    """A client's folder, recorded by `chorus sync`, and a Chorus home."""
    config = tmp_path / "claude"
    client_folder(config)
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(config))
    assert run("sync").exit_code == 0
    return config


def kept_files(config):
    """Returns the files of a session without a slug.

    Plans are left out, because it is unknown which plan is its own.
    """
    return {path: path.read_bytes() for path in files(config) if path.parent.name != "plans"}


def test_what_sync_kept_comes_back(config):
    """After a sync and a deletion, `restore` with eight characters of the id writes every byte again."""
    originals = kept_files(config)
    remove(originals)
    outcome = run("restore", SESSION[:8])

    assert outcome.exit_code == 0, outcome.stderr
    assert kept_files(config) == originals
    assert outcome.stdout.count("written  ") == len(originals)
    assert f"6 files; continue with: claude --resume {SESSION}\n" in outcome.stdout


def test_json(config, tmp_path):
    """--json lists the files, what was left out, and how to continue.

    For another folder, the command names the folder.
    """
    to = tmp_path / "to"
    found = run_json("restore", SESSION, "--to", to)

    assert list(found) == ["conversation", "session", "config_dir", "files", "left_out", "resume"]
    assert (found["session"], found["config_dir"], found["left_out"]) == (SESSION, str(to), [])
    assert {file["path"]: file["outcome"] for file in found["files"]} == dict.fromkeys(map(str, files(to)), "written")
    assert found["resume"].endswith(f"CLAUDE_CONFIG_DIR={to} claude --resume {SESSION}")


def test_a_different_file_is_refused(config):
    """A file that differs is refused in one line that says what to do.

    The exit code is 2, and the file is unchanged.
    """
    (session,) = config.rglob(f"{SESSION}.jsonl")
    session.write_bytes(b"other\n")
    outcome = run_process("restore", SESSION)

    assert (outcome.returncode, outcome.stdout) == (2, b"")
    assert outcome.stderr.count(b"\n") == 1 and b"pass --force" in outcome.stderr
    assert session.read_bytes() == b"other\n"
    assert run("restore", SESSION, "--force").exit_code == 0


def test_what_is_missing_is_said(config, tmp_path):
    """If the vault lost a side file, the rest is written, the loss is reported, and the exit code is 1."""
    for blob in files(tmp_path / "home" / "blobs"):
        if blob.read_bytes().startswith(b"long output"):
            blob.unlink()
    outcome = run("restore", SESSION, "--to", tmp_path / "to")

    assert outcome.exit_code == 1
    assert "not restored" in outcome.stderr and "b1.txt" in outcome.stderr
    assert len(files(tmp_path / "to")) == 5


@pytest.mark.parametrize("name", ["5f1", "ffffffff", "../../etc"])
def test_an_unknown_id_is_one_line(config, name):
    """A text that is too short, unknown or no id gives one line and exit code 2."""
    outcome = run_process("restore", name)

    assert outcome.returncode == 2 and outcome.stderr.count(b"\n") == 1


def test_names_steer_no_terminal(config, tmp_path):
    """Control characters in the name of a folder are escaped."""
    outcome = run("restore", SESSION, "--to", tmp_path / "a\x1b[31mb")

    assert outcome.exit_code == 0 and "\x1b" not in outcome.stdout and "\\x1b[31m" in outcome.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["sync"],
        ["list"],
        ["show", SESSION],
        ["restore", SESSION],
        ["pack", SESSION, "-o", "pack"],
        ["verify"],
        ["forget", SESSION, "--yes"],
    ],
)
def test_nothing_opens_a_socket(config, arguments, tmp_path, monkeypatch):
    """No command opens a socket, so there is no telemetry. Where tmux runs, `list` asks its servers on this machine."""
    import subprocess

    monkeypatch.setenv("TMUX_TMPDIR", str(tmp_path))
    call = [sys.executable, "-c", SOCKET_GUARD, *arguments]
    outcome = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)

    assert outcome.returncode == 0, outcome.stderr


def test_the_guard_sees_sockets():
    """The guard above ends a process that opens a socket."""
    import subprocess

    code = SOCKET_GUARD.partition("from chorus")[0] + "import socket; socket.socket()"
    outcome = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)

    assert outcome.returncode == 1 and "socket.__new__" in outcome.stderr


def test_a_revision_after_a_rewrite(config, tmp_path):
    """After a session file was rewritten and synced, the earlier revision can be restored."""
    (session,) = config.rglob(f"{SESSION}.jsonl")
    before = session.read_bytes()
    after = before.splitlines(keepends=True)[0] + b'{"type":"user","message":{"content":"rewritten"}}\n'
    session.write_bytes(after)
    assert json.loads(run("sync", "--json").stdout_bytes)["revised"] == 1
    run("restore", SESSION, "--to", tmp_path / "0", "--revision", "0")
    run("restore", SESSION, "--to", tmp_path / "1")

    assert [next((tmp_path / n).rglob(f"{SESSION}.jsonl")).read_bytes() for n in "01"] == [before, after]
