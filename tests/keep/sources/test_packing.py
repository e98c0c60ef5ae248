"""Tests that idle conversations are sealed together, at a cost that grows with what is sealed."""

import os

from chorus.keep.restore.blobs import blob_names
from chorus.keep.restore.checking import check
from chorus.keep.sources.sync import Sync
from chorus.keep.vault.files import FileVault
from chorus.testing.builders import Session, lay_out, tool_use
from tests.keep.sources.keeping import NOW


def session_with(agents):
    session = Session()
    session.user("Dig everywhere")
    for n in range(agents):
        session.assistant(tool_use("Agent", {"prompt": "Dig"}, id=f"t{n}"))
        agent = session.agent(f"a{n:05d}", f"t{n}", description="Dig")
        agent.user("Dig")
    return session


def packed(folder, agents, monkeypatch):
    """Returns the vault after sealing a conversation with so many sub-agents, and the number of folder listings."""
    lay_out(folder / "claude", session_with(agents))
    vault = FileVault(folder / "vault")
    syncing = Sync(vault, folder / "vault", lambda: NOW)
    syncing.run([folder / "claude"])
    listed = []
    real = os.scandir
    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", lambda *given: listed.append(given) or real(*given))
        assert syncing.seal_idle(2**63) == agents + 1
    vault.close()
    return vault, len(listed)


def test_many_streams_are_packed_with_few_looks_at_their_folder(tmp_path, monkeypatch):
    """Sealing twice as many sub-agents lists the folder equally often, because a listing is as long as the folder."""
    few, some = packed(tmp_path / "few", 20, monkeypatch)
    many, more = packed(tmp_path / "many", 40, monkeypatch)

    assert some == more
    for vault in (few, many):
        assert list(vault.root.rglob("*.jsonl.zst")) and not list((vault.root / "conversations").rglob("*.jsonl"))
        assert check(vault, blob_names(vault.root)).is_identical


def test_a_stream_that_somebody_writes_is_left_open(tmp_path):
    """A stream that another process writes is not waited for, and is sealed later."""
    lay_out(tmp_path / "claude", session_with(1))
    vault, other = FileVault(tmp_path / "vault"), FileVault(tmp_path / "vault")
    syncing = Sync(vault, tmp_path / "vault", lambda: NOW)
    syncing.run([tmp_path / "claude"])
    busy, *_ = list(vault.keys())
    other.tail(busy)

    assert busy not in vault.seal_all(list(vault.keys()))
    assert vault.path(busy).exists()
    other.close()
    assert busy in vault.seal_all([busy])
    vault.close()


def test_a_crash_between_packing_and_removing_leaves_both(tmp_path, monkeypatch):
    """After a kill that left both the sealed and the open file, nothing is lost, and the next append works."""
    lay_out(tmp_path / "claude", session_with(1))
    vault = FileVault(tmp_path / "vault")
    Sync(vault, tmp_path / "vault", lambda: NOW).run([tmp_path / "claude"])
    with monkeypatch.context() as patch:
        patch.setattr("chorus.keep.vault.sealing.Packing.remove_open", lambda _self: None)
        vault.seal_all(list(vault.keys()))
    vault.close()

    again = FileVault(tmp_path / "vault")
    assert check(again, blob_names(again.root)).is_identical
    key = next(iter(again.keys()))
    again.append(key, b"{}\n", seen_at=NOW)
    again.close()
    assert not check(FileVault(again.root), blob_names(again.root)).damaged
