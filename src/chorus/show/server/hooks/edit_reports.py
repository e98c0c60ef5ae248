"""Takes snapshots for clients that a person started: their hooks report the moments at which files may change."""

import threading
from pathlib import Path

from chorus.base.config import Workspace
from chorus.base.git import find_git
from chorus.errors import GitFailed
from chorus.keep.snapshots.commits import Feed
from chorus.show.server import log
from chorus.steer.edits.events import Stage, read_event
from chorus.steer.edits.opening import open_queue, workspace_around
from chorus.steer.edits.snapshot_queue import SnapshotQueue


class EditReports:
    """The queues of the workspaces in which clients with our hooks work. `close` before the server ends.

    May be used from several threads.
    """

    def __init__(self, home: Path) -> None:
        self._home = home
        self._mutex = threading.Lock()
        self._queues: dict[str, SnapshotQueue] = {}
        self._has_git: bool | None = None

    def report(self, payload: bytes) -> None:
        """Reads the files that the payload of a hook names; they are stored later. No content makes it raise."""
        event = read_event(payload)
        if event is None or not (event.matters or event.stage is Stage.START):
            return
        workspace = workspace_around(self._home, event.cwd)
        if workspace is not None and self._is_able():
            queue = self._queue(workspace)
            queue.put(event, payload=payload)
            for problem in queue.problems():
                # What `but` and hooks of the person printed may name files, so it is not logged.
                is_printed = problem.startswith(("GitButler", "a turn was not committed"))
                why = "GitButler or git refused it: `chorus git status`" if is_printed else problem
                log.logger.warning("a change of files was not handled completely: %s", why)

    def _queue(self, workspace: Workspace) -> SnapshotQueue:
        with self._mutex:
            found = self._queues.get(workspace.id)
            if found is None:
                found = open_queue(self._home, workspace, Path(workspace.path), Feed.HOOK)
                self._queues[workspace.id] = found
            return found

    def close(self) -> None:
        """Waits until everything is stored, for a limited time."""
        for queue in self._queues.values():
            queue.close()

    def _is_able(self) -> bool:
        if self._has_git is None:
            try:
                find_git()
                self._has_git = True
            except GitFailed as error:
                log.logger.warning("no snapshots are taken: %s", error)
                self._has_git = False
        return self._has_git
