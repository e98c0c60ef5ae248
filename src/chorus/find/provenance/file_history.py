"""The versions of a file that snapshots know, over all conversations of a workspace, in order.

A file that appears in the snapshot in which a similar one disappears was renamed: its history begins with that one's.
"""

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from chorus.core.blame.origins import Edit, Means, Version, bare
from chorus.core.conversation.tool_facts import kind_of
from chorus.find.provenance.recorded_edits import DatedVersion
from chorus.find.provenance.text_files import text_lines
from chorus.keep.snapshots.commits import Commit, Feed, SnapshotFacts, SnapshotKind
from chorus.keep.snapshots.objects import EMPTY_TREE
from chorus.keep.snapshots.repository import SnapshotRepository
from chorus.keep.snapshots.snapshots import newest_first
from chorus.keep.snapshots.trees import TreeEntry, changed_files, find_entry

_BY_AGENT = (SnapshotKind.AFTER, SnapshotKind.TURN)
_SURE = (Feed.CONTROL, Feed.HOOK)
_MAX_RENAMES = 20
_MAX_COMPARED = 50
"""If more files disappeared at once, only an equal one is taken for the file under its old name."""
_SIMILAR = 0.5


class SnapshotLogs:
    """The snapshots of all threads of a workspace, read once."""

    def __init__(self, store: SnapshotRepository) -> None:
        self.store = store
        self._commits: list[list[Commit]] | None = None
        self._gone: dict[str, list[tuple[bytes, TreeEntry]]] = {}

    def all(self) -> list[list[Commit]]:
        """Returns the snapshots of each thread, the newest first."""
        if self._commits is None:
            self._commits = [list(self.store.log(tip)) for tip in self.store.refs().values()]
        return self._commits

    def gone(self, commit: Commit) -> list[tuple[bytes, TreeEntry]]:
        """Returns the files that a snapshot no longer has, as they were in the one before."""
        if commit.id not in self._gone:
            before = self.store.commit(commit.parents[0]).tree if commit.parents else EMPTY_TREE
            changed = changed_files(self.store.reader, before, commit.tree)
            self._gone[commit.id] = [(path, old) for path, old, new in changed if old is not None and new is None]
        return self._gone[commit.id]


class _Step(Struct, frozen=True):
    old: TreeEntry | None
    new: TreeEntry | None
    commit: Commit


def versions_of(logs: SnapshotLogs, path: bytes, recorded: Iterable[DatedVersion] = ()) -> list[Version]:
    """Returns the versions of a file; empty if nothing is known about it.

    Recorded versions count for the time before the first snapshot.
    """
    return _versions(logs, path, _steps(logs, path), recorded, _MAX_RENAMES)


def _versions(
    logs: SnapshotLogs, path: bytes, steps: list[_Step], recorded: Iterable[DatedVersion], renames: int
) -> list[Version]:
    store = logs.store
    versions = [each.version for each in recorded if not steps or 0 < each.time_ms < steps[0].commit.facts.time_ms]
    sources = {number: source for number, step in enumerate(steps) if (source := _source(logs, step)) is not None}
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
        is_followed = number == max(sources, default=None) and renames > 0
        if is_followed:
            old_path, entry = sources[number]
            earlier = [each for each in _steps(logs, old_path) if each.commit.facts.time_ms <= facts.time_ms]
            earlier = [each for each in earlier if each.commit.id != step.commit.id]
            versions += _versions(logs, old_path, earlier, (), renames - 1)
            versions.append(Version(_lines(store, entry), None))
        edit = None
        if is_edit and not facts.others and (is_followed or number not in sources):
            edit = Edit(facts.conversation, facts.agent, facts.turn, facts.call, facts.tool, facts.prompt, facts.model)
        versions.append(Version(_lines(store, step.new), edit, facts.feed in _SURE, means=_means(facts)))
        last = new_id
    return versions


def _means(facts: SnapshotFacts) -> Means:
    if facts.kind is SnapshotKind.UNDO:
        return Means.UNDO
    return Means.EDITOR if kind_of(facts.tool) == "editor" else Means.COMMAND


def _source(logs: SnapshotLogs, step: _Step) -> tuple[bytes, TreeEntry] | None:
    """Returns the file under whose name a new file was before, if one disappeared that is equal or similar."""
    if step.old is not None or step.new is None or not (gone := logs.gone(step.commit)):
        return None
    equal = next((each for each in gone if each[1].id == step.new.id), None)
    if equal is not None or len(gone) > _MAX_COMPARED:
        return equal
    new = Counter(map(bare, _lines(logs.store, step.new)))
    scores = [(_similarity(new, Counter(map(bare, _lines(logs.store, each[1])))), each) for each in gone]
    score, best = max(scores, key=lambda scored: scored[0])
    return best if score >= _SIMILAR else None


def _similarity(one: Counter[str], other: Counter[str]) -> float:
    return 2 * (one & other).total() / max(1, one.total() + other.total())


def _steps(logs: SnapshotLogs, path: bytes) -> list[_Step]:
    """Returns every snapshot that changed the file, in order of time."""
    found: dict[str, _Step] = {}
    for commits in logs.all():
        entries = [find_entry(logs.store.reader, commit.tree, path) for commit in commits]
        entries = [None if entry is None or entry.is_folder else entry for entry in entries]
        for number, commit in enumerate(commits):
            old = entries[number + 1] if number + 1 < len(commits) else None
            if entries[number] != old:
                found[commit.id] = _Step(old, entries[number], commit)
    return [found[commit.id] for commit in reversed(newest_first(logs.all())) if commit.id in found]


def _lines(store: SnapshotRepository, entry: TreeEntry | None) -> list[str]:
    return text_lines(store.reader.read(entry.id, "blob")) if entry else []
