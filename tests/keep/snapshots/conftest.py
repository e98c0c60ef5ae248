"""A workspace with files, and its snapshots in a home of Chorus."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from chorus.keep.snapshots.commits import Feed, SnapshotFacts, SnapshotKind
from chorus.keep.snapshots.snapshots import Snapshots

CONVERSATION = "11111111-2222-4333-8444-555555555555"
_PERSON = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
}


class Workspace:
    """A folder in which an agent works, with everything that a test does in it."""

    def __init__(self, root: Path) -> None:
        self.folder = root / "project"
        self.folder.mkdir()
        self.home = root / "home"
        self.snapshots = Snapshots(self.home, "project-0123abcd", self.folder)
        self.time_ms = 1_790_000_000_000

    @property
    def store(self):
        return self.snapshots.store

    def write(self, path: str, data: bytes | str) -> Path:
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data.encode() if isinstance(data, str) else data)
        return place

    def git(self, *arguments: str, env: dict[str, str] | None = None) -> str:
        """Runs git as the person does."""
        environment = {**os.environ, **_PERSON, **(env or {})}
        done = subprocess.run(["git", *arguments], cwd=self.folder, env=environment, capture_output=True, check=True)
        return done.stdout.decode("utf-8", "surrogateescape")

    def own_git(self, *arguments: str) -> str:
        """Runs git on the repository of Chorus."""
        call = ["git", "--git-dir", str(self.store.git_dir), *arguments]
        return subprocess.run(call, capture_output=True, check=True, text=True).stdout

    def facts(self, kind: SnapshotKind, *, turn: int = 1, **more) -> SnapshotFacts:
        self.time_ms += 1000
        return SnapshotFacts(kind=kind, conversation=CONVERSATION, time_ms=self.time_ms, turn=turn, **more)

    def edit(self, path: str, data: bytes | str | None, *, call: str = "toolu_1", turn: int = 1):
        """Does what an editing tool does, with a snapshot before and after it. `None` deletes the file."""
        place = self.folder / path
        before = self.facts(SnapshotKind.BEFORE, call=call, turn=turn, tool="Edit")
        self.snapshots.take_files([str(place)], before, f"Before Edit {path}")
        if data is None:
            place.unlink()
        else:
            self.write(path, data)
        after = self.facts(
            SnapshotKind.AFTER, call=call, turn=turn, tool="Edit", model="claude-opus-4-5", feed=Feed.CONTROL
        )
        return self.snapshots.take_files([str(place)], after, f"Edit {path}")

    def end_turn(self, turn: int = 1):
        facts = self.facts(SnapshotKind.TURN, turn=turn, model="claude-opus-4-5")
        return self.snapshots.take_changes(facts, f"End of turn {turn}")

    def state(self) -> dict[str, tuple[int, bytes]]:
        """Returns everything below the folder: names, modes and content."""
        found = {}
        for place in sorted(self.folder.rglob("*")):
            known = place.lstat()
            data = (
                os.fsencode(place.readlink()) if place.is_symlink() else b"" if place.is_dir() else place.read_bytes()
            )
            found[str(place.relative_to(self.folder))] = (known.st_mode, data)
        return found


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    made = Workspace(tmp_path)
    yield made
    made.snapshots.close()


@pytest.fixture
def repository(workspace: Workspace) -> Workspace:
    """A workspace that is a git repository of a person, with one commit."""
    workspace.git("init", "--quiet")
    workspace.write("a.txt", "one\ntwo\nthree\n")
    workspace.write("src/b.py", b"x\r\ny\r\n")
    workspace.git("add", "--all")
    workspace.git("commit", "--quiet", "--message", "first")
    return workspace
