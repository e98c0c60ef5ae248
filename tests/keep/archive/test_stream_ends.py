"""Tests the ends of recorded streams."""

import os

import pytest

from chorus.keep.archive.stream_ends import ends, size_of
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.memory import MemoryVault
from tests.keep.archive.vaults import NOW

KEY = StreamKey("w-00000000", "main", "c")


def line(number, size=10):
    return b'{"timestamp":"2026-01-01T00:00:%02d.000Z","text":"%s"}\n' % (number, b"x" * size)


@pytest.mark.parametrize("size", [10, 70_000, 300_000])
def test_the_ends_are_those_an_appender_would_find(tmp_path, size):
    """The ends of a file are those that reading all of it gives, however long its lines are."""
    files, memory = FileVault(tmp_path), MemoryVault()
    for vault in (files, memory):
        vault.append(KEY, b"".join(line(n, size) for n in range(9)), seen_at=NOW)
        vault.flush()

    assert ends(files, KEY) == ends(memory, KEY)
    assert ends(files, KEY).tail == memory.tail(KEY)
    assert ends(files, KEY).has_own_times


@pytest.mark.parametrize("make_vault", [FileVault, lambda _: MemoryVault()], ids=["files", "memory"])
def test_the_time_of_a_record_is_distinguished_from_the_time_it_was_seen(tmp_path, make_vault):
    """A stream has times of its own if any record states one, even between lines without a time, and else none."""
    vault = make_vault(tmp_path)
    timeless = StreamKey("w-00000000", "main", "timeless")
    vault.append(KEY, b'{"type":"summary"}\n' * 5 + line(1) + b'{"type":"summary"}\n' * 5, seen_at=NOW)
    vault.append(timeless, b'{"type":"summary"}\n' * 10, seen_at=NOW)
    vault.flush()

    assert ends(vault, KEY).has_own_times
    assert not ends(vault, timeless).has_own_times


def test_what_is_not_there_has_no_ends(tmp_path):
    """A stream that was never recorded has no times, no size and no damage."""
    vault = FileVault(tmp_path)

    assert ends(vault, KEY).tail.seq == 0 and not ends(vault, KEY).has_own_times and ends(vault, KEY).damage is None
    assert size_of(vault, KEY) == 0


def test_damage_at_the_end_is_reported(tmp_path):
    """A torn or damaged last line is reported, and the tail is that of the last good line."""
    vault = FileVault(tmp_path)
    vault.append(KEY, line(1) + line(2), seen_at=NOW)
    vault.flush()
    path = vault.path(KEY)
    good = path.read_bytes()

    path.write_bytes(good + b'{"id":"half')
    assert ends(vault, KEY).damage == "its last line is torn"
    path.write_bytes(good[:-30] + b"?" * 20 + good[-10:])
    assert ends(vault, KEY).damage == "its last line is damaged"
    assert ends(vault, KEY).tail.seq == 1


def test_an_empty_file_does_not_hide_a_sealed_one(tmp_path):
    """A sealed stream keeps its ends and its size, also if an empty open file exists beside it."""
    vault = FileVault(tmp_path)
    vault.append(KEY, line(1) + line(2), seen_at=NOW)
    vault.flush()
    before = ends(vault, KEY)
    vault.seal(KEY)
    vault.path(KEY).touch()

    assert ends(vault, KEY) == before and size_of(vault, KEY) > 0


def test_what_is_no_file_is_damage(tmp_path):
    """A pipe or a link in the place of a stream is reported as damage, and is neither followed nor waited for."""
    vault = FileVault(tmp_path)
    vault.append(KEY, line(1), seen_at=NOW)
    vault.close()
    path = vault.path(KEY)
    path.unlink()
    os.mkfifo(path)
    assert "not a regular file" in (ends(vault, KEY).damage or "")

    path.unlink()
    path.symlink_to("/etc/passwd")
    assert "link" in (ends(vault, KEY).damage or "")
