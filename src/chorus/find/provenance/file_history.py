"""The versions of a file that snapshots know, over all conversations of a workspace, in order."""

from collections.abc import Iterable

from msgspec import Struct

from chorus.core.blame.origins import Edit, Version
from chorus.find.provenance.recorded_edits import DatedVersion
from chorus.find.provenance.text_files import text_lines
from chorus.keep.snapshots.commits import Commit, Feed, SnapshotKind
from chorus.keep.snapshots.repository import SnapshotRepository
from chorus.keep.snapshots.trees import TreeEntry, find_entry

_BY_AGENT = (SnapshotKind.AFTER, SnapshotKind.TURN)
_SURE = (Feed.CONTROL, Feed.HOOK)


class SnapshotLogs:
    """The snapshots of all threads of a workspace, read once."""

    def __init__(self, store: SnapshotRepository) -> None:
        self.store = store
        self._commits: list[list[Commit]] | None = None

    def all(self) -> list[list[Commit]]:
        """Returns the snapshots of each thread, the newest first."""
        if self._commits is None:
            self._commits = [list(self.store.log(tip)) for tip in self.store.refs().values()]
        return self._commits


class _Step(Struct, frozen=True):
    old: TreeEntry | None
    new: TreeEntry | None
    commit: Commit


def versions_of(logs: SnapshotLogs, path: bytes, recorded: Iterable[DatedVersion] = ()) -> list[Version]:
    """Returns the versions of a file; empty if nothing is known about it.

    Recorded versions count for the time before the first snapshot.
    """
    store = logs.store
    steps = _steps(logs, path)
    versions = [each.version for each in recorded if not steps or 0 < each.time_ms < steps[0].commit.facts.time_ms]
    last: str | None = None
    for number, step in enumerate(steps):
        facts = step.commit.facts
        old_id, new_id = (entry.id if entry else None for entry in (step.old, step.new))
        is_edit = facts.kind in _BY_AGENT
        is_first_look = number == 0 and step.old is None and not is_edit
        if (number == 0 and not is_first_look) or (is_edit and old_id != last):
            # Somebody else changed the file between two edits, or this is the first thing that is known. What a thread
            # had before a look is no version: others may have changed the file long ago.
            versions.append(Version(_lines(store, step.old), None))
            last = old_id
        if new_id == last:
            continue
        edit = None
        if is_edit and not facts.others:
            edit = Edit(facts.conversation, facts.agent, facts.turn, facts.call, facts.tool, facts.prompt, facts.model)
        versions.append(Version(_lines(store, step.new), edit, follows=facts.feed in _SURE))
        last = new_id
    return versions


def _steps(logs: SnapshotLogs, path: bytes) -> list[_Step]:
    """Returns every snapshot that changed the file, in order of time."""
    found: list[_Step] = []
    for commits in logs.all():
        entries = [find_entry(logs.store.reader, commit.tree, path) for commit in commits]
        entries = [None if entry is None or entry.is_folder else entry for entry in entries]
        for number, commit in enumerate(commits):
            old = entries[number + 1] if number + 1 < len(commits) else None
            if entries[number] != old:
                found.append(_Step(old, entries[number], commit))
    return sorted(found, key=lambda step: step.commit.facts.time_ms)


def _lines(store: SnapshotRepository, entry: TreeEntry | None) -> list[str]:
    return text_lines(store.reader.read(entry.id, "blob")) if entry else []
