"""Tests that a running server bounds the snapshots of files by itself."""

from chorus.base import config
from chorus.keep.snapshots.commits import SnapshotFacts, SnapshotKind
from chorus.keep.snapshots.snapshots import Snapshots
from chorus.show.recorder.snapshot_retention import SnapshotRetention

DAY_MS = 86_400_000
NOW_S = 1_790_000_000.0


def test_old_snapshots_are_removed_once_a_day(tmp_path):
    """Snapshots older than the settings allow go, newer ones stay, and the next look is a day later."""
    home, folder = tmp_path / "home", tmp_path / "work"
    folder.mkdir()
    with config.edit(home) as settings:
        settings.keep_snapshots_days = 10
    snapshots = Snapshots(home, "work-1", folder)
    for name, days in (("old", 11), ("new", 9)):
        (folder / "file").write_text(name)
        time_ms = int(NOW_S * 1000) - days * DAY_MS
        facts = SnapshotFacts(kind=SnapshotKind.AFTER, conversation=name, time_ms=time_ms)
        snapshots.take_files(["file"], facts, "Edit")
    said: list[str] = []
    retention = SnapshotRetention(home, said.append)
    thread = retention.begin(NOW_S)
    assert thread is not None
    thread.join()

    assert list(snapshots.store.refs()) == ["refs/chorus/new/main"]
    assert retention.begin(NOW_S + 3600) is None and said == []
    snapshots.close()


def test_a_problem_is_a_warning(tmp_path):
    """Settings that cannot be read are reported, and nothing is removed."""
    (tmp_path / "config.json").write_text("{")
    said: list[str] = []
    thread = SnapshotRetention(tmp_path, said.append).begin(NOW_S)
    assert thread is not None
    thread.join()

    assert len(said) == 1 and "config.json" in said[0]
