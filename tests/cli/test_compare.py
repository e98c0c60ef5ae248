"""Tests of `chorus compare`, as a person and as a program see it."""

import re

import pytest
from rich.cells import cell_len

from chorus.cli.main import main
from chorus.errors import SourceUnreadable
from chorus.keep.vault.files import FileVault
from chorus.testing.builders import Session, lay_out, tool_use
from chorus.testing.builders.lines import Clock, Ids
from tests.cli.commands import run, run_json
from tests.cli.test_table import Terminal
from tests.keep.archive.vaults import keep

ONE = "a1a1a1a1-0000-4000-8000-000000000001"
TWO = "b2b2b2b2-0000-4000-8000-000000000002"


@pytest.fixture(autouse=True)
def home(monkeypatch, tmp_path):
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def source():
    session = Session(ONE, clock=Clock("2026-02-03T09:00:00.000Z"))
    session.user("Fix the \x1b[31mparser")
    session.assistant(tool_use("Bash", {"command": "make test"}, id="t1"))
    session.tool_result("t1", "2 failed", is_error=True)
    session.assistant("It fails.", stop="end_turn")
    return session


def fork(session):
    copy = Session(TWO, clock=Clock("2026-02-04T09:00:00.000Z"), ids=Ids("fork"))
    for line in session.lines:
        copy.add({**line, "sessionId": TWO})
    copy.user("Try again")
    copy.assistant("It works.", stop="end_turn")
    return copy


@pytest.fixture
def paths(tmp_path, home):
    one = source()
    return [lay_out(tmp_path / "client", each) for each in (one, fork(one))]


def test_files_are_compared(paths):
    """The output shows facts, the common part once, and then the differences, and no text acts on the terminal."""
    shown = run("compare", *paths)

    assert shown.exit_code == 0
    assert "They have 3 steps of history in common" in shown.stdout
    assert shown.stdout.count("make test") == 1
    assert shown.stdout.index("In both") < shown.stdout.index("After they part") < shown.stdout.index("Try again")
    assert "\x1b" not in shown.stdout


def test_recorded_conversations_are_compared_by_their_ids(paths, home):
    """The beginning of an id is enough, and the cost of a fork is only its own."""
    keep(FileVault(home), home, *paths)
    found = run_json("compare", "a1a1a1a1", "b2b2b2b2")

    assert (found["a"]["id"], found["b"]["id"]) == (ONE, TWO)
    assert (found["is_fork"], found["is_equal"], found["parts_at"]) == (True, False, 3)
    assert [each["relation"] for each in found["steps"]] == ["shared"] * 3 + ["only"] * 2
    assert found["a"]["counts"]["failed_calls"] == 1
    assert found["b"]["after_parting"]["prompts"] == 1


@pytest.mark.parametrize("width", [40, 80, 100, 160])
def test_every_line_fits_the_terminal(width, paths, monkeypatch):
    """Titles, steps and files are cut to the width of the terminal, also with wide characters."""
    wide = Session(TWO, ids=Ids("wide"))
    wide.user("日本語のタイトルはふたつの桁を使う、" * 9)
    paths[1].write_bytes(bytes(wide))
    out = Terminal()
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setattr("sys.stdout", out)
    main(["--no-pager", "compare", *map(str, paths)])
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in out.getvalue().splitlines()]

    assert len(lines) > 15
    assert [line for line in lines if cell_len(line) > width] == []


def test_what_is_not_there_is_said_in_one_line(paths):
    """An unknown id gives one line of error and no partial answer."""
    with pytest.raises(SourceUnreadable, match="no conversation with this id"):
        run("compare", paths[0], "ffffffff-0000-4000-8000-000000000000")


@pytest.mark.parametrize("data", [b"", b"root:x:0:0::/root:/bin/sh\n", b'{"a":1}\n', b"\0\xff" * 99])
def test_a_file_without_a_conversation_is_refused(paths, tmp_path, data):
    """A file of other data is named in the error."""
    (tmp_path / "notes.jsonl").write_bytes(data)
    with pytest.raises(SourceUnreadable, match=r"notes\.jsonl"):
        run("compare", paths[0], tmp_path / "notes.jsonl")


def test_all_shows_every_step(tmp_path):
    """Long parts that both conversations have are left out, and `--all` shows them."""
    long = Session(ONE)
    for number in range(20):
        long.user(f"prompt {number}")
    (tmp_path / "a.jsonl").write_bytes(bytes(long))

    assert "… 14 steps in both" in run("compare", tmp_path / "a.jsonl", tmp_path / "a.jsonl").stdout
    assert "prompt 9" in run("compare", tmp_path / "a.jsonl", tmp_path / "a.jsonl", "--all").stdout
