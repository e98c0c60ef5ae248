"""Tests that restoring a large file takes as little memory as a small one, and leaves no half of a file."""

import os

import pytest

from chorus.errors import ChorusError
from chorus.keep.archive.listing import find
from chorus.keep.restore.restoring import restore
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.keys import MAIN_STREAM
from chorus.keep.vault.port import Damaged
from chorus.testing.builders import Session
from tests.support.keeping import SESSION, client_folder, files, keep, remove
from tests.support.memory import bounded

MB = 1 << 20
MAX_MORE_MB = 24


@pytest.mark.skipif(not hasattr(os, "posix_spawn"), reason="memory of a child cannot be measured here")
def test_a_large_session_is_restored_in_little_memory(tmp_path, monkeypatch):
    """A session of 64 MiB and a side file of that size are written, compared and replaced in little memory."""
    peaks: dict[str, dict[str, int]] = {}
    for name, count in (("small", 1), ("large", 64)):
        client, back = tmp_path / name / "claude", tmp_path / name / "back"
        session = Session("5e551012-0000-4000-8000-000000000001")
        session.user("begin")
        for _ in range(count * 16):
            session.user("words " * (MB // 16 // 6))
        path = client / "projects" / "-p" / f"{session.id}.jsonl"
        output = path.with_suffix("") / "tool-results" / "toolu_1.txt"
        output.parent.mkdir(parents=True)
        path.write_bytes(bytes(session))
        output.write_bytes(b"x" * count * MB)
        monkeypatch.setenv("CHORUS_HOME", str(tmp_path / name / "home"))
        monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(client))
        bounded(10_000, "sync")
        restored = back / path.relative_to(client)
        used = peaks[name] = {}
        _, used["written"] = bounded(10_000, "restore", session.id, "--to", back)
        assert restored.read_bytes() == path.read_bytes()
        assert (back / output.relative_to(client)).read_bytes() == output.read_bytes()
        _, used["identical"] = bounded(10_000, "restore", session.id, "--to", back)
        restored.write_bytes(restored.read_bytes() + b"more")
        _, used["replaced"] = bounded(10_000, "restore", session.id, "--to", back, "--force")
        assert restored.read_bytes() == path.read_bytes()
        _, used["all"] = bounded(10_000, "restore", session.id, "--all", "--to", tmp_path / name / "all")
    more = {step: peaks["large"][step] - used for step, used in peaks["small"].items()}
    assert max(more.values()) < MAX_MORE_MB, (peaks, more)


class _Fading(FileVault):
    """A vault whose session becomes unreadable in the middle after a number of reads."""

    looks = 0

    def lines(self, key, start=0):
        found = list(super().lines(key, start))
        if key.stream == MAIN_STREAM:
            self.looks -= 1
            if self.looks < 0:
                found[len(found) // 2 :] = [Damaged(key, len(found), "unreadable")]
        yield from found


@pytest.mark.parametrize("looks", range(12))
def test_damage_that_shows_while_a_file_is_written_leaves_nothing(tmp_path, looks):
    """If the vault is damaged between two reads, the session is written whole or not at all, without partial files."""
    config = tmp_path / "claude"
    originals = client_folder(config)
    vault = _Fading(tmp_path / "vault")
    vault.looks = 1_000
    keep(vault, config)
    remove(originals)
    (kept,) = find(vault, SESSION)
    vault.looks = looks

    try:
        restore(vault, kept, to=None, revision=None, is_forced=False)
    except ChorusError as error:
        assert "the vault is damaged" in str(error)  # noqa: PT017 - it need not be raised

    left = {path: path.read_bytes() for path in files(config)}
    assert left.items() <= originals.items()
