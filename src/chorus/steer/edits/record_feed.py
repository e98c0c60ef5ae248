"""Takes snapshots for clients that report nothing: their edits are read in the records that Chorus follows.

Everything is seen afterwards, so a snapshot attributes to an agent only what its records say, or what changed between
the times of a call and its result. What another feed reported is left to it.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import structs

from chorus.base.git import find_git
from chorus.core.conversation.fold import Fold
from chorus.core.conversation.items import Change
from chorus.core.records.record import Record
from chorus.errors import ChorusError, GitFailed
from chorus.keep.archive.file_versions import backups_of
from chorus.keep.archive.listing import Kept
from chorus.keep.snapshots.commits import Feed
from chorus.keep.snapshots.file_reading import MAX_BYTES
from chorus.keep.vault.port import Vault
from chorus.keep.vault.records import stream_of
from chorus.steer.edits.opening import open_queue, workspace_around
from chorus.steer.edits.recorded_calls import RecordedCalls, RecordedEvent
from chorus.steer.edits.snapshot_queue import SnapshotQueue

_MAX_CONVERSATIONS = 200
"""Conversations whose open calls are remembered."""


class RecordFeed:
    """The queues of the workspaces whose records are followed. `close` when following ends."""

    def __init__(self, home: Path, vault: Vault, began: str, warn: Callable[[str], None]) -> None:
        """Only what happened after `began` counts. `warn` is called with problems that do not end the work."""
        self._home = home
        self._vault = vault
        self._began = began
        self._warn = warn
        self._calls: OrderedDict[str, RecordedCalls] = OrderedDict()
        self._queues: dict[str, SnapshotQueue] = {}
        self._has_git: bool | None = None

    def hear(self, kept: Kept, fold: Fold, record: Record, changes: Sequence[Change]) -> None:
        """Takes note of what a record changed in its conversation. No content makes it raise."""
        calls = self._calls.get(kept.name)
        if calls is None:
            calls = self._calls[kept.name] = RecordedCalls(self._began)
            if len(self._calls) > _MAX_CONVERSATIONS:
                self._calls.popitem(last=False)
        stream = stream_of(record.stream)[0]
        feed = Feed.FILE if kept.session_file is not None and not _is_output(kept, stream) else Feed.STREAM
        for found in calls.events(fold, record, changes, feed):
            if found.event.matters:
                try:
                    self._take(kept, found)
                except (ChorusError, OSError) as error:
                    self._warn(f"a change of files was not stored: {error}")

    def close(self) -> None:
        """Waits until everything is stored, for a limited time."""
        for queue in self._queues.values():
            queue.close()
            self._report(queue)

    def _take(self, kept: Kept, found: RecordedEvent) -> None:
        event = found.event
        # Flat events do not say where their client works; the files of a call do.
        folders = [event.cwd] if event.cwd else [str(Path(path).parent) for path in event.paths[:1]]
        workspace = next(filter(None, (workspace_around(self._home, each) for each in folders if each)), None)
        if workspace is None or not self._is_able():
            return
        queue = self._queues.get(workspace.id)
        if queue is None:
            folder = Path(workspace.path)
            queue = self._queues[workspace.id] = open_queue(self._home, workspace, folder, Feed.FILE)
        record = found.record
        if record.step is not None and found.backup is not None:
            data = backups_of(self._vault, [kept])(kept.id, found.backup)
            if data is not None and len(data) <= MAX_BYTES:
                record = structs.replace(record, earlier=(data,))
        queue.put_recorded(event, record, model=found.model)
        self._report(queue)

    def _report(self, queue: SnapshotQueue) -> None:
        for problem in queue.problems():
            self._warn(f"a change of files was not stored: {problem}")

    def _is_able(self) -> bool:
        if self._has_git is None:
            try:
                find_git()
                self._has_git = True
            except GitFailed as error:
                self._warn(f"no snapshots are taken: {error}")
                self._has_git = False
        return self._has_git


def _is_output(kept: Kept, stream: str) -> bool:
    """Returns whether a stream is what a client printed, and not what it wrote to its session file."""
    return kept.is_log(stream) or stream.startswith("run-")
