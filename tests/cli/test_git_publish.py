"""Tests of `chorus git publish`, which turns a recorded conversation into commits with its prompts."""

import json
import os
import subprocess

import pytest

from chorus.base import config
from chorus.errors import ChorusError
from chorus.keep.archive.listing import find
from chorus.keep.snapshots.commits import SnapshotFacts, SnapshotKind
from chorus.keep.snapshots.snapshots import Snapshots
from chorus.keep.vault.files import FileVault
from chorus.steer.edits.gitbutler_state import StateFile
from chorus.testing.builders.lines import SESSION_ID
from tests.cli.commands import run, run_json
from tests.keep.archive.vaults import client, keep, talk


@pytest.fixture
def work(tmp_path, monkeypatch):
    """A repository in which the agent of a recorded conversation wrote a file."""
    home, folder = tmp_path / "home", tmp_path / "work"
    monkeypatch.setenv("CHORUS_HOME", str(home))
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "ada@example.org")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    folder.mkdir()
    for words in (["init", "--quiet"], ["commit", "--quiet", "--allow-empty", "--message", "first"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    (path,) = client(tmp_path / "claude", talk(cwd=str(folder)))
    keep(FileVault(home), home, tmp_path / "claude")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    prompt = next(line["uuid"] for line in lines if line["type"] == "user")
    name = find(FileVault(home), SESSION_ID)[0].workspace
    with config.edit(home) as settings:
        settings.workspaces.append(config.Workspace(id=name, path=str(folder), is_named=True))
    snapshots = Snapshots(home, name, folder)
    for turn, (text, whose) in enumerate((("one", prompt), ("two", "unknown")), 1):
        (folder / "a.txt").write_text(text)
        facts = SnapshotFacts(
            kind=SnapshotKind.AFTER,
            conversation=SESSION_ID,
            time_ms=1_790_000_000_000 + turn,
            turn=turn,
            call=f"c{turn}",
            prompt=whose,
        )
        snapshots.take_files([str(folder / "a.txt")], facts, "Write a.txt")
    snapshots.close()
    return folder


def test_the_prompt_is_the_message(work):
    """The subject of a commit is the first line of the prompt, or the number of the turn if the vault has no prompt."""
    shown = run("git", "publish", SESSION_ID[:8])

    assert "Look around" in shown.output
    assert shown.output.endswith(f"2 commits on the branch chorus/{SESSION_ID[:13]}, from {_git(work, 'HEAD')[:12]}.\n")
    log = ["git", "log", "--format=%s", f"chorus/{SESSION_ID[:13]}"]
    subjects = subprocess.run(log, cwd=work, capture_output=True, text=True, check=True).stdout.split("\n")
    assert subjects[:3] == ["Turn 2", "Look around", "first"]


def test_the_json_shape(work):
    """The JSON has the documented keys, and an existing branch is replaced only with `--force`."""
    made = run_json("git", "publish", SESSION_ID, "--squash", "--branch", "agents")

    assert (made["branch"], made["left_out"], len(made["commits"])) == ("agents", [], 1)
    assert made["commits"][0] == {"id": _git(work, "agents"), "subject": "Look around", "turn": 1}
    with pytest.raises(ChorusError, match="--force replaces it"):
        run("git", "publish", SESSION_ID, "--branch", "agents")


def _git(folder, revision: str) -> str:
    call = ["git", "rev-parse", revision]
    return subprocess.run(call, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


def test_a_forgotten_conversation_is_forgotten_for_gitbutler_too(work, tmp_path):
    """Forgetting a conversation also removes the notes about it for GitButler."""
    home = tmp_path / "home"
    kept = StateFile(home, find(FileVault(home), SESSION_ID)[0].workspace)
    kept.claim(f"end:{SESSION_ID}:p", 1, is_once=False)
    with kept.edit() as state:
        state.branches[SESSION_ID], state.pending[SESSION_ID] = "chorus-x", ["a.txt"]
        state.branches["another"] = "chorus-y"

    assert run("forget", SESSION_ID, "--yes").exit_code == 0
    assert (kept.read().branches, kept.read().pending, kept.read().seen) == ({"another": "chorus-y"}, {}, {})
