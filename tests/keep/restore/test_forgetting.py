"""Tests that forgetting removes only the chosen data, writes a tombstone first, and can be finished after a crash."""

import pytest

from chorus.errors import VaultTooNew, VaultUnwritable
from chorus.keep.archive.listing import conversations, find
from chorus.keep.restore.blobs import blob_names
from chorus.keep.restore.checking import check
from chorus.keep.restore.forgetting import forget, matching, planned_removal
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.tombstones import is_forgotten
from chorus.steer.runs.run_folders import Runs
from tests.support.keeping import SESSION, client_folder, files, keep, note_side_file

OTHER = "aaaaaaaa-0000-4000-8000-000000000002"
NOW = "2026-11-15T01:02:03.000Z"


@pytest.fixture
def vault(tmp_path):
    """A vault with two conversations that share a plan, each with its own side files."""
    vault = FileVault(tmp_path / "vault")
    for session in (SESSION, OTHER):
        config = tmp_path / f"claude-{session[:4]}"
        client_folder(config, session)
        (config / "tasks" / session / "own.json").write_text(session)
        keep(vault, config, session)
    vault.close()
    return vault


def forget_one(vault, session=SESSION):
    (kept,) = find(vault, session)
    return forget(vault, [planned_removal(vault, kept)], Runs(vault.root), time=NOW, pattern=None)


def contents_of(vault):
    return {vault.blob(name) for name in blob_names(vault.root)}


def test_every_byte_goes_and_nothing_else(vault):
    """The streams and own side files are gone. The other conversation and the shared contents are whole."""
    note_side_file(vault, "tool-results/old.txt", b"first content")
    note_side_file(vault, "tool-results/old.txt", b"second content")
    vault.close()
    shared = contents_of(vault) - {SESSION.encode(), b"first content", b"second content"}

    gone = forget_one(vault)

    assert gone == 3 and contents_of(vault) == shared
    assert [kept.id for kept in conversations(vault)] == [OTHER]
    assert not [path for path in (vault.root / "conversations").rglob("*") if SESSION in str(path)]
    assert check(vault, blob_names(vault.root)).damaged == []


def test_the_clients_files_stay(vault, tmp_path):
    """Forgetting changes only the vault."""
    before = {path: path.read_bytes() for path in files(tmp_path / "claude-5f1c")}
    forget_one(vault)

    assert {path: path.read_bytes() for path in files(tmp_path / "claude-5f1c")} == before


def test_a_tombstone_stays(vault):
    """A forgotten conversation is known as forgotten forever, and no other one is."""
    assert not is_forgotten(vault.root, SESSION)
    forget_one(vault)

    assert is_forgotten(vault.root, SESSION) and not is_forgotten(vault.root, OTHER)


def test_without_a_tombstone_nothing_goes(vault):
    """If the tombstone cannot be written, every byte stays, because the next sync would record it again."""
    (vault.root / "state" / "forgotten.jsonl").mkdir()
    before = files(vault.root)

    with pytest.raises(VaultUnwritable, match="nothing was forgotten"):
        forget_one(vault)
    assert files(vault.root) == before


def test_a_newer_vault_is_left_alone(vault):
    """A vault that a newer Chorus wrote is not changed, not even by a tombstone."""
    (vault.root / "vault.json").write_text('{"format": 99}')
    newer = FileVault(vault.root)
    before = files(vault.root)

    with pytest.raises(VaultTooNew):
        forget_one(newer)
    assert files(vault.root) == before


def test_forgetting_again_finishes_the_work(vault):
    """If a crash left some streams, forgetting again removes them."""
    (kept,) = find(vault, SESSION)
    vault.forget(kept.keys[0])
    forget_one(vault)

    assert [kept.id for kept in conversations(vault)] == [OTHER]


def test_sealed_conversations_go_too(vault):
    """A sealed conversation is also removed."""
    for key in list(vault.keys()):
        vault.seal(key)
    forget_one(vault)

    assert [kept.id for kept in conversations(vault)] == [OTHER]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*/claude-5f1c/*", [SESSION]),
        ("*/projects/*.jsonl", [OTHER, SESSION]),
        ("5f1c*", [SESSION]),
        ("w-*/main/aaaa*", [OTHER]),
        ("*nothing like it*", []),
        ("[a]*", [OTHER]),
    ],
)
def test_patterns(vault, pattern, found):
    """A pattern is compared with the paths of the sources, the id and the name, and `*` also matches across folders."""
    assert sorted(kept.id for kept in matching(vault, pattern)) == sorted(found)
