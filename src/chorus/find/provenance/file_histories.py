"""The histories of the files of a workspace, for questions about many files or many commits: each is read once."""

import os
from pathlib import Path

from msgspec import Struct

from chorus.core.blame.origins import Evidence, Origins, Version, follow
from chorus.find.provenance.file_history import SnapshotLogs, versions_of
from chorus.find.provenance.recorded_edits import FindRecorded, RecordedFile
from chorus.keep.snapshots.repository import SnapshotRepository

_MAX_WORKTREES = 20


class FileHistory(Struct, frozen=True):
    """Everything that is known about a file under one name."""

    versions: list[Version]
    origins: list[Origins]
    """The origins of the lines of each version."""
    recorded: RecordedFile

    @property
    def is_known(self) -> bool:
        return bool(self.versions or self.recorded.patches)

    @property
    def has_snapshots(self) -> bool:
        return any(each.evidence is Evidence.SNAPSHOTS for each in self.versions)


class FileHistories:
    """The histories of the files of one workspace."""

    def __init__(self, store: SnapshotRepository, folder: Path, find_recorded: FindRecorded | None = None) -> None:
        self.store = store
        self.folder = folder
        self._find_recorded = find_recorded
        self._logs = SnapshotLogs(store)
        self._known: dict[bytes, FileHistory] = {}
        self._worktrees: list[bytes] | None = None

    def of(self, name: bytes) -> FileHistory:
        """Returns the history of the file with this path in the workspace."""
        if name not in self._known:
            path = os.fsdecode(os.fsencode(self.folder) + b"/" + name)
            recorded = self._find_recorded(path) if self._find_recorded else RecordedFile()
            versions = versions_of(self._logs, name, recorded.versions)
            self._known[name] = FileHistory(versions, follow(versions), recorded)
        return self._known[name]

    def worktrees(self) -> list[bytes]:
        """Returns the worktrees in the workspace in which agents worked: what they wrote may have been merged."""
        if self._worktrees is None:
            every = (commit.facts for commits in self._logs.all() for commit in commits)
            newest = sorted(((facts.time_ms, facts.worktree) for facts in every if facts.worktree), reverse=True)
            self._worktrees = [os.fsencode(name) for name in dict.fromkeys(name for _, name in newest)][:_MAX_WORKTREES]
        return self._worktrees

    def close(self) -> None:
        self.store.reader.close()
