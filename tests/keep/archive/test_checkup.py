"""Tests the checkup: which sources of the client are not recorded, and what is damaged in the vault."""

import json
import os
import time

import pytest

from chorus.base.config import Config, Workspace
from chorus.keep.archive.checkup import check, cleanup_days
from chorus.keep.archive.listing import conversations
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.tombstones import Tombstone, add_tombstones
from chorus.testing.builders import Layout
from chorus.testing.builders.lines import SESSION_ID
from tests.keep.archive.vaults import NOW, OTHER_ID, client, keep, talk

DAY_S = 86_400


@pytest.fixture
def vault(tmp_path):
    return FileVault(tmp_path / "vault")


def checkup(vault, tmp_path, *, config=None, is_full=False):
    return check(vault, tmp_path / "claude", config or Config(), now_s=time.time(), is_full=is_full)


@pytest.mark.parametrize("layout", list(Layout))
def test_what_is_kept_is_not_missing(vault, tmp_path, layout):
    """After a sync every source counts as recorded, also the sub-agents of every layout."""
    client(tmp_path / "claude", talk(), talk(OTHER_ID), layout=layout)
    keep(vault, tmp_path / "vault", tmp_path / "claude")

    found = checkup(vault, tmp_path)

    assert found.missing == [] and found.unreadable == [] and found.damaged == []
    assert found.sources == found.kept_sources > 0
    assert found.conversations == 2 and found.vault_bytes > 0 and found.free_bytes


def test_a_second_copy_of_a_session_is_kept(vault, tmp_path):
    """A different copy of a session in another project's folder is recorded beside the first one."""
    (first,) = client(tmp_path / "claude", talk(), layout=Layout.INLINE)
    other = first.parent.with_name("another-project") / first.name
    other.parent.mkdir()
    other.write_bytes(first.read_bytes().splitlines(keepends=True)[0])
    keep(vault, tmp_path / "vault", tmp_path / "claude")

    found = checkup(vault, tmp_path)

    assert found.missing == []
    assert found.kept_sources == found.sources == 2


def test_looking_changes_nothing(vault, tmp_path):
    """A checkup creates no vault, unpacks nothing and takes no lock."""
    client(tmp_path / "claude", talk())
    checkup(vault, tmp_path)
    assert not (tmp_path / "vault").exists()

    keep(vault, tmp_path / "vault", tmp_path / "claude")
    (kept,) = conversations(vault)
    for key in kept.keys:
        vault.seal(key)
    before = sorted(str(path) for path in (tmp_path / "vault").rglob("*"))
    assert checkup(vault, tmp_path).missing == []
    assert sorted(str(path) for path in (tmp_path / "vault").rglob("*")) == before


def test_old_sources_that_are_not_kept_are_at_risk(vault, tmp_path):
    """An unrecorded source is at risk within a week of the client's cleanup. A younger one is only not recorded."""
    old, young = client(tmp_path / "claude", talk(), talk(OTHER_ID), layout=Layout.INLINE)
    for path, days in ((old, 23), (young, 22)):
        os.utime(path, (time.time() - days * DAY_S - 60,) * 2)

    found = checkup(vault, tmp_path)

    assert [each.path for each in found.at_risk] == [str(old)]
    assert [each.path for each in found.missing] == [str(old), str(young)]
    assert found.missing[0].missing_bytes == found.missing[0].size_bytes == old.stat().st_size


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.replace(b"user", b"uzer", 1),
        lambda data: data[: data.find(b"\n") + 1],
        lambda data: b"",
    ],
    ids=["rewritten to the same size", "cut", "emptied"],
)
def test_a_source_that_changed_without_growing_is_not_kept(vault, tmp_path, change):
    """A source that was rewritten or cut after the last pass is reported, and is recorded again by the next pass."""
    (path,) = client(tmp_path / "claude", talk(), layout=Layout.INLINE)
    keep(vault, tmp_path / "vault", tmp_path / "claude")
    path.write_bytes(change(path.read_bytes()))

    assert [each.path for each in checkup(vault, tmp_path).missing] == [str(path)]
    keep(vault, tmp_path / "vault", tmp_path / "claude")
    assert checkup(vault, tmp_path).missing == []


def test_a_kept_stream_that_is_gone_from_the_vault_is_missing(vault, tmp_path):
    """If a stream is missing in the vault, the checkup reports its source, whatever the notes of the last pass say."""
    (path,) = client(tmp_path / "claude", talk(), layout=Layout.INLINE)
    keep(vault, tmp_path / "vault", tmp_path / "claude")
    (kept,) = conversations(vault)
    vault.path(kept.content[0]).unlink()

    assert [each.path for each in checkup(vault, tmp_path).missing] == [str(path)]


def test_the_client_s_own_setting_counts(vault, tmp_path):
    """`cleanupPeriodDays` changes which sources are at risk. Invalid settings are ignored."""
    (path,) = client(tmp_path / "claude", talk(), layout=Layout.INLINE)
    os.utime(path, (time.time() - 10 * DAY_S,) * 2)
    settings = tmp_path / "claude" / "settings.json"
    assert cleanup_days(tmp_path / "claude") is None and checkup(vault, tmp_path).at_risk == []

    settings.write_text(json.dumps({"cleanupPeriodDays": 14, "other": [1]}))
    assert cleanup_days(tmp_path / "claude") == 14 and len(checkup(vault, tmp_path).at_risk) == 1
    for text in ("{", '{"cleanupPeriodDays": "x"}', '{"cleanupPeriodDays": -1}', '{"cleanupPeriodDays": 1e300}'):
        settings.write_text(text)
        assert cleanup_days(tmp_path / "claude") is None


def test_what_grew_since_is_missing_by_its_bytes(vault, tmp_path):
    """The bytes of a source after the recorded end are missing, but not a line that is still being written."""
    (path,) = client(tmp_path / "claude", talk(), layout=Layout.INLINE)
    keep(vault, tmp_path / "vault", tmp_path / "claude")
    line = b'{"type":"custom-title","customTitle":"x","sessionId":"%s"}\n' % SESSION_ID.encode()
    with path.open("ab") as file:
        file.write(line[:20])
    assert checkup(vault, tmp_path).missing == []
    with path.open("ab") as file:
        file.write(line[20:])

    (missing,) = checkup(vault, tmp_path).missing
    assert missing.missing_bytes == len(line) and not missing.is_at_risk


def test_forgotten_and_ignored_sources_are_left_out(vault, tmp_path):
    """A source that a person forgot, or that Chorus ignores, is not missing."""
    client(tmp_path / "claude", talk(), talk(OTHER_ID), layout=Layout.INLINE)
    add_tombstones(tmp_path / "vault", [Tombstone(SESSION_ID, NOW)])
    config = Config(workspaces=[Workspace(id="w", path="/w", ignore=[f"*{OTHER_ID}*"])])

    found = checkup(vault, tmp_path, config=config)

    assert (found.missing, found.ignored_sources) == ([], 2)


def test_what_cannot_be_read_is_reported(vault, tmp_path):
    """A file or folder without permission is named with the reason."""
    (path,) = client(tmp_path / "claude", talk(), layout=Layout.INLINE)
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user (root) may read every file")
    closed = path.parent.parent / "closed"
    closed.mkdir(mode=0)

    found = checkup(vault, tmp_path)
    closed.chmod(0o700)

    assert {each.where for each in found.unreadable} == {str(path), str(closed)}


def test_damage_is_found_anywhere(vault, tmp_path):
    """A quick check reads the files that somebody else changed, and a full check reads all.

    Both name the damaged line.
    """
    client(tmp_path / "claude", talk(), layout=Layout.INLINE)
    keep(vault, tmp_path / "vault", tmp_path / "claude")
    (kept,) = conversations(vault)
    path = vault.path(kept.content[0])
    lines = path.read_bytes().splitlines(keepends=True)
    times = path.stat().st_atime_ns, path.stat().st_mtime_ns
    path.write_bytes(b"".join([lines[0], b"damage".ljust(len(lines[1]) - 1) + b"\n", *lines[2:]]))
    for is_full in (False, True):
        (found,) = checkup(vault, tmp_path, is_full=is_full).damaged
        assert found.where.endswith(f"{SESSION_ID}/session, line 2")
    os.utime(path, ns=times)
    assert checkup(vault, tmp_path).damaged == []
    assert len(checkup(vault, tmp_path, is_full=True).damaged) == 1

    path.write_bytes(b"".join(lines)[:-5])
    assert "its last line is torn" in [each.reason for each in checkup(vault, tmp_path).damaged]
