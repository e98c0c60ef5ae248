"""Tests that a conversation becomes commits on a branch of the person's repository, and nothing else changes there."""

import os
import subprocess

import pytest

from chorus.errors import ChorusError, GitFailed
from chorus.keep.snapshots.commits import SnapshotKind
from chorus.keep.snapshots.publishing import Published, publish, steps_of
from tests.keep.snapshots.conftest import CONVERSATION, Workspace


@pytest.fixture(autouse=True)
def person(monkeypatch, tmp_path):
    """Gives the publishing person a name, and a folder for temporary files that a test can read."""
    for name, value in {"AUTHOR": "Ada", "COMMITTER": "Ada"}.items():
        monkeypatch.setenv(f"GIT_{name}_NAME", value)
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "ada@example.org")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))


def published(workspace: Workspace, branch: str = "agents", *, squash: bool = False, **more) -> Published:
    steps = steps_of(workspace.store, CONVERSATION, is_squashed=squash)
    subjects = more.pop("subjects", {})
    return publish(
        workspace.store, workspace.folder, steps, branch, lambda facts: subjects.get(facts.turn, "Turn"), **more
    )


def everything(workspace: Workspace) -> dict:
    """Returns all files of the person with their index and refs, without what git adds to its objects and logs."""
    kept = ("index", "HEAD", "config")
    return {
        name: value
        for name, value in workspace.state().items()
        if not name.startswith(".git/") or name.removeprefix(".git/") in kept
    }


def two_turns(workspace: Workspace) -> None:
    workspace.edit("a.txt", "one\nTWO\nthree\n", call="c1", turn=1)
    workspace.edit("new.txt", "new\n", call="c2", turn=1)
    workspace.edit("a.txt", "one\nTWO\nthree\nfour\n", call="c3", turn=2)


def test_each_turn_is_a_commit_and_nothing_else_changes(repository):
    """The commits have the agent's changes turn by turn, with trailers; worktree, index and HEAD stay as they are."""
    two_turns(repository)
    before = everything(repository)
    found = published(repository, subjects={1: "Change it", 2: "Add a line"})

    assert everything(repository) == before
    assert repository.git("log", "--format=%s", "--reverse", "agents").split("\n")[:3] == [
        "first",
        "Change it",
        "Add a line",
    ]
    assert repository.git("show", "agents:a.txt") == "one\nTWO\nthree\nfour\n"
    assert repository.git("show", "agents~1:new.txt") == "new\n"
    trailers = repository.git("log", "-1", "--format=%(trailers:only,unfold)", "agents").split("\n")
    assert trailers[:2] == [f"Chorus-Conversation: {CONVERSATION}", "Chorus-Turn: 2"]
    assert [commit.turn for commit in found.commits] == [1, 2]
    assert repository.git("worktree", "list", "--porcelain").count("worktree ") == 1


def test_squashed_it_is_one_commit(repository):
    """With one commit for everything, the result is the same."""
    two_turns(repository)
    assert len(published(repository, squash=True).commits) == 1
    assert repository.git("show", "agents:a.txt") == "one\nTWO\nthree\nfour\n"


def test_what_a_person_did_in_between_is_left_out(repository):
    """Lines and files of a person are not published, also if the agent changed the same file later."""
    body = "".join(f"{number}\n" for number in range(20))
    repository.write("long.txt", body)
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "--message", "second")
    repository.edit("long.txt", "agent\n" + body, turn=1)
    repository.write("long.txt", "agent\n" + body + "person\n")
    repository.write("mine.txt", "person\n")
    repository.edit("long.txt", "agent\nagent too\n" + body + "person\n", call="c2", turn=2)

    published(repository)

    assert repository.git("show", "agents:long.txt") == "agent\nagent too\n" + body
    assert "mine.txt" not in repository.git("ls-tree", "-r", "--name-only", "agents")


def test_a_conflict_is_named_and_nothing_is_left(repository, tmp_path):
    """If the agent's change depends on lines of a person, nothing is published and nothing is left behind."""
    repository.write("a.txt", "person\n")
    repository.edit("a.txt", "person and agent\n", turn=3)
    refs = repository.git("for-each-ref")

    with pytest.raises(ChorusError, match=r"a.txt: turn 3 cannot be published.*nothing was published"):
        published(repository)
    assert repository.git("for-each-ref") == refs
    assert repository.git("worktree", "list", "--porcelain").count("worktree ") == 1
    assert list((tmp_path / "tmp").iterdir()) == []


def test_hooks_of_the_person_are_respected(repository):
    """A commit hook gets the message, and a hook that refuses stops everything."""
    two_turns(repository)
    hook = repository.write(".git/hooks/commit-msg", "#!/bin/sh\necho 'Signed-off-by: hook' >> \"$1\"\n")
    hook.chmod(0o755)
    published(repository)
    assert "Signed-off-by: hook" in repository.git("log", "-1", "--format=%B", "agents")

    hook = repository.write(".git/hooks/pre-commit", "#!/bin/sh\necho error: no >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(GitFailed, match="refused the commit of turn 1, and nothing was published: error: no"):
        published(repository, "other")
    assert "other" not in repository.git("branch", "--list")


@pytest.mark.parametrize("branch", ["-x", "a..b", "a b", "@{-1}", "", "x.lock", "../../x", "a\nb", "HEAD~1"])
def test_names_that_are_no_branch_are_refused(repository, branch):
    """A name that git would take for something else is refused."""
    two_turns(repository)
    with pytest.raises(ChorusError, match="cannot be the name of a branch"):
        published(repository, branch)


def test_a_branch_that_is_used_is_not_overwritten(repository, tmp_path):
    """A branch that exists needs force; one that is checked out, here or in another worktree, is never changed."""
    two_turns(repository)
    current = repository.git("branch", "--show-current").strip()
    with pytest.raises(ChorusError, match="is checked out"):
        published(repository, current, is_forced=True)
    repository.git("branch", "taken")
    with pytest.raises(ChorusError, match="exists already"):
        published(repository, "taken")
    published(repository, "taken", is_forced=True)
    assert repository.git("show", "taken:new.txt") == "new\n"
    repository.git("worktree", "add", "--quiet", str(tmp_path / "elsewhere"), "taken")
    with pytest.raises(ChorusError, match="is checked out"):
        published(repository, "taken", is_forced=True)


@pytest.mark.parametrize(
    "text", ["--amend", "# x", "x\nChorus-Turn: 99\n\nChorus-Conversation: y", "\x1b[31m\0", "é" * 500]
)
def test_hostile_messages_are_one_line(repository, text):
    """A prompt becomes one line; it can neither be an option nor a trailer."""
    two_turns(repository)
    published(repository, squash=True, subjects={1: text})

    message = repository.git("log", "-1", "--format=%B", "agents")
    assert "\x1b" not in message
    trailers = repository.git("log", "-1", "--format=%(trailers:only,unfold,key=Chorus-Turn)", "agents").strip()
    assert trailers == "Chorus-Turn: 1\nChorus-Turn: 2"


@pytest.mark.parametrize("path", ["-x", ":(top)a", "ü b\n.txt", "a*", "deep/er/file"])
def test_odd_paths_are_paths(repository, path):
    """A file name is never treated as an option or a pattern."""
    repository.edit(path, "agent\n", turn=1)
    published(repository)
    done = subprocess.run(["git", "show", f"agents:{path}"], cwd=repository.folder, capture_output=True, check=True)
    assert done.stdout == b"agent\n"


def test_ignored_and_unsure_changes_are_listed(repository):
    """Files that the repository ignores are not published, nor are changes that another conversation may have made."""
    repository.write(".gitignore", "*.log\n")
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "--message", "ignore")
    repository.edit("x.log", "log\n", call="c1")
    repository.edit("y.txt", "text\n", call="c2")
    facts = repository.facts(SnapshotKind.AFTER, call="c3", others=("somebody",))
    repository.write("z.txt", "text\n")
    repository.snapshots.take_files([str(repository.folder / "z.txt")], facts, "Edit z.txt")

    found = published(repository)

    assert sorted(line.split(":")[0] for line in found.left_out) == ["x.log", "z.txt"]
    assert "x.log" not in repository.git("ls-tree", "-r", "--name-only", "agents")


def test_changes_of_parallel_agents_of_the_conversation_are_published(repository):
    """If a change may come from another agent of the same conversation, it is a change of the conversation."""
    repository.end_turn()
    repository.snapshots.take_files(["one.txt"], repository.facts(SnapshotKind.BEFORE, agent="a1", call="c1"), "before")
    repository.write("one.txt", "text\n")
    repository.snapshots.take_files(["one.txt"], repository.facts(SnapshotKind.AFTER, agent="a1", call="c1"), "after")
    repository.write("two.txt", "text\n")
    taken = repository.snapshots.take_changes(repository.facts(SnapshotKind.AFTER, agent="a2", call="c2"), "after")
    found = published(repository)

    assert taken.facts.others == (CONVERSATION,)
    assert found.left_out == []
    assert "two.txt" in repository.git("ls-tree", "-r", "--name-only", "agents")


def test_deleted_files_and_files_that_came_and_went(repository):
    """A deletion is published. A file that the agent created and deleted again causes no problem."""
    repository.edit("src/b.py", None, call="c1")
    repository.edit("t.txt", "x", call="c2")
    repository.edit("t.txt", None, call="c3")
    published(repository)
    assert repository.git("ls-tree", "-r", "--name-only", "agents").split() == ["a.txt"]


def test_a_folder_without_repository_is_refused(workspace):
    """Publishing without a repository is refused."""
    workspace.edit("a.txt", "x")
    with pytest.raises(ChorusError, match="no git repository"):
        published(workspace)


def test_a_file_in_place_of_a_folder_is_published(repository):
    """A turn that replaces a folder by a file, and another file by a folder, is a commit like all others."""
    for path, data in {"lib/deep": "was a folder\n", "file": "was a file\n"}.items():
        repository.write(path, data)
    repository.git("add", "-A")
    repository.git("commit", "-qm", "second")
    repository.snapshots.take_changes(repository.facts(SnapshotKind.BEFORE), "before")
    (repository.folder / "lib" / "deep").unlink()
    (repository.folder / "lib").rmdir()
    (repository.folder / "file").unlink()
    repository.write("lib", "now a file\n")
    repository.write("file/deep", "now a folder\n")
    repository.snapshots.take_changes(repository.facts(SnapshotKind.AFTER, call="c"), "after")
    published(repository)

    assert repository.git("show", "agents:lib") == "now a file\n"
    assert repository.git("show", "agents:file/deep") == "now a folder\n"
