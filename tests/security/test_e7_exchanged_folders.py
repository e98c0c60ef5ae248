"""Tests of E7: a folder that is replaced by a link after its files were found does not lead to other files."""

import json
import shutil
from pathlib import Path

import pytest

from chorus.keep.vault.files import FileVault
from chorus.keep.vault.line import StoredLine
from chorus.library import files
from chorus.steer.clients.registry import Registry
from chorus.testing.builders import Layout, lay_out
from tests.keep.sources.test_healing import sync
from tests.steer.clients.entries import entry, put
from tests.support.damage import build, session

SECRET = "what a file elsewhere says"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A client's folder and its vault, which no test changes."""
    return build(tmp_path_factory.mktemp("made"))


def folders_of(client: Path) -> list[Path]:
    """Returns every folder that may be exchanged, without `projects`, which a person may have on another disk."""
    return [path for path in sorted(client.rglob("*")) if path.is_dir() and path != client / "projects"]


def exchange(folder: Path, elsewhere: Path) -> None:
    """Moves a folder away, writes a secret into each of its files, and puts a link in its place."""
    shutil.move(folder, elsewhere)
    for path in [each for each in elsewhere.rglob("*") if each.is_file()]:
        if path.suffix == ".jsonl":
            last = json.loads(path.read_bytes().splitlines()[-1])
            path.write_bytes(path.read_bytes() + json.dumps(last | {"secret": SECRET}).encode() + b"\n")
        else:
            path.write_text(SECRET)
    folder.symlink_to(elsewhere)


def damage_streams(root: Path) -> None:
    """Removes the last line of every stream that is not sealed, so that its source is needed again."""
    for path in (root / "conversations").rglob("*.jsonl"):
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    for path in [each for each in (root / "blobs").rglob("*") if each.is_file()]:
        path.unlink()


def said(root: Path) -> bytes:
    """Returns everything that a vault stores."""
    vault = FileVault(root)
    found = b"".join(
        line.bytes for key in list(vault.keys()) for line in vault.lines(key) if isinstance(line, StoredLine)
    )
    vault.close()
    return found + b"".join(path.read_bytes() for path in (root / "blobs").rglob("*") if path.is_file())


@pytest.mark.parametrize("names_source", [True, False])
def test_healing_follows_no_folder_that_became_a_link(made, tmp_path, names_source):
    """Whichever folder was exchanged, healing never reads files elsewhere, for a named source and for a known one."""
    count = len(folders_of(made[0]))
    for number in range(count):
        place = tmp_path / str(number)
        client = shutil.copytree(made[0], place / "claude")
        root = place / "vault"
        sync(root, client)
        damage_streams(root)
        folder = folders_of(client)[number]
        exchange(folder, place / "elsewhere")
        sync(root, *([client] if names_source else []))
        assert SECRET.encode() not in said(root), folder
        shutil.rmtree(place)
    print(f"E7: {count} folders exchanged before healing: 0 escapes")


def test_healing_opens_only_regular_files(made, tmp_path):
    """A source that became a link to a device or to another file is reported as lost."""
    client = shutil.copytree(made[0], tmp_path / "claude")
    root = tmp_path / "vault"
    sync(root, client)
    damage_streams(root)
    (tmp_path / "secret.jsonl").write_text(json.dumps({"secret": SECRET}) + "\n")
    for number, path in enumerate(sorted(client.rglob("*.jsonl"))):
        path.unlink()
        path.symlink_to("/dev/zero" if number % 2 else tmp_path / "secret.jsonl")
    healed = sync(root)

    assert healed.lost
    assert SECRET.encode() not in said(root)


def test_a_client_below_a_source_is_read_within_the_source(tmp_path):
    """For a client below a named folder, history and side files are not read through a link."""
    backup, elsewhere = tmp_path / "backup", tmp_path / "elsewhere"
    lay_out(backup / "claude", session(1, 2), Layout.BELOW)
    (elsewhere / "tasks" / session(1, 0).id).mkdir(parents=True)
    (elsewhere / "tasks" / session(1, 0).id / "1.json").write_text(SECRET)
    prompt = {"display": SECRET, "timestamp": 1, "project": "/w/0", "sessionId": session(1, 0).id}
    (elsewhere / "history.jsonl").write_text(json.dumps(prompt) + "\n")
    for name in ("tasks", "history.jsonl"):
        (backup / "claude" / name).symlink_to(elsewhere / name)
    sync(tmp_path / "vault", backup)

    assert b"Question 0" in said(tmp_path / "vault")
    assert SECRET.encode() not in said(tmp_path / "vault")


def test_a_registry_that_is_a_link_names_no_session(tmp_path):
    """Registry entries are read only in the client's own folder, even if `sessions` was replaced by a link."""
    put(tmp_path / "elsewhere", entry(name=SECRET))
    (tmp_path / "claude").mkdir()
    registry = Registry([tmp_path / "claude"])
    (tmp_path / "claude" / "sessions").symlink_to(tmp_path / "elsewhere" / "sessions")
    assert registry.look() == {}
    (tmp_path / "linked").symlink_to(tmp_path / "elsewhere")
    assert len(Registry([tmp_path / "linked"]).look()) == 1


def test_the_sidecar_of_an_agent_is_read_within_its_project(tmp_path):
    """Metadata of sub-agents is not read if their folder leads out of the client's folder."""
    path = lay_out(tmp_path / "claude", session(1, 2), Layout.BELOW)
    folder = path.with_suffix("") / "subagents"
    shutil.copytree(folder, tmp_path / "elsewhere")
    sidecar = next((tmp_path / "elsewhere").glob("*.meta.json"))
    sidecar.write_text(json.dumps(json.loads(sidecar.read_text()) | {"description": SECRET}))
    agent = next(folder.glob("agent-*.jsonl"))
    shutil.rmtree(folder)
    folder.symlink_to(tmp_path / "elsewhere")

    assert files.metadata(str(agent), "a1", None) is None
