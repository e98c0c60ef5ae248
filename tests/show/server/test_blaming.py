"""Tests the route for blame: lines with their prompts, and files that must not be read."""

import os
import subprocess
from urllib.parse import quote

import pytest

from tests.show.server.serving import serving
from tests.show.server.test_changes import Work, session_of_two_turns

TEXT = b"one\ntwo\nthree\nfour\nfive\nsix\nseven\n"


def git(folder, *arguments):
    """Runs git as a person does, in the folder of the workspace."""
    who = {f"GIT_{role}_{what}": "p@x.example" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = {**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True)


class BlamedWork(Work):
    """A workspace whose files are blamed."""

    def blame(self, file, rev="", workspace=None):
        known = workspace or self.name.partition("/")[0]
        return self.browser.get(f"/api/workspaces/{quote(known)}/blame?file={quote(quote(file))}&rev={quote(rev)}")


@pytest.fixture
def work(tmp_path):
    """A repository in which an agent changed a line in each of two turns, the second one in a sub-agent."""
    made = BlamedWork(tmp_path)
    session_of_two_turns(made)
    (made.folder / "a.txt").write_bytes(TEXT)
    git(made.folder, "init", "--quiet")
    git(made.folder, "add", "--all")
    git(made.folder, "commit", "--quiet", "--message", "start")
    with serving(made.vault, tmp_path / "client") as server:
        server.write(made.session)
        made.begin(server)
        made.edit("a.txt", TEXT.replace(b"one", b"ONE"), call="toolu_a", turn=1, model="claude-x")
        git(made.folder, "commit", "--quiet", "--all", "--message", "with one line")
        made.edit("a.txt", TEXT.replace(b"one", b"ONE").replace(b"seven", b"SEVEN"), call="toolu_b", turn=2)
        yield made
        made.snapshots.close()


def test_lines_come_with_their_prompts(work):
    """Each line has the conversation, turn, call, model and prompt that wrote it, or no origin."""
    found = work.blame("a.txt").json
    assert (found["path"], found["lines"], found["lines_by_agents"]) == ("a.txt", 7, 2)
    origins = {
        line: found["origins"][each["origin"]] if each["origin"] is not None else {}
        for each in found["stretches"]
        for line in each["lines"]
    }
    assert [line for line, origin in origins.items() if not origin] == ["two", "three", "four", "five", "six"]
    first, last = origins["ONE"], origins["SEVEN"]
    assert (first["conversation_name"], first["turn"], first["call"]) == (work.name, 1, "toolu_a")
    assert (first["tool"], first["model"], first["certainty"]) == ("Edit", "claude-x", "exact")
    assert (first["prompt"], last["prompt"]) == ("Please greet the world", "Now the other file")
    row = work.browser.get(f"/api/conversations/{work.name}/row?id={quote(last['prompt_at'])}").json
    assert "Now the other file" in str(row["row"]["pieces"][0])


def test_a_commit_is_blamed_as_it_is(work):
    """At a commit, the lines are those of the commit, and the answer names its full id."""
    found = work.blame("a.txt", "HEAD").json
    assert len(found["revision"]) == 40 and found["lines_by_agents"] == 1
    assert [line for each in found["stretches"] for line in each["lines"]] == ["ONE", *TEXT.decode().split()[1:]]
    assert work.blame(str(work.folder / "a.txt"), "HEAD~1").json["lines_by_agents"] == 0


@pytest.mark.parametrize(
    "file",
    [
        *("../outside.txt", "/etc/passwd", "link.txt", "to/outside.txt", "binary", ".env", "a.txt/x", "", ".", "gone"),
        *("folder", ".git/config", "a\0b", "pipe", "large"),
    ],
)
def test_files_that_must_not_be_read_are_refused_with_a_reason(work, file):
    """Paths outside, links, binary files, secrets, folders, pipes and large files end in one error, without content."""
    (work.folder.parent / "outside.txt").write_text("canary")
    (work.folder / "link.txt").symlink_to(work.folder.parent / "outside.txt")
    (work.folder / "to").symlink_to(work.folder.parent)
    (work.folder / "binary").write_bytes(b"canary\0")
    (work.folder / ".env").write_text("canary")
    (work.folder / "folder").mkdir()
    os.mkfifo(work.folder / "pipe")
    (work.folder / "large").write_bytes(b"canary\n" * 1_000_000)
    git(work.folder, "add", "--force", "link.txt", "to", "binary", ".env", "large")
    git(work.folder, "commit", "--quiet", "--message", "hostile")
    for rev in ("", "HEAD"):
        answer = work.blame(file, rev)
        assert answer.status in (400, 404), (rev, answer)
        assert answer.json["message"] and b"canary" not in answer.body


@pytest.mark.parametrize("rev", ["no-such", "--help", "-x", "HEAD:a.txt", "a\nb", "a\0b", "x" * 900, "^{/x}"])
def test_a_revision_that_is_no_commit_is_refused(work, rev):
    """A text that names no commit is an error with one line."""
    answer = work.blame("a.txt", rev)
    assert answer.status == 404 and "\n" not in answer.json["message"]


def test_only_a_workspace_that_a_person_named_is_read(work):
    """The path of any other workspace comes from a session, so nothing below it is read."""
    known = work.name.partition("/")[0]
    assert work.blame("a.txt", workspace="other-12345678").status == 404
    assert work.blame("a.txt", workspace="..").status == 404
    config = work.vault / "config.json"
    config.write_text(config.read_text().replace('"isNamed": true', '"isNamed": false'))
    answer = work.blame("a.txt", workspace=known)
    assert answer.status == 404 and "chorus workspace add" in answer.json["message"]


def test_the_page_finds_the_conversations_of_a_commit(work):
    """`commit:` works in the list, in the search and in the usage report of the page, also with `file:`."""
    for query, count in (("commit:HEAD", 1), ("commit:HEAD file:a.txt", 1), ("commit:HEAD~1", 0), ("commit:x", 0)):
        listed = work.browser.get(f"/api/conversations?q={quote(query)}").json
        found = work.browser.get(f"/api/search?q={quote(query)}").json
        assert len(listed["conversations"]) == count and bool(found["hits"]) == bool(count), query
        assert work.browser.get(f"/api/usage?q={quote(query)}").status == 200
