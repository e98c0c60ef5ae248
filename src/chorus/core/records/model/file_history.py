"""Backups of the files that a session changed, as recorded in the session file."""

from typing import Annotated

from msgspec import Raw, Struct

from chorus.core.records.model.base import ABSENT, Envelope, Lazy


class FileBackup(Struct, kw_only=True):
    backupFileName: str | None = None
    version: int | None = None
    backupTime: str | None = None
    realParentDir: str | None = None


class FileSnapshot(Struct, kw_only=True):
    """The state of the files at a message. The keys of the backups are the tracked paths."""

    messageId: str | None = None
    trackedFileBackups: dict[str, FileBackup] | None = None
    timestamp: str | None = None


class FileHistorySnapshot(Envelope, tag="file-history-snapshot"):
    messageId: str | None = None
    snapshot: Annotated[Raw, Lazy(FileSnapshot)] = ABSENT
    isSnapshotUpdate: bool | None = None


class FileHistoryDelta(Envelope, tag="file-history-delta"):
    messageId: str | None = None
    snapshotMessageId: str | None = None
    trackingPath: str | None = None
    backup: Annotated[Raw, Lazy(FileBackup)] = ABSENT
