"""Tests of `chorus git notes` and `chorus git trace` on real repositories, and of reading what others wrote there."""

import json

import pytest

from chorus.base.git import PersonsGit
from chorus.errors import ChorusError, GitFailed
from chorus.find.provenance import git_notes
from tests.cli.commands import run, run_json
from tests.cli.test_blame import git, work

__all__ = ["work"]
FOREIGN = "a.py\n  h_0123456789abcd 1\n---\n" + json.dumps(
    {"schema_version": "authorship/3.0.0", "prompts": {}, "humans": {"h_0123456789abcd": {"author": "Ada"}}, "own": 1}
)


def note(folder, revision="HEAD"):
    return git(folder, "notes", "--ref=ai", "show", revision)


def refs(folder):
    return set(git(folder, "for-each-ref", "--format=%(refname) %(objectname)").splitlines())


def test_notes_are_written_only_to_their_ref(work):
    """The note of a commit names the lines of agents. Nothing else changes, and a second time nothing at all."""
    before, status = refs(work), git(work, "status", "--porcelain")
    dry = run("git", "notes", "--dry-run").output
    assert refs(work) == before and "a.py" in dry
    made = run_json("git", "notes")

    assert made["commits"] == [git(work, "rev-parse", "HEAD").strip()] and not made["refused"]
    head, _, tail = note(work).partition("\n---\n")
    assert head.splitlines()[0] == "a.py" and head.endswith(" 1-2")
    assert json.loads(tail)["sessions"].popitem()[1]["human_author"] == "Ada <ada@example.org>"
    (added,) = refs(work) - before
    assert added.startswith("refs/notes/ai ") and git(work, "status", "--porcelain") == status
    run("git", "notes")
    assert refs(work) == before | {added}
    git(work, "fsck", "--strict")


def test_notes_of_others_are_merged(work):
    """A note that is there keeps all it says; one that is not known is left as it is, and named."""
    git(work, "notes", "--ref=ai", "add", "-m", FOREIGN)
    run("git", "notes")
    head, _, tail = note(work).partition("\n---\n")

    lines = head.splitlines()
    assert lines[:2] == ["a.py", "  h_0123456789abcd 1"] and lines[2].endswith(" 2")
    assert json.loads(tail)["own"] == 1
    git(work, "notes", "--ref=ai", "add", "-f", "-m", "something else")
    shown = run("git", "notes").output
    assert "it was left as it is" in shown and note(work) == "something else\n"


def test_notes_that_changed_meanwhile_are_not_overwritten(work):
    """Notes are written on top of the state that was read: if somebody wrote in between, nothing is written."""
    git(work, "notes", "--ref=ai", "add", "-m", FOREIGN)
    read = git(work, "rev-parse", "refs/notes/ai").strip()
    git(work, "notes", "--ref=ai", "append", "-m", "later")
    commit, before = git(work, "rev-parse", "HEAD").strip(), refs(work)
    for tip in (read, ""):
        with pytest.raises(GitFailed, match="nothing changed"):
            git_notes._write(PersonsGit(work), tip, {commit: "ours"})
    assert refs(work) == before and note(work).endswith("later\n")


def test_records_of_agent_trace(work):
    """Each commit with lines of agents is one line of JSON; a person's commit is none."""
    git(work, "commit", "--quiet", "--all", "--message", "by hand")
    (line,) = run("git", "trace", "HEAD", "HEAD~1").output.splitlines()
    record = json.loads(line)

    assert record["vcs"]["revision"] == git(work, "rev-parse", "HEAD~1").strip()
    assert record["files"][0]["conversations"][0]["ranges"] == [{"start_line": 1, "end_line": 2}]
    assert not (work / ".agent-trace").exists()
    for arguments in (("nothing",), ("--", "--all")):
        with pytest.raises(ChorusError, match=r"no commit|no such commit"):
            run("git", "trace", *arguments)


def test_claims_of_others_are_shown_beside_ours(work):
    """Blame and commit-info show what notes and records of others say, and our own answer stays what it is."""
    before = run_json("blame", "a.py")["lines"]
    git(work, "notes", "--ref=ai", "add", "-m", FOREIGN)
    (work / ".agent-trace").mkdir()
    commit = git(work, "rev-parse", "HEAD").strip()
    who = {"contributor": {"type": "ai", "model_id": "x/y"}, "ranges": [{"start_line": 2, "end_line": 2}]}
    trace = {
        "version": "0.1",
        "vcs": {"type": "git", "revision": commit},
        "files": [{"path": "a.py", "conversations": [who]}],
    }
    (work / ".agent-trace" / "traces.jsonl").write_text("broken\n" + json.dumps(trace) + "\n")
    after = run_json("blame", "a.py")["lines"]

    assert [(each["source"], each["author"], each["person"]) for each in after[0]["foreign"]] == [
        ("git-ai", "human", "Ada")
    ]
    assert [(each["source"], each["model"]) for each in after[1]["foreign"]] == [("Agent Trace", "x/y")]
    assert after[2]["foreign"] == []
    assert [{**line, "foreign": []} for line in after] == before
    assert "git-ai says: human (Ada)" in run("blame", "a.py:1").output
    info = run_json("commit-info", "HEAD")
    assert {(each["source"], each["lines"]) for each in info["foreign"]} == {("git-ai", 1), ("Agent Trace", 1)}
    assert info["lines_by_agents"] == 2


def test_a_link_instead_of_records_is_not_followed(work, tmp_path):
    """Records behind a link are not read."""
    (tmp_path / "outside").mkdir()
    (work / ".agent-trace").symlink_to(tmp_path / "outside")
    assert all(not line["foreign"] for line in run_json("blame", "a.py")["lines"])
