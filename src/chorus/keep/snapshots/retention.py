"""Keeps the repositories of snapshots bounded: by age, by size, and when a person forgets a conversation."""

from collections.abc import Set as AbstractSet
from pathlib import Path

from msgspec import Struct

from chorus.keep.snapshots.commits import Commit
from chorus.keep.snapshots.repository import SnapshotRepository, existing_workspaces
from chorus.keep.snapshots.snapshots import snapshots_of
from chorus.keep.snapshots.stat_cache import forget_cache

_DAY_MS = 86_400_000
_MB = 1_000_000


class Holdings(Struct, frozen=True):
    """What the repository of a workspace contains."""

    workspace: str
    size_bytes: int
    snapshots: int
    conversations: int
    newest_ms: int
    """When the newest snapshot was taken, in milliseconds since 1970; 0 if there is none."""


def holdings(home: Path) -> list[Holdings]:
    """Returns what is stored for each workspace, the largest first."""
    found = [_holdings(SnapshotRepository(home, name), name) for name in existing_workspaces(home)]
    return sorted(found, key=lambda each: each.size_bytes, reverse=True)


def forget_snapshots(home: Path, workspace: str, conversations: AbstractSet[str]) -> None:
    """Removes the snapshots of conversations, and every object that only they need.

    What a process left that was killed is removed as well.
    """
    store = SnapshotRepository(home, workspace)
    if not store.exists:
        return
    with store.lock():
        gone = [ref for name in conversations for ref in store.refs(name)]
        if gone or store.has_leftovers:
            with store.removal():
                # The cache refers to content that is known from the last look, which may be content of the forgotten.
                forget_cache(store)
                for ref in gone:
                    store.remove(ref)


def forget_everywhere(home: Path, conversations: AbstractSet[str]) -> None:
    """Removes the snapshots of conversations in all workspaces: a folder above theirs may have been named."""
    for workspace in existing_workspaces(home):
        store = SnapshotRepository(home, workspace)
        if any(store.may_have(each) for each in conversations):
            forget_snapshots(home, workspace, conversations)


def prune(home: Path, *, now_ms: int, days: int, max_mb: int) -> int:
    """Removes the snapshots of conversations that are too old or take too much space, and packs what stays.

    Returns the number of these conversations.
    """
    removed = 0
    for workspace in existing_workspaces(home):
        store = SnapshotRepository(home, workspace)
        if not store.exists:
            continue
        forget_snapshots(home, workspace, frozenset())
        newest = sorted(_newest(store).items(), key=lambda pair: pair[1])
        old = {name for name, time_ms in newest if time_ms < now_ms - days * _DAY_MS}
        if old:
            forget_snapshots(home, workspace, old)
            removed += len(old)
        for name, _ in (pair for pair in newest if pair[0] not in old):
            if store.size_bytes() <= max_mb * _MB:
                break
            forget_snapshots(home, workspace, {name})
            removed += 1
        if store.is_untidy:
            with store.lock():
                store.collect_garbage()
        store.reader.close()
    return removed


def _newest(store: SnapshotRepository) -> dict[str, int]:
    """Returns conversation → the time of its newest snapshot."""
    found: dict[str, int] = {}
    for tip in store.refs().values():
        facts = store.commit(tip).facts
        found[facts.conversation] = max(found.get(facts.conversation, 0), facts.time_ms)
    return found


def _holdings(store: SnapshotRepository, workspace: str) -> Holdings:
    every: list[Commit] = list(snapshots_of(store, None))
    store.reader.close()
    return Holdings(
        workspace=workspace,
        size_bytes=store.size_bytes(),
        snapshots=len(every),
        conversations=len({commit.facts.conversation for commit in every}),
        newest_ms=max((commit.facts.time_ms for commit in every), default=0),
    )
