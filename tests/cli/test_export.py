"""Tests of `chorus export`, which shows its findings before it writes and leaves no partial file."""

import contextlib
import json
import os
import stat
import subprocess
import sys
from importlib import metadata

import pytest

from chorus.show.exports.made_with import made_with
from chorus.testing.builders import Session
from chorus.testing.builders.disk import Layout, lay_out
from chorus.testing.builders.secrets import Secrets
from tests.cli.commands import run, run_process

MADE = {each.kind: each for each in Secrets(seed=3).all()}
TOKEN = MADE["github-token"].secret
FIRST, SECOND = "5e551011-0000-4000-8000-000000000001", "5e551011-0000-4000-8000-000000000002"


def talk(session_id, words):
    session = Session(session_id, cwd="/home/mlind/shop")
    session.title(f"About {words}")
    session.user(f"{words}: deploy with {TOKEN}")
    session.assistant(f"I will not print {TOKEN} again.")
    return session


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A vault with two conversations that contain a secret, and the client's folder of these conversations."""
    folder = tmp_path_factory.mktemp("machine")
    for session_id, words in ((FIRST, "apples"), (SECOND, "pears")):
        lay_out(folder / "claude" / "projects", talk(session_id, words), Layout.BELOW)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHORUS_HOME", str(folder / "home"))
        patch.setenv("CLAUDE_CONFIG_DIR", str(folder / "claude"))
        assert run("sync").exit_code == 0
    return folder


@pytest.fixture
def home(recorded, tmp_path_factory, monkeypatch):
    """Returns an empty folder to write to, with the vault as the home."""
    monkeypatch.setenv("CHORUS_HOME", str(recorded / "home"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(recorded / "claude"))
    here = tmp_path_factory.mktemp("here")
    monkeypatch.chdir(here)
    return here


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_an_export_takes_no_place_of_a_pipe(home):
    """A pipe, a device, or a link to one stays what it is, also with --force."""
    os.mkfifo(home / "pipe")
    (home / "stdout").symlink_to("pipe")
    for name in ("pipe", "stdout"):
        refused = run_process("export", FIRST, "--markdown", "--yes", "-o", home / name, "--force")

        assert refused.returncode == 2 and b"a pipe or a device is not replaced" in refused.stderr
    assert (home / "pipe").is_fifo() and (home / "stdout").is_symlink() and len(list(home.iterdir())) == 2


def test_findings_are_listed_before_anything_is_written(home):
    """Without a terminal and without --yes, the findings and the size are printed, and nothing is written."""
    done = run_process("export", FIRST, "--markdown", cwd=home)
    said = done.stderr.decode()

    assert done.returncode == 2 and done.stdout == b"" and list(home.iterdir()) == []
    assert "[github-token-1]" in said and "[user-1]" in said and TOKEN not in said
    assert "bytes; 2 values replaced" in said and "--yes" in said


@pytest.mark.parametrize(("form", "suffix"), [("--markdown", ".md"), ("--json", ".json"), ("--session-file", ".jsonl")])
def test_a_file_is_written_once(home, form, suffix):
    """--yes writes one file, for this user only, without the secret, and replacing it needs --force."""
    done = run("export", FIRST, form, "--yes")
    (path,) = home.iterdir()

    assert done.exit_code == 0, done.stderr
    assert path.name == f"2026-01-05-about-apples{suffix}" and path.name in done.stdout
    assert TOKEN not in path.read_text() and "[github-token-1]" in path.read_text()
    assert os.name == "nt" or stat.S_IMODE(path.stat().st_mode) == 0o600
    before = path.read_bytes()
    again = run_process("export", FIRST, form, "--yes", cwd=home)
    assert again.returncode == 2 and b"--force" in again.stderr and again.stderr.count(b"chorus:") == 1
    assert path.read_bytes() == before and len(list(home.iterdir())) == 1
    assert run("export", FIRST, form, "--yes", "--force").exit_code == 0


def test_what_a_person_decides(home, monkeypatch):
    """Options allow, replace and add findings, and `--env` hides the value of a variable."""
    monkeypatch.setenv("FRUIT", "apples")
    options = ("--allow", "user", "--replace", "[github-token-1]=THE-TOKEN", "--add", "deploy", "--env", "FRUIT")
    done = run("export", FIRST, "--markdown", "-o", "-", "--yes", *options)

    assert "THE-TOKEN" in done.stdout and "mlind" in done.stdout
    assert "deploy" not in done.stdout and "apples" not in done.stdout
    assert run("export", FIRST, "--no-redact", "--markdown", "-o", "-").stdout.count(TOKEN) == 2
    wrong = run_process("export", FIRST, "--replace", "x", cwd=home)
    assert wrong.returncode == 2 and b"WHAT=TEXT" in wrong.stderr
    wrong = run_process("export", FIRST, "--env", "NOT_SET_HERE", cwd=home)
    assert wrong.returncode == 2 and b"NOT_SET_HERE" in wrong.stderr


def test_a_dry_run_writes_nothing(home):
    """--dry-run lists the findings and the size and writes nothing."""
    done = run("export", FIRST, "--json", "--dry-run")

    assert done.exit_code == 0 and "values replaced" in done.stderr and list(home.iterdir()) == []


def test_many_conversations_get_a_folder_with_an_index(home):
    """A query with two answers writes a folder, and its index page names both conversations and runs no script."""
    done = run("export", "deploy", "--markdown", "--yes", "-o", "out")
    names = {path.name for path in (home / "out").iterdir()}

    assert done.exit_code == 0, done.stderr
    assert names == {"index.html", "2026-01-05-about-apples.md", "2026-01-05-about-pears.md"}
    page = (home / "out" / "index.html").read_text()
    assert "About apples" in page and "About pears" in page and "<script" not in page and "default-src 'none'" in page
    again = run_process("export", "deploy", "--markdown", "--yes", "-o", "out", cwd=home)
    assert again.returncode == 2 and b"not empty" in again.stderr


def test_parts_that_are_not_there_are_said_in_one_line(home):
    """An unknown moment, a query without an answer and a missing folder each give one line and no traceback."""
    for arguments, said in (
        ((FIRST, "--from", "the beginning of time"), b"no message"),
        (("nobodysaidthis",), b"no conversation answers"),
        ((FIRST, "--markdown", "--yes", "-o", "not/there/x.md"), b"folder does not exist"),
        ((FIRST, "--from", "2199-01-01"), b"nothing of this conversation"),
    ):
        done = run_process("export", *arguments, cwd=home)
        assert done.returncode == 2 and said in done.stderr and b"Traceback" not in done.stderr, done.stderr
    assert list(home.iterdir()) == []


def test_moments(home):
    """--from and --to take the id of a message, and times."""
    lines = [json.loads(line) for line in bytes(talk(FIRST, "apples")).splitlines()]
    answer = next(line for line in lines if line["type"] == "assistant")
    late = run("export", FIRST, "--markdown", "--yes", "-o", "-", "--from", answer["uuid"])
    early = run("export", FIRST, "--markdown", "--yes", "-o", "-", "--to", lines[1]["uuid"])

    assert "will not print" in late.stdout and "deploy with" not in late.stdout
    assert "deploy with" in early.stdout and "will not print" not in early.stdout


def test_a_full_disk_leaves_nothing(home, small_disk):
    """On a full disk, one line says so, and no file is left, not even a partial one."""
    with (small_disk / "filling").open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(b"x" * 4096):
            file.flush()
    done = run_process("export", FIRST, "--markdown", "--yes", "-o", small_disk / "a.md")

    assert done.returncode == 2 and b"disk is full" in done.stderr and b"Traceback" not in done.stderr
    assert [path.name for path in small_disk.iterdir()] == ["filling"]


def test_a_link_is_not_followed(home, tmp_path):
    """A link at the path of the file is not followed."""
    target = tmp_path / "precious"
    target.write_text("mine")
    (home / "a.md").symlink_to(target)
    assert run_process("export", FIRST, "--markdown", "--yes", "-o", "a.md", cwd=home).returncode == 2
    assert run_process("export", FIRST, "--markdown", "--yes", "-o", "a.md", "--force", cwd=home).returncode == 0

    assert target.read_text() == "mine" and not (home / "a.md").is_symlink()


def test_the_session_file_is_the_source(home, recorded):
    """--session-file --no-redact writes the client's file byte for byte."""
    (source,) = (recorded / "claude").rglob(f"{FIRST}.jsonl")
    assert run("export", FIRST, "--session-file", "--no-redact", "-o", "s.jsonl").exit_code == 0

    assert (home / "s.jsonl").read_bytes() == source.read_bytes()


def test_a_page_of_ordinary_messages_is_made_without_what_it_does_not_need(home):
    """An export that is named by its id loads no queries, no database, no parser of Markdown and no mail headers."""
    code = (
        "import sys; from chorus.cli.main import main;"
        f"main(['export', {FIRST!r}, '--yes', '--html', '-o', 'page.html']);"
        "names = ('chorus.cli.query_options', 'sqlite3', 'markdown_it', 'email', 'chorus.core.progress.lines');"
        "print([name for name in names if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=home, check=True)

    assert done.stdout.splitlines()[-1] == "[]"


def test_a_page_names_the_version_that_made_it():
    """The version in an exported file is that of the installed distribution."""
    assert made_with() == metadata.version("chorus-agents")
