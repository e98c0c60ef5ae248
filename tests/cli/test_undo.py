"""Tests of `chorus undo` and `chorus history`: names of any bytes, files that cannot be written, branches."""

import json
import os
import resource
import subprocess

import pytest

from chorus.base import config
from chorus.base.config import Workspace
from chorus.errors import ChorusError
from chorus.keep.snapshots.commits import SnapshotFacts, SnapshotKind
from chorus.keep.snapshots.snapshots import Snapshots, snapshots_of
from chorus.keep.vault.keys import workspace_id
from chorus.testing.builders import Session
from tests.cli.commands import run

NAME = os.fsdecode(b"caf\xe9.txt")
LARGE = b"0123456789abcdef\n" * 20_000
AGENT = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "Ada",
         "GIT_COMMITTER_EMAIL": "a@example.org", "GIT_CONFIG_GLOBAL": os.devnull}  # fmt: skip


class Work:
    """A recorded conversation in a workspace that a person named, with snapshots of its turns."""

    def __init__(self, root) -> None:
        self.folder = root / "work"
        self.folder.mkdir()
        session = Session(cwd=str(self.folder))
        session.user("Change the files")
        place = root / "client/projects/-work" / f"{session.id}.jsonl"
        place.parent.mkdir(parents=True)
        place.write_bytes(bytes(session))
        name = workspace_id(str(self.folder))
        with config.edit(root / "home") as settings:
            settings.workspaces.append(Workspace(id=name, path=str(self.folder), is_named=True))
        assert run("sync", root / "client").exit_code == 0
        self.id = session.id
        self.snapshots = Snapshots(root / "home", name, self.folder)
        self._time_ms = 1_790_000_000_000

    def look(self, kind: SnapshotKind) -> None:
        self._time_ms += 1000
        facts = SnapshotFacts(kind=kind, conversation=self.id, time_ms=self._time_ms, turn=1)
        self.snapshots.take_changes(facts, kind.value)

    def turn(self, files: dict[str, tuple[bytes, bytes]]) -> None:
        """The agent changes these files: name → content before and after."""
        for side, kind in enumerate((SnapshotKind.BEFORE, SnapshotKind.BEFORE, SnapshotKind.TURN)):
            for name, contents in files.items() if side else ():
                (self.folder / name).write_bytes(contents[side - 1])
            self.look(kind)

    def git(self, *arguments: str) -> None:
        environment = {**os.environ, **AGENT}
        subprocess.run(["git", *arguments], cwd=self.folder, env=environment, check=True, capture_output=True)


@pytest.fixture
def work(tmp_path, monkeypatch):
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "home"))
    work = Work(tmp_path)
    yield work
    work.snapshots.close()


def test_names_that_are_no_text_are_listed_and_undone(work):
    """A file whose name is not UTF-8 has the same spelling in every JSON output, and can be undone by its name."""
    work.turn({NAME: (b"before\n", b"after\n")})
    listed = json.loads(run("history", "--conversation", work.id, "--json").stdout)
    planned = json.loads(run("undo", work.id, "--dry-run", "--json").stdout)
    done = run("undo", work.id, str(work.folder / NAME), "--yes", "--json")

    assert [each["path"] for each in listed] == [NAME]
    assert planned["files"] == [{"path": NAME, "outcome": "restored", "reason": None}]
    assert json.loads(done.stdout)["files"][0]["path"] == NAME
    assert (work.folder / NAME).read_bytes() == b"before\n"
    assert run("history", "--conversation", work.id).exit_code == 0


@pytest.mark.parametrize("as_json", [True, False])
def test_a_file_that_cannot_be_written_does_not_hide_the_others(work, as_json):
    """The files that were written are named and stored, the one that was not is named with the reason."""
    work.turn(dict.fromkeys(("1.txt", "3.txt"), (b"a\n", b"b\n")) | {"2.txt": (LARGE, b"b\n")})
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(LARGE) // 2, limits[1]))
    try:
        done = run("undo", work.id, "--yes", *(["--json"] if as_json else []))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    assert done.exit_code == 1
    if as_json:
        found = {each["path"]: each["outcome"] for each in json.loads(done.stdout)["files"]}
        assert found == {"1.txt": "restored", "2.txt": "failed", "3.txt": "restored"}
    else:
        assert "2 files changed" in done.stdout
        assert "could not be written" in done.stdout
    assert {each.name: each.read_bytes() for each in work.folder.iterdir()} == {
        "1.txt": b"a\n", "2.txt": b"b\n", "3.txt": b"a\n",
    }  # fmt: skip
    assert next(snapshots_of(work.snapshots.store, work.id)).facts.kind is SnapshotKind.UNDO


def test_files_of_a_switch_are_listed_and_not_undone(work):
    """What git changed is listed as switched; asking to undo it says why that is not possible."""
    (work.folder / "a.txt").write_bytes(b"main\n")
    for step in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "1"], ["checkout", "-qb", "other"]):
        work.git(*step)
    (work.folder / "a.txt").write_bytes(b"other\n")
    work.git("commit", "-qam", "2")
    work.git("checkout", "-q", "main")
    work.look(SnapshotKind.BEFORE)
    work.git("checkout", "-q", "other")
    work.look(SnapshotKind.TURN)
    (listed,) = json.loads(run("history", "--conversation", work.id, "--json").stdout)

    assert (listed["path"], listed["change"], listed["branch"]) == ("a.txt", "switched", "other")
    assert run("diff", work.id).stdout.strip() == "No file was changed there, as far as snapshots say."
    with pytest.raises(ChorusError, match=r"a\.txt: git changed it, and no agent \(Switch from main to other\)"):
        run("undo", work.id, str(work.folder / "a.txt"), "--yes")


def test_an_undo_is_listed_and_can_be_undone(work):
    """After an undo, the command that takes it back is printed, and `history` lists the undo."""
    work.turn({"a.txt": (b"before\n", b"after\n"), "new.txt": (b"", b"new\n")})
    done = run("undo", work.id, "--yes")
    listed = json.loads(run("history", "--conversation", work.id, "--json").stdout)
    undone = [each for each in listed if each["change"] == "undone"]
    command = done.stdout.split("`")[1].split()

    assert {each["path"] for each in undone} == {"a.txt", "new.txt"} and not undone[0]["turn"]
    assert command[:2] == ["chorus", "undo"] and undone[0]["commit"].startswith(command[-1])
    assert "undone" in run("history", "--conversation", work.id).stdout
    assert run(*command[1:], "--yes").exit_code == 0
    assert (work.folder / "a.txt").read_bytes() == b"after\n"
    assert (work.folder / "new.txt").read_bytes() == b"new\n"
    for name in ("0" * 12, ""):
        with pytest.raises(ChorusError, match="no such snapshot"):
            run("undo", work.id, "--snapshot", name)
    assert run("undo", work.id, "--snapshot", command[-1], "--turn", "1").exit_code == 2


def test_a_diff_in_a_pipe_can_be_applied_whatever_the_bytes(work, tmp_path):
    """Files that are no UTF-8, have mixed line ends, or are no text, come out of `git apply` as the agent left them."""
    files = {
        "latin.txt": (b"caf\xe9\r\nsame\n", b"caf\xe8\r\nsame\n"),
        "image.png": (bytes(range(256)), bytes(range(255, -1, -1))),
        "no-end": (b"a\nb", b"a\nc"),
        NAME: (b"before\n", b"after\x85\n"),
        'q"uo\nte': (b"before\n", b"after\n"),
    }
    work.turn(files)
    (work.folder / "second.txt").write_bytes(b"\xff\x00")
    work.look(SnapshotKind.TURN)
    text = run("diff", work.id).stdout_bytes
    copy = tmp_path / "copy"
    copy.mkdir()
    for name, (before, _) in files.items():
        (copy / name).write_bytes(before)
    subprocess.run(["git", "apply"], cwd=copy, input=text, check=True)

    found = {each.name: each.read_bytes() for each in copy.iterdir()}
    assert found == {**{name: after for name, (_, after) in files.items()}, "second.txt": b"\xff\x00"}
