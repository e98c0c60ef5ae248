"""Tests that streams of the vault are read like files."""

from chorus.keep.archive.listing import conversations
from chorus.keep.archive.reading import KeptReading
from chorus.keep.sources.reading import Reading
from chorus.keep.vault.files import FileVault
from tests.keep.archive.vaults import client, keep, talk


def kept_session(tmp_path):
    (path,) = client(tmp_path / "claude", talk())
    vault = FileVault(tmp_path / "vault")
    keep(vault, tmp_path / "vault", tmp_path / "claude")
    (kept,) = conversations(vault)
    return path, vault, next(key for key in kept.keys if key.stream == "session")


def pieces(reading):
    return [piece for batch in reading.batches() for piece in batch]


def test_a_kept_stream_reads_as_its_file(tmp_path):
    """The bytes, lines and pieces of a recorded stream are those of its file."""
    path, vault, key = kept_session(tmp_path)
    live, stored = Reading(str(path)), KeptReading(vault, key)

    assert [(each.offset, each.raw, each.tail) for each in pieces(stored)] == [
        (each.offset, each.raw, each.tail) for each in pieces(live)
    ]
    assert (stored.lines, stored.size_bytes) == (live.lines, live.size_bytes)
    assert stored.damaged == 0


def test_damaged_lines_are_counted_and_the_rest_is_read(tmp_path):
    """A damaged line is counted, and all other lines are read."""
    path, vault, key = kept_session(tmp_path)
    lines = vault.path(key).read_bytes().splitlines(keepends=True)
    vault.path(key).write_bytes(b"".join([lines[0], b"damage\n", *lines[2:]]))
    stored = KeptReading(vault, key)

    assert len(pieces(stored)) == len(pieces(Reading(str(path)))) - 1
    assert stored.damaged == 1
