"""Tests that GitButler gets each edit in the way that its version understands, and never blocks the agent."""

import json
import time
from pathlib import Path

import pytest

from chorus.keep.snapshots.commits import Feed
from chorus.keep.snapshots.edits import edits_of
from chorus.keep.snapshots.repository import SnapshotRepository
from chorus.steer.edits import gitbutler as module
from chorus.steer.edits.events import read_event
from chorus.steer.edits.gitbutler import Backend, GitButler
from chorus.steer.edits.gitbutler_state import ButlerState, StateFile
from chorus.steer.edits.snapshot_queue import SnapshotQueue
from tests.support.gitbutler import ButlerRepository

SESSION = "11111111-2222-4333-8444-555555555555"
OTHER = "99999999-2222-4333-8444-555555555555"
OLD, NEW = "0.19.13", "0.22.1"


@pytest.fixture(autouse=True)
def no_settings(tmp_path, monkeypatch):
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))


@pytest.fixture
def butler(tmp_path, monkeypatch) -> ButlerRepository:
    return ButlerRepository(tmp_path, monkeypatch)


class Client:
    """Changes files like a client and reports it as the client's hooks do."""

    def __init__(
        self, butler: ButlerRepository, home: Path, backend: Backend = "auto", feed: Feed = Feed.CONTROL
    ) -> None:
        self._butler = butler
        made = GitButler(home, "work-1", butler.folder, backend)
        self.queue = SnapshotQueue(home, "work-1", butler.folder, feed, made)

    def report(self, event: str, **more) -> None:
        head = {"session_id": SESSION, "transcript_path": str(self._butler.transcript), "cwd": str(self._butler.folder)}
        data = json.dumps({**head, "hook_event_name": event, "prompt_id": "p1", **more}).encode()
        read = read_event(data)
        assert read is not None
        self.queue.put(read, payload=data)

    def write(self, name: str, text: str, call: str = "toolu_1", **more) -> None:
        place = self._butler.folder / name
        about = {"tool_name": "Write", "tool_use_id": call, **more}
        given = {"file_path": str(place), "content": text}
        self.report("PreToolUse", tool_input=given, **about)
        place.write_text(text)
        patch = [{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-one", "+two"]}]
        answer = {"type": "update", "filePath": str(place), "structuredPatch": patch, "originalFile": None}
        self.report("PostToolUse", tool_input=given, tool_response=answer, **about)

    def turn(self, **files: str) -> None:
        self.report("UserPromptSubmit", prompt="--amend the \x1b[31mfile\nand more")
        for number, (name, text) in enumerate(files.items()):
            self.write(f"{name}.txt", text, f"toolu_{number}")
        self.report("Stop", stop_hook_active=False)


def state_of(home: Path) -> ButlerState:
    return StateFile(home, "work-1").read()


def test_an_old_gitbutler_gets_a_report_of_each_call_and_of_the_end(tmp_path, butler):
    """Up to 0.19.13, GitButler gets pre-tool, post-tool and stop with exactly its fields, and makes one stack."""
    butler.install(OLD)
    client = Client(butler, tmp_path / "home")
    client.turn(a="two\n", b="new\n")
    client.queue.close()

    steps = ["pre-tool", "post-tool", "pre-tool", "post-tool", "stop"]
    assert butler.calls() == [["claude", step] for step in steps]
    assert client.queue.problems() == []
    assert butler.state()["stacks"] == {SESSION: {"assigned": [], "commits": [["a.txt", "b.txt"]]}}
    head = {"session_id": SESSION, "transcript_path": str(butler.transcript)}
    edit = {"tool_name": "Write", "tool_input": {"file_path": str(butler.folder / "a.txt")}}
    patch = [{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-one", "+two"]}]
    answer = {"filePath": str(butler.folder / "a.txt"), "structuredPatch": patch}
    assert butler.inputs()[0] == {**head, "hook_event_name": "PreToolUse", **edit}
    assert butler.inputs()[1] == {**head, "hook_event_name": "PostToolUse", **edit, "tool_response": answer}
    assert butler.inputs()[4] == {**head, "hook_event_name": "Stop", "stop_hook_active": False}


@pytest.mark.parametrize("version", ["0.20.0", "0.21.3", NEW, "1.0.0"])
def test_a_new_gitbutler_gets_a_commit_on_a_branch_per_conversation(tmp_path, butler, version):
    """From 0.20 on, the changes of the agent are committed to a branch, and `but claude` is never called."""
    (butler.folder / "mine.txt").write_text("a person's")
    butler.install(version)
    client = Client(butler, tmp_path / "home")
    client.turn(a="two\n", b="new\n")
    client.queue.close()

    assert not any("claude" in words for words in butler.calls())
    assert client.queue.problems() == []
    commits = [{"message": "amend the  [31mfile", "files": ["a.txt", "b.txt"]}]
    assert butler.state()["branches"] == {f"chorus-{SESSION[:13]}": commits}
    assert state_of(tmp_path / "home").branches == {SESSION: f"chorus-{SESSION[:13]}"}


def test_two_feeds_of_one_call_tell_it_once(tmp_path, butler):
    """If the control channel and an installed hook report the same turn, GitButler gets it once."""
    butler.install(OLD)
    one, other = Client(butler, tmp_path / "home"), Client(butler, tmp_path / "home", feed=Feed.HOOK)
    given = {"tool_name": "Write", "tool_use_id": "c", "tool_input": {"file_path": str(butler.folder / "a.txt")}}
    for event in ("PreToolUse", "PostToolUse", "Stop"):
        for client in (one, other):
            client.report(event, **({} if event == "Stop" else given))
            time.sleep(0.05)
    one.queue.close()
    other.queue.close()

    assert sorted(words[1] for words in butler.calls()) == ["post-tool", "pre-tool", "stop"]


@pytest.mark.parametrize("version", [OLD, NEW])
def test_a_hanging_gitbutler_stops_nobody(tmp_path, butler, version, monkeypatch):
    """A call of `but` that hangs is ended; meanwhile snapshots are taken, and the reason is stored."""
    monkeypatch.setattr(module, "_PATIENCE_S", 0.5)
    monkeypatch.setattr("chorus.steer.edits.gitbutler_branches._PATIENCE_S", 0.5)
    butler.install(version, BUT_HANGS="1")
    client = Client(butler, tmp_path / "home")
    client.turn(a="two\n")
    client.queue.close()

    assert len(edits_of(SnapshotRepository(tmp_path / "home", "work-1"), SESSION)) == 1
    assert any("took longer than" in why for why in client.queue.problems())
    assert "took longer than" in state_of(tmp_path / "home").problem


def test_files_of_a_failed_turn_are_committed_with_the_next(tmp_path, butler, monkeypatch):
    """Files that could not be committed are committed with the next turn, even by another process."""
    home = tmp_path / "home"
    butler.install(NEW, BUT_PRINTS="10")
    client = Client(butler, home)
    client.turn(a="two\n")
    client.queue.close()
    assert state_of(home).pending == {SESSION: ["a.txt"]}

    monkeypatch.delenv("BUT_PRINTS")
    client = Client(butler, home)
    client.report("UserPromptSubmit", prompt="again", prompt_id="p2")
    client.write("b.txt", "x", "toolu_9", prompt_id="p2")
    client.report("Stop", prompt_id="p2")
    client.queue.close()

    assert [each["files"] for each in butler.state()["branches"][f"chorus-{SESSION[:13]}"]] == [["a.txt", "b.txt"]]
    assert (state_of(home).pending, state_of(home).problem) == ({}, "")


def test_a_lock_of_another_session_delays_only_gitbutler(tmp_path, butler):
    """`but` waits for the lock and fails, but the edit is stored and the reason is shown."""
    butler.set_state(locks={"a.txt": OTHER})
    butler.install(OLD, BUT_LOCK_S="0.3")
    client = Client(butler, tmp_path / "home")
    client.write("a.txt", "two\n")
    client.queue.close()

    assert len(edits_of(SnapshotRepository(tmp_path / "home", "work-1"), SESSION)) == 1
    assert any("waiting for the lock of a.txt" in why for why in client.queue.problems())
    assert butler.state()["stacks"][SESSION]["assigned"] == ["a.txt"]


def test_a_failed_call_keeps_its_lock_until_the_turn_ends(tmp_path, butler):
    """A call that failed assigns no file, and the next call for the same file does not wait for its lock."""
    butler.install(OLD, BUT_LOCK_S="0.1")
    client = Client(butler, tmp_path / "home")
    given = {"tool_name": "Write", "tool_use_id": "c0", "tool_input": {"file_path": str(butler.folder / "a.txt")}}
    client.report("PreToolUse", **given)
    client.report("PostToolUseFailure", **given)
    client.write("a.txt", "two\n")
    client.report("Stop")
    client.queue.close()

    assert client.queue.problems() == []
    assert [words[1] for words in butler.calls()] == ["pre-tool", "post-tool", "stop"]
    assert butler.state()["locks"] == {}


def test_a_repository_that_is_not_set_up_is_named(tmp_path, butler):
    """If a person chose GitButler but it is not set up, the reason says what to do."""
    (butler.folder / ".git" / "gitbutler").rmdir()
    butler.install(OLD)
    client = Client(butler, tmp_path / "home", backend="gitbutler")
    client.turn(a="two\n")
    client.queue.close()

    assert client.queue.problems() == [
        "GitButler: it is not set up in this repository: run `but setup`, or set `gitBackend` to `plain`"
    ]


def test_without_but_the_reason_is_shown_once(tmp_path, butler, monkeypatch):
    """Without `but` on PATH one problem is reported and snapshots continue; a `but` in the workspace is ignored."""
    (butler.folder / "but").write_text("#!/bin/sh\ntouch canary\n")
    (butler.folder / "but").chmod(0o755)
    monkeypatch.setenv("PATH", f"{butler.folder}:.:/usr/bin:/bin")
    client = Client(butler, tmp_path / "home")
    client.turn(a="two\n", b="x")
    client.queue.close()

    assert len(client.queue.problems()) == 1
    assert "no `but` on PATH" in state_of(tmp_path / "home").problem
    assert not (butler.folder / "canary").exists()
    assert len(edits_of(SnapshotRepository(tmp_path / "home", "work-1"), SESSION)) == 2


@pytest.mark.parametrize("backend", ["plain", "auto"])
def test_where_gitbutler_is_not_used_nothing_is_started(tmp_path, butler, backend):
    """`plain` never calls GitButler, and `auto` calls it only in a repository that it manages."""
    if backend == "auto":
        (butler.folder / ".git" / "gitbutler").rmdir()
    butler.install(OLD)
    client = Client(butler, tmp_path / "home", backend=backend)
    client.turn(a="two\n")
    client.queue.close()

    assert butler.calls() == []
    assert client.queue.problems() == []


def test_hooks_of_gitbutler_itself_are_not_doubled(tmp_path, butler):
    """If the client's settings already call `but claude`, Chorus does not call it again."""
    settings = tmp_path / "claude" / "settings.json"
    settings.parent.mkdir()
    hook = {"hooks": [{"type": "command", "command": "/opt/bin/but claude pre-tool"}]}
    settings.write_text(json.dumps({"hooks": {"PreToolUse": [hook]}}))
    butler.install(OLD)
    client = Client(butler, tmp_path / "home")
    client.turn(a="two\n")
    client.queue.close()

    assert butler.calls() == []
    assert client.queue.problems() == []


def test_an_edit_outside_of_the_workspace_is_not_reported(tmp_path, butler):
    """GitButler gets only files in the workspace."""
    butler.install(OLD)
    client = Client(butler, tmp_path / "home")
    given = {"tool_name": "Write", "tool_use_id": "c", "tool_input": {"file_path": str(tmp_path / "elsewhere")}}
    client.report("PreToolUse", **given)
    client.report("PostToolUse", **given)
    client.queue.close()

    assert butler.calls() == []
