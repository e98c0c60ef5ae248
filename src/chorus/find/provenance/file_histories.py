"""The histories of the files of a workspace, for questions about many files or many commits: each is read once."""

import os
from pathlib import Path

from msgspec import Struct

from chorus.core.blame.origins import Evidence, Origins, Version, follow
from chorus.find.provenance.file_history import SnapshotLogs, versions_of
from chorus.find.provenance.recorded_edits import FindRecorded, RecordedFile
from chorus.keep.snapshots.repository import SnapshotRepository


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

    def of(self, name: bytes) -> FileHistory:
        """Returns the history of the file with this path in the workspace."""
        if name not in self._known:
            path = os.fsdecode(os.fsencode(self.folder) + b"/" + name)
            recorded = self._find_recorded(path) if self._find_recorded else RecordedFile()
            versions = versions_of(self._logs, name, recorded.versions)
            self._known[name] = FileHistory(versions, follow(versions), recorded)
        return self._known[name]

    def close(self) -> None:
        self.store.reader.close()
