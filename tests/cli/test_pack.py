"""Tests of `chorus pack` and `chorus unpack`, as a person uses them."""

import os
from pathlib import Path

import pytest

from tests.cli.commands import run, run_json, run_process
from tests.support.keeping import SESSION, client_folder, files


@pytest.fixture
def config(tmp_path, monkeypatch):
    """A client's folder, recorded by `chorus sync`, with an empty folder as the current folder."""
    config = tmp_path / "claude"
    client_folder(config)
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(config))
    assert run("sync").exit_code == 0
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return config


def test_a_pack_and_back(config, tmp_path):
    """A conversation is packed by eight characters of its id and unpacked for another folder with all its files."""
    outcome = run("pack", SESSION[:8])
    name = f"{SESSION}.pack.tar.zst"
    assert outcome.exit_code == 0, outcome.stderr
    assert outcome.stdout.startswith(f"{name}: 6 files, ")
    assert outcome.stdout.endswith(f"; continue elsewhere with: chorus unpack {name} --as DIR\n")

    (tmp_path / "work").mkdir()
    planned = run("unpack", name, "--as", tmp_path / "work", "--into", tmp_path / "other", "--dry-run")
    assert planned.exit_code == 0 and "6 files would be written; nothing was." in planned.stdout
    assert not (tmp_path / "other").exists()

    done = run("unpack", name, "--as", tmp_path / "work", "--into", tmp_path / "other")
    assert done.exit_code == 0 and done.stdout.count("written    /") == 6 == len(files(tmp_path / "other"))
    assert "rewritten  working folder: " in done.stdout
    assert f"claude --resume {SESSION}" in " ".join(done.stdout.split())
    shown = run("show", tmp_path / "other")
    assert "hello" in shown.stdout


def test_json(config, tmp_path):
    """--json prints one documented object in both commands."""
    packed = run_json("pack", SESSION, "-o", "it")
    assert list(packed) == ["path", "bytes", "session", "project", "files", "left_out", "grown", "needs_large"]
    unpacked = run_json("unpack", "it", "--as", ".", "--into", tmp_path / "other")
    keys = [
        "session",
        "config_dir",
        "dry_run",
        "files",
        "rewritten",
        "outside",
        "unread",
        "left_out",
        "elsewhere",
        "resume",
    ]
    assert list(unpacked) == keys
    assert unpacked["resume"].endswith(f"CLAUDE_CONFIG_DIR={tmp_path / 'other'} claude --resume {SESSION}")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pack_takes_no_place_of_a_pipe(config):
    """A pipe or a device stays what it is, also with --force."""
    os.mkfifo("pipe")
    outcome = run_process("pack", SESSION, "-o", "pipe", "--force")

    assert outcome.returncode == 2 and b"a pipe or a device is not replaced" in outcome.stderr
    assert Path("pipe").is_fifo()


def test_the_same_session_in_another_project_is_named(config, tmp_path):
    """If the session is unpacked beside the original, a line says that both have the same id."""
    assert run("pack", SESSION, "-o", "it").exit_code == 0
    outcome = run("unpack", "it", "--as", ".", "--force")

    assert outcome.exit_code == 0 and "is a session with the same id" in outcome.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["pack", "ffffffff"],
        ["pack", SESSION, "-o", "nowhere/below/a/file/it"],
        ["unpack", "missing", "--as", "."],
        ["unpack", "it", "--as", "missing"],
        ["unpack", "it"],
        ["unpack", "text", "--as", "."],
        ["unpack", ".", "--as", "."],
        ["unpack", "pipe", "--as", "."],
        ["unpack", "it", "--as", ".", "--into", "text"],
    ],
)
def test_what_cannot_be_done_is_one_line(config, tmp_path, arguments):
    """An unknown id, a missing or foreign file and a missing folder each give one line and exit code 2.

    Nothing is written.
    """
    import os

    here = tmp_path / "here"
    assert run("pack", SESSION, "-o", "it").exit_code == 0
    (here / "text").write_bytes(b"text")
    (here / "nowhere").write_bytes(b"a file")
    os.mkfifo(here / "pipe")
    before = {path: path.read_bytes() for path in files(tmp_path) if path.is_file()}
    outcome = run_process(*arguments)

    assert (outcome.returncode, outcome.stdout) == (2, b"") and outcome.stderr.count(b"\n") == 1, outcome.stderr
    assert {path: path.read_bytes() for path in files(tmp_path) if path.is_file()} == before


def test_names_steer_no_terminal(config, tmp_path):
    """Control characters in the name of a folder are escaped."""
    run("pack", SESSION, "-o", "it")
    outcome = run("unpack", "it", "--as", ".", "--into", tmp_path / "a\x1b[31mb")

    assert outcome.exit_code == 0 and "\x1b" not in outcome.stdout and "\\x1b[31m" in outcome.stdout
