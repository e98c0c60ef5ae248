"""Snapshots of calls that Chorus only read about when they were over: the file before comes from what is recorded."""

from collections import OrderedDict
from collections.abc import Iterator

from msgspec import structs

from chorus.core.file_versions.recorded_edits import recorded_edit
from chorus.keep.snapshots.commits import Commit, SnapshotFacts, SnapshotKind
from chorus.keep.snapshots.file_reading import MAX_BYTES, FileContent
from chorus.keep.snapshots.snapshots import FilesRead, Snapshots
from chorus.steer.edits.recorded_calls import RecordedCall

_MAX_OPEN = 200
_LINK = "120000"
_FILE = "100644"


class RecordedSnapshots:
    """Stores recorded calls of one workspace."""

    def __init__(self, snapshots: Snapshots) -> None:
        self._snapshots = snapshots
        self._seen: OrderedDict[str, FilesRead] = OrderedDict()
        """Call → its files when its beginning was read. The call may have changed them by then."""

    def take(self, record: RecordedCall, files: FilesRead, facts: SnapshotFacts, subject: str) -> Commit | None:
        """Stores the file of a call before and after it; at the beginning of a call, only remembers the file.

        If it is not known what the file was before, its present state is stored as one that nobody claims.
        """
        if record.step is None:
            self._seen[facts.call] = files
            if len(self._seen) > _MAX_OPEN:
                self._seen.popitem(last=False)
            return None
        seen = self._seen.pop(facts.call, None)
        taken = None
        for path, found in files.contents.items():
            if found is None or found.mode != _LINK:
                taken = self._store(record, path, found, seen, facts, subject) or taken
        return taken

    def _store(
        self,
        record: RecordedCall,
        path: bytes,
        found: FileContent | None,
        seen: FilesRead | None,
        facts: SnapshotFacts,
        subject: str,
    ) -> Commit | None:
        assert record.step is not None
        earlier = self._earlier(record, path, seen, facts)
        data = found.data if found is not None else None
        edit = recorded_edit(record.step, (each.data if each else None for each in earlier), data)
        if edit is None:
            return None
        mode = found.mode if found else _FILE
        name = path.decode("utf-8", "replace")
        as_before = structs.replace(facts, kind=SnapshotKind.BEFORE)
        if not edit.is_before_known:
            unclaimed = FilesRead({path: found}, [f"{name}: {edit.reason}"])
            return self._snapshots.store_files(unclaimed, as_before, f"After {subject}")
        if max(len(edit.before or b""), len(edit.after or b"")) > MAX_BYTES:
            return None
        rebuilt = (f"{name}: {edit.reason}",) if edit.reason else ()
        before = FilesRead({path: _content(edit.before, mode)}, [])
        self._snapshots.store_files(before, structs.replace(as_before, rebuilt=rebuilt), f"Before {subject}")
        after = FilesRead({path: _content(edit.after, mode)}, [])
        return self._snapshots.store_files(after, structs.replace(facts, rebuilt=rebuilt), subject)

    def _earlier(
        self, record: RecordedCall, path: bytes, seen: FilesRead | None, facts: SnapshotFacts
    ) -> Iterator[FileContent | None]:
        """Yields what the file may have been before, the most likely first."""
        if seen is not None and path in seen.contents:
            yield seen.contents[path]
        for data in record.earlier:
            yield FileContent(_FILE, data)
        yield from self._snapshots.earlier_contents(facts, path)


def _content(data: bytes | None, mode: str) -> FileContent | None:
    return None if data is None else FileContent(mode, data)
