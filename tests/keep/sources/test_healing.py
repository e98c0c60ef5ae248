"""Tests that lost parts of the vault are recorded again from their sources, or named if no source has them."""

import os
import random
import shutil
from pathlib import Path

import pytest

from chorus.keep.restore.blobs import blob_names
from chorus.keep.restore.checking import check, mark_suspects
from chorus.keep.sources.sync import Sync
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.layout import stream_file
from chorus.keep.vault.port import contents
from chorus.show.recorder.decisions import Decisions
from tests.support.damage import KINDS, NOW, build, damage, targets

FORGOTTEN = "5e551012-0000-4000-8000-000000000005"
REVISED = "5e551012-0000-4000-8000-000000000001.jsonl"
"""Its source was rewritten: what it was before is nowhere but in the vault."""
PERSONS = ("state/forgotten.jsonl", "state/approvals.jsonl", "state/approvers.jsonl", "hooks.json", "hook.key")
"""What people decided is never made up."""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A client's folder and its vault, which no test changes."""
    return build(tmp_path_factory.mktemp("made"))


def sync(root, *sources):
    """Does what `chorus sync` does with a vault."""
    vault = FileVault(root)
    syncing = Sync(vault, root, lambda: NOW, is_wanted=lambda key, _path: key.conversation != FORGOTTEN)
    healed = syncing.heal(sources)
    syncing.run(sources)
    decisions = Decisions(vault)
    if healed.has_lost_decisions:
        decisions.begin_again()
    decisions.take()
    vault.close()
    return healed


def damaged(root):
    return check(FileVault(root), blob_names(root)).damaged


def everything(root):
    """Returns the content of each stream except the manifests."""
    vault = FileVault(root)
    return {stream_file(key): contents(vault, key) for key in list(vault.keys()) if key.stream != "manifest"}


def campaign(made, folder, count, seed):
    """Returns the damages that a sync did not repair."""
    client, root = made
    before = everything(root)
    chance = random.Random(seed)
    bad, done = [], 0
    copy = folder / "copy"
    while done < count:
        shutil.copytree(root, copy, copy_function=shutil.copy2)
        chosen = [path for path in targets(copy) if not str(path).removesuffix(".proof").endswith(PERSONS)]
        path, kind = chance.choice(chosen), KINDS[done % len(KINDS)]
        if damage(path, kind, chance):
            done += 1
            healed = sync(copy, client, client.parent / "logs")
            left = damaged(copy)
            is_named = not left or (path.name.startswith(REVISED) and bool(healed.lost))
            if not is_named or not healed.mended or everything(copy) != before:
                bad.append((str(path.relative_to(copy)), kind, left, healed.mended, healed.lost))
        shutil.rmtree(copy)
    return bad


def test_a_sound_vault_needs_no_healing(made, tmp_path):
    """A sync of a sound vault reports and changes nothing."""
    client, root = made
    copy = shutil.copytree(root, tmp_path / "copy", copy_function=shutil.copy2)
    healed = sync(copy, client, client.parent / "logs")

    assert (healed.mended, healed.lost, damaged(copy)) == ([], [], [])


def test_damage_is_healed_from_the_sources(made, tmp_path):
    """After any damage to a file, a sync makes the vault whole, and it gives the sources back."""
    assert campaign(made, tmp_path, 27, seed=3) == []


@pytest.mark.long
def test_three_hundred_damages_are_healed(made, tmp_path):
    """A sync repairs each of three hundred damages."""
    assert campaign(made, tmp_path, 300, seed=4) == []


def test_without_its_source_a_loss_is_named(made, tmp_path):
    """A loss that no source has is named by each sync and each check, and is never returned as if it were whole."""
    client, root = made
    copy = shutil.copytree(root, tmp_path / "copy", copy_function=shutil.copy2)
    gone = shutil.copytree(client, tmp_path / "gone")
    vault = FileVault(copy)
    key = next(key for key in list(vault.keys()) if key.stream == "session" and vault.path(key).exists())
    Path(Sync(vault, copy, lambda: NOW)._owners[key]).rename(tmp_path / "moved.jsonl")
    vault.path(key).write_bytes(b"".join(vault.path(key).read_bytes().splitlines(keepends=True)[:-3]))
    try:
        for _ in range(2):
            healed = sync(copy, gone / "nothing")
            assert not healed.mended and [stream_file(key) in each for each in healed.lost] == [True]
            assert [each.stream.endswith(f"{key.conversation}/session") for each in damaged(copy)] == [True]
        with pytest.raises(ValueError, match="its file ends at byte"):
            contents(FileVault(copy), key)
    finally:
        (tmp_path / "moved.jsonl").rename(Sync(vault, copy, lambda: NOW)._owners[key])


def test_damage_that_changed_no_time_is_healed_after_a_check(made, tmp_path):
    """`verify` finds a byte that changed on the disk, and the next sync repairs it."""
    client, root = made
    copy = shutil.copytree(root, tmp_path / "copy", copy_function=shutil.copy2)
    vault = FileVault(copy)
    path = next(vault.path(key) for key in list(vault.keys()) if key.stream == "session" and vault.path(key).exists())
    data, times = path.read_bytes(), (path.stat().st_atime_ns, path.stat().st_mtime_ns)
    path.write_bytes(data[:900] + bytes([data[900] ^ 1]) + data[901:])
    os.utime(path, ns=times)
    assert sync(copy, client).mended == [] and len(damaged(copy)) == 1

    mark_suspects(FileVault(copy))

    assert len(sync(copy, client).mended) == 1
    assert path.read_bytes() == data and damaged(copy) == []


def test_a_vault_of_an_older_chorus_is_listed_once(made, tmp_path):
    """A vault without an inventory is not damaged. A sync lists its files and reports nothing."""
    client, root = made
    copy = shutil.copytree(root, tmp_path / "copy", copy_function=shutil.copy2)
    for path in [*copy.rglob("*.proof"), copy / "state" / "inventory.jsonl"]:
        path.unlink()
    (copy / "vault.json").write_text('{"format": 1}\n')
    assert damaged(copy) == []

    healed = sync(copy, client)

    assert (healed.mended, healed.lost, damaged(copy)) == ([], [], [])
    path = next(path for path in targets(copy) if path.suffix == ".zst")
    path.unlink()
    assert len(damaged(copy)) == 1


def test_the_notes_of_a_conversation_of_parts_are_made_again(made, tmp_path):
    """A conversation that consists of parts of other sources gets a lost manifest again, each note once."""
    client, root = made
    copy = shutil.copytree(root, tmp_path / "copy", copy_function=shutil.copy2)
    vault = FileVault(copy)
    parts = [key for key in list(vault.keys()) if key.stream.startswith(("part-", "log-part-"))]
    assert {key.stream.rpartition("-")[0] for key in parts} == {"part", "log-part"}
    manifests = {vault.path(key.sibling("manifest")) for key in parts}
    before = {path: path.read_bytes() for path in manifests}
    for path in manifests:
        path.unlink()

    healed = sync(copy, client, client.parent / "logs")

    assert healed.lost == [] and damaged(copy) == []
    assert {path: path.read_bytes() for path in manifests} == before


def _in_its_place(kind, path, outside):
    """Replaces a file or folder of the vault with something else."""
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    match kind:
        case "folder":
            path.mkdir()
            (path / "note.txt").write_text("mine")
        case "pipe":
            os.mkfifo(path)
        case "file":
            path.write_text("mine")
        case _:
            path.symlink_to(outside)


PLACES = [
    ("stream", "conversations/*/main/*0002.jsonl", ("folder", "pipe", "link")),
    ("packed stream", "conversations/*/main/*.zst", ("folder", "pipe", "link")),
    ("manifest", "conversations/*/main/*0002/manifest.jsonl", ("folder", "pipe", "link")),
    ("folder of a conversation", "conversations/*/main/*0002", ("file", "pipe", "link")),
    ("folder of a workspace", "conversations/2-*", ("file", "pipe", "link")),
    ("blob", "blobs/??/*", ("folder", "pipe", "link")),
    ("folder of blobs", "blobs/??", ("file", "link")),
    ("inventory", "state/inventory.jsonl", ("folder", "pipe", "link")),
    ("notes", "state/sources.jsonl", ("folder", "pipe", "link")),
    ("list of decisions", "state/decisions.json", ("folder", "pipe", "link")),
    ("format", "vault.json", ("folder", "pipe", "link")),
]


@pytest.mark.parametrize(
    ("pattern", "kind"),
    [pytest.param(each, kind, id=f"{name}-{kind}") for name, each, kinds in PLACES for kind in kinds],
)
def test_what_is_no_file_of_the_vault_is_set_aside(made, tmp_path, pattern, kind):
    """Something else in the place of a file is reported, moved away unopened, and what it hid is recorded again.

    It keeps nothing else from being recorded.
    """
    client, root = made[0], tmp_path / "vault"
    shutil.copytree(made[1], root, copy_function=shutil.copy2)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.txt").write_text("mine")
    before = everything(root)
    path = min(root.glob(pattern))
    _in_its_place(kind, path, outside)
    more = tmp_path / "more"
    more.mkdir()
    new = next(client.rglob("*0002.jsonl")).read_bytes().replace(b"5e551012-", b"aaaaaaaa-")
    (more / "new.jsonl").write_bytes(new)

    assert damaged(root), "nothing notices it"
    healed = sync(root, client, made[0].parent / "logs", more)

    assert any("set aside as" in each for each in healed.mended)
    found = everything(root)
    assert any("aaaaaaaa-" in each for each in found), "the rest is not recorded"
    assert {file: found.get(file) for file in before} == before
    assert not [each for each in damaged(root) if "manifest" not in str(each)]
    assert [each.name for each in outside.iterdir()] == ["kept.txt"]


@pytest.mark.parametrize("name", ["*0002.jsonl", "*0002/manifest.jsonl", "*0002"])
@pytest.mark.parametrize("kind", ["folder", "link", "pipe"])
def test_a_blocked_place_delays_one_source(made, tmp_path, name, kind):
    """If something gets into the place of a stream while Chorus records, all other sources are still recorded."""
    if (name, kind) == ("*0002", "folder"):
        pytest.skip("a folder is what belongs there")
    client, root = tmp_path / "claude", tmp_path / "vault"
    shutil.copytree(made[0], client)
    vault = FileVault(root)
    syncing = Sync(vault, root, lambda: NOW)
    syncing.run([client])
    vault.close()
    path = next(root.glob(f"conversations/*/main/{name}"))
    _in_its_place(kind, path, tmp_path / "outside")
    for each in client.rglob("*000[123].jsonl"):
        with each.open("ab") as file:
            file.write(b'{"type":"user","sessionId":"new","message":{"role":"user","content":"later"}}\n')
        (each.with_suffix("") / "tool-results").mkdir(parents=True, exist_ok=True)
        (each.with_suffix("") / "tool-results" / "more.txt").write_text(each.name)

    report = syncing.run([client])
    vault.close()

    assert report.grown >= 2
    assert len(report.failed) == 1 and "0002" in report.failed[0]
