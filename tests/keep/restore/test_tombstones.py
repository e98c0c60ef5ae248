"""Tests the list of forgotten conversations, which is durable, append-only, and never read as shorter than it is."""

import json
import stat

import pytest

from chorus.errors import VaultUnwritable
from chorus.keep.vault.tombstones import Tombstone, add_tombstones, forgotten, is_forgotten, tombstones_path

NOW = "2026-11-15T01:02:03.000Z"


def test_tombstones_add_up(tmp_path):
    """Each call adds its lines to the existing ones, in a file that only this user can read."""
    add_tombstones(tmp_path, [Tombstone("a", NOW)])
    assert forgotten(tmp_path) == {"a"}
    add_tombstones(tmp_path, [Tombstone("b", NOW, "b*"), Tombstone("c", NOW, "b*")])

    assert forgotten(tmp_path) == {"a", "b", "c"}
    lines = [json.loads(line) for line in tombstones_path(tmp_path).read_text().splitlines()]
    assert lines[0] == {"conversation": "a", "time": NOW}
    assert lines[1] == {"conversation": "b", "time": NOW, "pattern": "b*"}
    assert stat.S_IMODE(tombstones_path(tmp_path).stat().st_mode) == 0o600


def test_no_file_means_nothing_was_forgotten(tmp_path):
    """A vault without tombstones records everything."""
    assert not is_forgotten(tmp_path, "a")


def test_a_torn_line_takes_no_other_with_it(tmp_path):
    """After a crash in the middle of a line, the lines before and after it still count."""
    add_tombstones(tmp_path, [Tombstone("a", NOW)])
    with tombstones_path(tmp_path).open("ab") as file:
        file.write(b'{"conversation":"to')
    add_tombstones(tmp_path, [Tombstone("b", NOW)])

    assert forgotten(tmp_path) == {"a", "b"}


def test_an_unreadable_list_stops_the_recording(tmp_path):
    """If the list cannot be read, nothing is recorded, because it could be something forgotten."""
    tombstones_path(tmp_path).mkdir(parents=True)

    with pytest.raises(VaultUnwritable):
        is_forgotten(tmp_path, "a")


def test_a_link_is_not_followed(tmp_path):
    """A link in place of the list is not written through."""
    (tmp_path / "state").mkdir()
    (tmp_path / "target").write_bytes(b"")
    tombstones_path(tmp_path).symlink_to(tmp_path / "target")

    with pytest.raises(VaultUnwritable):
        add_tombstones(tmp_path, [Tombstone("a", NOW)])
    assert (tmp_path / "target").read_bytes() == b""
