"""Tests that a full disk is said once, disturbs no agent, and is over as soon as there is space again."""

import os
import subprocess

from chorus.keep.snapshots.commits import Feed
from chorus.keep.snapshots.repository import SnapshotRepository
from chorus.keep.snapshots.snapshots import snapshots_of
from chorus.keep.snapshots.trees import find_entry
from chorus.steer.edits.events import EditEvent, Stage
from chorus.steer.edits.snapshot_queue import SnapshotQueue
from tests.show.server.serving import until

SESSION = "11111111-2222-4333-8444-555555555555"


def work_on(queue: SnapshotQueue, place, calls: range) -> None:
    """Acts like a client that writes files and runs commands."""
    for number in calls:
        call = f"call{number}"
        queue.put(EditEvent(stage=Stage.BEFORE, session=SESSION, tool="Write", call=call, paths=(str(place),)))
        place.write_bytes(os.urandom(9_000))
        queue.put(EditEvent(stage=Stage.AFTER, session=SESSION, tool="Write", call=call, paths=(str(place),)))
        queue.put(EditEvent(stage=Stage.END, session=SESSION))


def test_a_full_disk_is_said_once_and_snapshots_go_on_when_there_is_space(small_disk, disk_path):
    """All events are taken, each reason is reported once, and the repository is sound and complete afterwards."""
    place = disk_path / "file"
    place.write_bytes(b"first")
    queue = SnapshotQueue(small_disk / "home", "work-1", disk_path, Feed.CONTROL)
    work_on(queue, place, range(30))
    problems = until(queue.problems)
    work_on(queue, place, range(30, 60))
    subprocess.run(["mount", "-o", "remount,size=8m", str(small_disk)], check=True)
    work_on(queue, place, range(60, 62))
    queue.close()
    problems += queue.problems()
    store = SnapshotRepository(small_disk / "home", "work-1")
    newest = next(snapshots_of(store, SESSION))

    assert any("No space left" in each for each in problems), problems
    assert len(set(problems)) == len(problems) <= 3, problems
    entry = find_entry(store.reader, newest.tree, b"file")
    assert entry is not None and store.reader.read(entry.id, "blob") == place.read_bytes()
    assert store.check() == []
    store.reader.close()
