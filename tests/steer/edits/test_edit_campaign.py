"""Tests snapshots and undo with agents that do anything to files: what is stored is what was on disk."""

import random
import time

import pytest

from chorus.keep.snapshots.commits import Feed, SnapshotFacts, SnapshotKind
from chorus.keep.snapshots.edits import edits_of, edits_of_snapshot
from chorus.keep.snapshots.repository import SnapshotRepository
from chorus.keep.snapshots.snapshots import Snapshots, snapshots_of
from chorus.keep.snapshots.trees import walk_tree
from chorus.keep.snapshots.undo import plan_undo, undo
from chorus.steer.edits.snapshot_queue import SnapshotQueue
from tests.steer.edits.busy_folder import SESSION, BusyFolder, Feeds, difference, state_of

SHORT = [(1, True), (2, False)]
LONG = [pytest.param(seed, seed % 3 > 0, marks=pytest.mark.long) for seed in range(3, 40)]


def content(store, entry):
    return (entry.mode, store.reader.read(entry.id, "blob")) if entry else None


def facts(kind):
    return SnapshotFacts(kind=kind, conversation=SESSION, time_ms=time.time_ns() // 1_000_000)


@pytest.mark.parametrize(("seed", "has_repository"), SHORT + LONG)
def test_what_is_stored_for_each_call_is_what_it_did(tmp_path, seed, has_repository):
    """Each call has exactly the files that it changed, whichever feeds see it; undo puts back exactly these."""
    work = tmp_path / "work"
    work.mkdir()
    chance = random.Random(seed)
    store = SnapshotRepository(tmp_path / "home", "work-1")
    busy = BusyFolder(work, chance, store, has_repository=has_repository)
    first, persons = state_of(work), set()
    seen_by = chance.choice(((Feed.CONTROL,), (Feed.HOOK,), (Feed.CONTROL, Feed.HOOK)))
    feeds = Feeds(*(SnapshotQueue(tmp_path / "home", "work-1", work, feed, is_early=True) for feed in seen_by))
    time.sleep(0.2)
    for _ in range(chance.randint(2, 3)):
        busy.prompt(feeds)
        for _ in range(chance.randint(2, 6)):
            if chance.random() < 0.3:
                persons |= busy.person()
            busy.call(feeds)
        busy.stop(feeds)
    assert feeds.close() == []
    found = {}
    for edit in edits_of(store, SESSION):
        found.setdefault(edit.commit.facts.call, {})[edit.path] = content(store, edit.old), content(store, edit.new)
    wanted = {call: done for call, done in busy.did.items() if done}

    assert found == wanted, busy.said
    assert dict(walk_tree(store.reader, next(snapshots_of(store, SESSION)).tree)).keys() <= state_of(work).keys()
    assert store.check() == []
    now = state_of(work)
    snapshots = Snapshots(tmp_path / "home", "work-1", work)
    changed = {path for done in busy.did.values() for path in done}
    plans = plan_undo(store, work, edits_of(store, SESSION))
    done = undo(snapshots, plans, facts(SnapshotKind.BEFORE), facts(SnapshotKind.UNDO), merge=True)
    conflicts = {each.path: each.reason for each in done if each.outcome in ("conflict", "failed")}
    # A folder that the agent put in place of a file stays if a person worked in it.
    persons |= {path for path in conflicts if any(each.startswith(path + b"/") for each in persons)}
    back = state_of(work)
    for path in changed - conflicts.keys() - persons:
        assert back.get(path) == first.get(path), (path, busy.said)
    for path in {*now} - changed:
        assert back.get(path) == now[path], (path, busy.said)
    assert not conflicts.keys() - persons, (conflicts, busy.said)
    newest = next(each for each in snapshots_of(store, SESSION) if each.facts.kind is SnapshotKind.UNDO)
    again = edits_of_snapshot(store, SESSION, newest.id)
    undo(snapshots, plan_undo(store, work, again), facts(SnapshotKind.BEFORE), facts(SnapshotKind.UNDO), merge=True)

    assert difference(now, state_of(work)) == {}
    snapshots.close()
    store.reader.close()
