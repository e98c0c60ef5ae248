"""Tests of `chorus files`, which lists the files of a recorded conversation and their versions and restores them."""

import errno
import json
import os

import click
import pytest

from chorus.cli.main import cli
from chorus.errors import ChorusError
from chorus.testing.builders import Layout, Session, lay_out
from tests.cli.commands import run, run_json, run_process
from tests.cli.test_table import Terminal
from tests.core.file_versions.simulated_client import FOLDER, SimulatedClient


@pytest.fixture
def client(tmp_path, monkeypatch):
    """A client that changed three files. The fixture `keep` records its work."""
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "chorus"))
    client = SimulatedClient({"a.txt": b"one\r\ntwo\r\n", "b.txt": b"x\n"})
    client.edit("a.txt", "two", "zwei")
    client.write("new.txt", "hello\n")
    client.edit("a.txt", "one", "eins")
    return client


@pytest.fixture
def keep(client, tmp_path):
    """Returns a function that records the conversation in the vault and returns the beginning of its id."""

    def recorded():
        config = tmp_path / "claude"
        lay_out(config, client.session, Layout.BELOW)
        backups = config / "file-history" / client.session.id
        backups.mkdir(parents=True, exist_ok=True)
        for name, content in client.backups.items():
            (backups / name).write_bytes(content)
        assert run("sync", config).exit_code == 0
        return client.session.id[:8]

    return recorded


def refused(*arguments):
    """Returns the one line of error with which the command refuses."""
    with pytest.raises((ChorusError, click.UsageError)) as error:
        run_unhandled(*arguments)
    assert "\n" not in str(error.value)
    return str(error.value)


def run_unhandled(*arguments):
    return cli.main([str(each) for each in arguments], standalone_mode=False)


def test_files_and_versions(keep):
    """Each file has its added and removed lines, and each version of a file has the call that made it."""
    found = run_json("files", keep())
    assert [(each["path"], each["added"], each["removed"]) for each in found["files"]] == [
        (f"{FOLDER}/a.txt", 2, 2),
        (f"{FOLDER}/new.txt", 1, 0),
    ]
    versions = run_json("files", keep(), "a.txt")["versions"]
    assert [(each["certainty"], each["tool"], each["start"]) for each in versions] == [
        ("exact", "", True),
        ("exact", "Edit", False),
        ("exact", "Edit", False),
    ]
    listed = run("files", keep()).stdout
    assert "a.txt" in listed and "exact" in listed
    assert "toolu_0003" in run("files", keep(), "a.txt").stdout


def test_files_that_were_only_read_are_listed(tmp_path, monkeypatch):
    """A file of which no version is known is listed as only read."""
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "vault"))
    session = Session(cwd=FOLDER)
    session.user("look")
    session.assistant({"type": "tool_use", "id": "toolu_r", "name": "Read", "input": {"file_path": f"{FOLDER}/r.txt"}})
    session.tool_result("toolu_r", "     1→one")
    lay_out(tmp_path / "claude" / "projects", session)
    assert run("sync", tmp_path / "claude").exit_code == 0
    (only,) = run_json("files", session.id)["files"]

    assert (only["path"], only["versions"], only["reads"], only["state"]) == (f"{FOLDER}/r.txt", 0, 1, None)
    assert "only read" in run("files", session.id).stdout
    assert run("files", session.id, "r.txt").stdout.splitlines()[0].endswith("it was only read.")


def test_without_files_one_line_says_so(tmp_path, monkeypatch):
    """A conversation without files gives one line."""
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "vault"))
    session = Session()
    session.user("hello")
    lay_out(tmp_path / "claude" / "projects", session)
    assert run("sync", tmp_path / "claude").exit_code == 0

    assert run("files", session.id).stdout.splitlines() == ["No file was touched."]
    restored = run("files", session.id, "--restore", tmp_path / "there")
    assert restored.stdout == "No file was there at that moment; nothing was written.\n" and restored.exit_code == 0
    assert not (tmp_path / "there").exists()


def test_content_diff_and_blame(keep):
    """`--at` prints the exact bytes, `--diff` compares two moments, and `--blame` names the version of each line."""
    assert run("files", keep(), "a.txt", "--at", "1").stdout_bytes == b"one\r\ntwo\r\n"
    assert run("files", keep(), "a.txt", "--at", "toolu_0001").stdout_bytes == b"one\r\nzwei\r\n"
    diff = run("files", keep(), "a.txt", "--diff", "--from", "2").stdout_bytes
    assert b"-one\r\n+eins\r\n zwei" in diff
    whole = run("files", keep(), "--diff").stdout_bytes
    assert b"+hello" in whole and b"-two" in whole
    assert run("files", keep(), "a.txt", "--blame").stdout.split() == [
        "v3",
        "Edit",
        "1",
        "eins\\r",
        "v2",
        "Edit",
        "2",
        "zwei\\r",
    ]


def test_a_version_is_taken_out(keep, tmp_path):
    """`--restore` writes one file, or all files below a folder. It replaces a file that differs only with `--force`."""
    place = tmp_path / "before.txt"
    assert run("files", keep(), "a.txt", "--at", "1", "--restore", place).exit_code == 0
    assert place.read_bytes() == b"one\r\ntwo\r\n"
    assert "--force" in refused("files", keep(), "a.txt", "--restore", place)
    assert place.read_bytes() == b"one\r\ntwo\r\n"
    assert run("files", keep(), "a.txt", "--restore", place, "--force").exit_code == 0
    assert place.read_bytes() == b"eins\r\nzwei\r\n"
    assert run("files", keep(), "--restore", tmp_path / "all").exit_code == 0
    assert (tmp_path / "all" / "new.txt").read_bytes() == b"hello\n"
    assert (tmp_path / "all" / "a.txt").read_bytes() == b"eins\r\nzwei\r\n"


def test_nothing_is_written_outside(client, keep, tmp_path):
    """`--restore` does not write outside the target folder, through links, or over special files."""
    client.write("../../../etc/evil", "bad\n")
    client.write("sub/deep.txt", "deep\n")
    dest, outside = tmp_path / "dest", tmp_path / "outside"
    for folder in (dest, outside):
        folder.mkdir()
    done = run("files", keep(), "--restore", dest)
    assert done.exit_code == 1 and "outside the folder" in done.stderr
    assert sorted(path.name for path in dest.rglob("*")) == ["a.txt", "deep.txt", "new.txt", "sub"]
    (dest / "sub" / "deep.txt").unlink()
    (dest / "sub").rmdir()
    (dest / "sub").symlink_to(outside)
    assert "link" in refused("files", keep(), "--restore", dest, "--force")
    assert list(outside.iterdir()) == []
    os.mkfifo(tmp_path / "pipe")
    assert "not a regular file" in refused("files", keep(), "a.txt", "--restore", tmp_path / "pipe", "--force")


def test_a_full_disk_leaves_nothing(client, keep, small_disk, tmp_path_factory, monkeypatch):
    """On a full disk, one line says so, and the files that were already written are removed."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("CHORUS_HOME", str(home / "chorus"))
    client.write("big.txt", "x" * 200_000)
    config = home / "claude"
    lay_out(config, client.session, Layout.BELOW)
    assert run("sync", config).exit_code == 0
    assert os.strerror(errno.ENOSPC) in refused("files", client.session.id[:8], "--restore", small_disk / "out")
    assert [path for path in (small_disk / "out").rglob("*") if path.is_file()] == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nothere.txt",), "did not touch it"),
        (("a.txt", "--at", "9"), "no version 9"),
        (("a.txt", "--at", "toolu_nothing"), "no such moment"),
        (("--at", "2"), "needs PATH"),
        (("txt",), "did not touch it"),
        (("a.txt", "--from", "1"), "--diff"),
        (("--blame",), "PATH"),
        (("a.txt", "--diff", "--blame"), "exclude"),
    ],
)
def test_what_is_not_there(keep, arguments, words):
    """A missing moment or file, or a wrong option, gives one line that says what to do."""
    assert words in refused("files", keep(), *arguments)


def test_an_unknown_version_is_said(client, keep, tmp_path):
    """After a command that may have changed a file, its version is unknown.

    The last known version can still be read.
    """
    client.shell("make", a_txt=b"?")
    assert "shell command" in refused("files", keep(), "a.txt", "--restore", tmp_path / "a.txt")
    assert not (tmp_path / "a.txt").exists()
    assert run("files", keep(), "a.txt", "--at", "3").stdout_bytes == b"eins\r\nzwei\r\n"


def test_a_missing_backup_is_no_error(client, keep, tmp_path):
    """Without the client's backups, the versions are rebuilt, and a note says so."""
    client.backups.clear()
    done = run("files", keep(), "a.txt", "--at", "1")
    assert (done.exit_code, done.stdout_bytes) == (0, b"one\ntwo\n")
    assert "rebuilt" in done.stderr


def test_a_workspace_is_followed_together(client, keep):
    """`--workspace` includes all conversations of the workspace."""
    keep()
    first = client.session
    client.session = type(first)(
        "22222222-0000-4000-8000-000000000002", cwd=FOLDER, version="2.1.325", clock=first.clock
    )
    client.session.user("Go on")
    client._number = 70
    client.edit("new.txt", "hello", "bye")
    found = run_json("files", keep(), "new.txt", "--workspace")
    assert [each["conversation"] for each in found["versions"]] == [first.id, first.id, client.session.id]


def test_hostile_text_is_harmless_at_a_terminal(client, keep):
    """Control characters in a file and in its name are shown as escapes."""
    client.write("evil\x1b[31m.txt", "\x1b]0;owned\x07\n")
    shown = run("files", keep()).stdout
    assert "\x1b" not in shown
    assert "\x1b" not in json.dumps(run_json("files", keep()))


def test_in_a_pipe(keep):
    """A pipe gets the exact bytes of a version."""
    assert run_process("files", keep(), "a.txt", "--at", "1").stdout == b"one\r\ntwo\r\n"


@pytest.mark.parametrize("width", [80, 100, 160])
@pytest.mark.parametrize("more", [(), ("a.txt",), ("a.txt", "--blame"), ("a.txt", "--diff")])
def test_tables_fit_the_terminal(client, keep, monkeypatch, width, more):
    """No line is wider than the terminal, and the state of a version can always be read."""
    client.shell("make")
    conversation = keep()
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("NO_COLOR", "1")
    out = Terminal()
    monkeypatch.setattr("sys.stdout", out)
    at = ("--at", "3") if "--blame" in more or "--diff" in more else ()
    run_unhandled("files", conversation, *more, *at)
    lines = out.getvalue().splitlines()
    assert lines and all(len(line) <= width for line in lines)
    assert "--blame" in more or "--diff" in more or "unknown" in out.getvalue()
