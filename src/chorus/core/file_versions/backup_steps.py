"""The client's own backups of files, as its session files mention them.

A snapshot lists the state of all files that it tracks at a prompt. Older clients write a snapshot again when they track
one more file, just before they change it (`isSnapshotUpdate`); newer ones write only that file, as a delta.
"""

from collections.abc import Iterator

import msgspec
from msgspec import Struct

from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.items import Notice, Order
from chorus.core.file_versions.paths import full_path, in_folder
from chorus.core.records.model.base import is_present
from chorus.core.records.model.file_history import FileBackup, FileSnapshot
from chorus.core.records.times import canonical_time

_TYPES = ("file-history-snapshot", "file-history-delta")
_MAX_FILES = 10_000
_Mark = tuple[str, str | None, int | None, str | None]
"""Path, name, version and time of a backup: the same one is mentioned again and again."""


class Backup(Struct, frozen=True, kw_only=True):
    """The state of a file, as the client found it."""

    order: Order
    time: str | None
    conversation: str
    paths: tuple[str, ...]
    """The names that the file may have in calls."""
    name: str | None
    """The name of the backup; None if there was no file."""
    is_new: bool
    """Whether it was made now. Otherwise the client says that the file is as it was then."""
    message: str
    """The prompt at which the state was recorded; "" if it was recorded before a change."""


class _Line(Struct):
    type: str
    messageId: str | None = None  # noqa: N815 - the name in the record
    snapshot: FileSnapshot | None = None
    isSnapshotUpdate: bool | None = None  # noqa: N815 - the name in the record
    trackingPath: str | None = None  # noqa: N815 - the name in the record
    backup: FileBackup | None = None


_line = msgspec.json.Decoder(_Line)


def backups_in(conversation: Conversation) -> Iterator[Backup]:
    """Yields the backups that the records of a conversation mention."""
    seen: set[_Mark] = set()
    for notice in conversation.notices:
        yield from backups_of(notice, conversation.id, conversation.session.cwd, seen)


def backups_of(notice: Notice, conversation: str, folder: str | None, seen: set[_Mark]) -> Iterator[Backup]:
    """Yields the backups that one record mentions. `seen` are those of earlier records, and grows."""
    if notice.type not in _TYPES or not is_present(notice.file_facts):
        return
    try:
        line = _line.decode(notice.file_facts)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, ValueError):
        return
    is_update = line.type == _TYPES[1] or bool(line.isSnapshotUpdate)
    snapshot = line.snapshot or FileSnapshot()
    listed = list((snapshot.trackedFileBackups or {}).items())[:_MAX_FILES]
    if line.trackingPath is not None and line.backup is not None:
        listed.append((line.trackingPath, line.backup))
    for n, (path, backup) in enumerate(listed):
        mark = (path, backup.backupFileName, backup.version, backup.backupTime)
        is_new = mark not in seen
        if not is_new and is_update:
            continue
        seen.add(mark)
        time = canonical_time(backup.backupTime if is_new else snapshot.timestamp)
        yield Backup(
            order=(time or notice.order[0], *notice.order[1:4], n),
            time=time or notice.time,
            conversation=conversation,
            paths=_paths(path, backup, folder),
            name=backup.backupFileName,
            is_new=is_new,
            message="" if is_update else line.messageId or "",
        )


def _paths(path: str, backup: FileBackup, folder: str | None) -> tuple[str, ...]:
    found = [full_path(path, folder)]
    if backup.realParentDir:
        found.append(in_folder(backup.realParentDir, path))
    return tuple(dict.fromkeys(found))


def is_backup_name(name: str) -> bool:
    """Returns whether a name in a record can be that of a backup: it comes from a transcript and is part of a path."""
    return 0 < len(name) <= 200 and name.isascii() and all(char.isalnum() or char in "@._-" for char in name)
