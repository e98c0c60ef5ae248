"""Decides whether a run takes snapshots of its workspace, and where they are stored."""

from pathlib import Path

from chorus.base import config
from chorus.base.git import find_git
from chorus.errors import GitFailed
from chorus.keep.snapshots.commits import Feed
from chorus.steer.edits.opening import open_queue
from chorus.steer.edits.snapshot_queue import SnapshotQueue
from chorus.steer.runs.pipe_recorder import PipeRecorder
from chorus.steer.runs.run_folders import Run


def snapshots_of_run(home: Path, run: Run, recorder: PipeRecorder) -> SnapshotQueue | None:
    """Returns the queue for the snapshots of a run; None if the workspace has none.

    A person must have named the workspace, and not switched snapshots off. Without git, the run goes on without
    snapshots, and the reason is recorded.
    """
    known = next((each for each in config.load(home).workspaces if each.id == run.workspace), None)
    if known is None or not known.is_named or known.snapshots == "off":
        return None
    try:
        find_git()
    except GitFailed as error:
        recorder.note(type="no-snapshots", why=str(error))
        return None
    return open_queue(home, known, Path(run.path), Feed.CONTROL)
