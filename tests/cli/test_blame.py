"""Tests of `chorus blame` and `chorus commit-info`: from snapshots, and from recorded sessions alone."""

import os
import subprocess

import pytest

from chorus.base import config
from chorus.errors import ChorusError
from chorus.keep.archive.listing import find
from chorus.keep.snapshots.commits import Feed, SnapshotFacts, SnapshotKind
from chorus.keep.snapshots.snapshots import Snapshots
from chorus.keep.vault.files import FileVault
from chorus.testing.builders import Session, tool_use
from tests.cli.commands import run, run_json
from tests.keep.archive.vaults import client, keep

TEXT = "first = 1\nsecond = 2\n"


def git(folder, *arguments):
    """Runs git as a person does."""
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def work(tmp_path, monkeypatch):
    """A repository in which a recorded client created a file, before anybody named the workspace."""
    home, folder = tmp_path / "home", tmp_path / "work"
    monkeypatch.setenv("CHORUS_HOME", str(home))
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "ada@example.org")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    folder.mkdir()
    monkeypatch.chdir(folder)
    git(folder, "init", "--quiet")
    session = Session(version="2.1.325", cwd=str(folder))
    session.assistant("Before any prompt")
    session.user("Write two numbers")
    session.assistant(tool_use("Write", {"file_path": str(folder / "a.py"), "content": TEXT}, id="toolu_1"))
    # A second message of the same turn, and a turn that writes nothing.
    result = {"type": "create", "filePath": str(folder / "a.py"), "content": TEXT, "structuredPatch": []}
    session.tool_result("toolu_1", "File created", structured=result)
    session.assistant("Done")
    session.user("Thank you")
    session.assistant("You are welcome")
    (folder / "a.py").write_text(TEXT)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "numbers")
    (folder / "a.py").write_text(TEXT + "by_hand = 3\n")
    client(tmp_path / "claude", session)
    keep(FileVault(home), home, tmp_path / "claude")
    name = find(FileVault(home), session.id)[0].workspace
    with config.edit(home) as settings:
        settings.workspaces.append(config.Workspace(id=name, path=str(folder), is_named=True))
    return folder


def assert_leads_to(shown, words):
    """Checks that the command in the last line runs, and shows these words."""
    program, *command = shown.splitlines()[-1].split()
    assert program == "chorus"
    assert words in run(*command).output


def test_blame_from_recorded_sessions(work):
    """Without snapshots, lines lead to recorded calls, marked as likely, and lines of a person lead to nobody."""
    lines = run_json("blame", "a.py")["lines"]

    assert [(line["certainty"], line["evidence"]) for line in lines] == [("likely", "records")] * 2 + [
        ("unknown", None)
    ]
    assert (lines[0]["call"], lines[0]["turn"]) == ("toolu_1", 1)
    shown = run("blame", "a.py:1")
    assert "known from the records of the conversation alone" in shown.output
    assert "Prompt: Write two numbers" in shown.output
    assert_leads_to(shown.output, "Write two numbers")


def test_a_line_of_a_turn_leads_to_its_prompt(work):
    """A line that a shell command wrote, of which no call is known, shows its prompt and leads to it."""
    vault, name = FileVault(config.home()), config.load(config.home()).workspaces[-1].id
    kept = find(vault, run_json("blame", "a.py")["lines"][0]["conversation"])[0]
    prompt = run_json("blame", "a.py")["lines"][0]["prompt"]
    snapshots = Snapshots(config.home(), name, work)
    for time_ms, kind, text in ((1, SnapshotKind.BEFORE, "one\n"), (2, SnapshotKind.TURN, "one\nby_shell = 2\n")):
        (work / "b.py").write_text(text)
        facts = SnapshotFacts(
            kind=kind, conversation=kept.id, time_ms=time_ms, turn=1, prompt=prompt, feed=Feed.CONTROL
        )
        snapshots.take_files([str(work / "b.py")], facts, "x")
    snapshots.close()
    shown = run("blame", "b.py:2").output

    assert "Prompt: Write two numbers" in shown
    assert_leads_to(shown, "Write two numbers")


def test_commit_info_from_recorded_sessions(work):
    """A commit names the conversation that wrote its lines according to the records."""
    found = run_json("commit-info", "HEAD")

    assert (found["lines_added"], found["lines_by_agents"]) == (2, 2)
    assert found["shares"][0]["turn"] == 1


def test_cost_by_commit(work):
    """The turn that wrote a commit counts there, everything else is `no commit`, and nothing is counted twice."""
    git(work, "commit", "--quiet", "--all", "--message", "by hand")
    commit = git(work, "rev-parse", "HEAD~1").strip()
    found = run_json("cost", "--by", "commit")
    whole = run_json("cost", "--by", "conversation")

    assert {row["key"]: row["messages"] for row in found["rows"]} == {commit: 2, "no commit": 2}
    assert next(row for row in found["rows"] if row["key"] == commit)["title"] == "numbers"
    assert found["total"]["tokens"] == whole["total"]["tokens"]
    assert found["total"]["cost_usd"] == whole["total"]["cost_usd"]
    assert sum(row["tokens"]["output"] for row in found["rows"]) == whole["total"]["tokens"]["output"]
    shown = run("cost", "--by", "commit").output
    assert commit[:12] in shown and "numbers" in shown


def test_the_conversations_of_a_commit(work):
    """`commit:` finds the conversations that wrote lines of a commit, also together with `file:`; others find none."""
    git(work, "commit", "--quiet", "--all", "--message", "by hand")
    commit = git(work, "rev-parse", "HEAD~1").strip()

    for query in (f"commit:{commit}", f"commit:{commit[:8]}", "commit:HEAD~1", f"commit:{commit[:8]} file:a.py"):
        assert "Write two numbers" in run("list", query).output, query
        assert "toolu_1" in run("search", query, "--json").output, query
    for query in ("commit:HEAD", "commit:0000000", "commit:--help", f"commit:{commit} file:b.py"):
        assert "Write two numbers" not in run("list", query).output, query


def test_a_folder_that_is_not_known_is_named(work, tmp_path):
    """Outside of every workspace, the error says so in one line."""
    (tmp_path / "other.txt").write_text("x")
    with pytest.raises(ChorusError, match="no conversation is recorded in this folder"):
        run("blame", tmp_path / "other.txt")
