"""Opens the queue of a workspace with everything that its settings ask for."""

from pathlib import Path

from chorus.base import config
from chorus.base.config import Workspace
from chorus.errors import ChorusError
from chorus.keep.snapshots.commits import Feed
from chorus.steer.edits.gitbutler import GitButler
from chorus.steer.edits.snapshot_queue import SnapshotQueue
from chorus.steer.edits.turn_commits import TurnCommits


def open_queue(home: Path, workspace: Workspace, folder: Path, feed: Feed) -> SnapshotQueue:
    """Returns the queue for the snapshots of a workspace; GitButler and commits of turns follow its settings.

    GitButler has to be told before a call runs, so a feed that sees calls afterwards tells it nothing.
    """
    is_direct = feed in (Feed.CONTROL, Feed.HOOK)
    gitbutler = GitButler(home, workspace.id, folder, workspace.git_backend) if is_direct else None
    commits = TurnCommits(home, workspace.id, folder) if workspace.git_commits == "turns" else None
    return SnapshotQueue(home, workspace.id, folder, feed, gitbutler, commits, is_early=is_direct)


def workspace_around(home: Path, folder: str) -> Workspace | None:
    """Returns the innermost workspace around a folder that a person named, if it has snapshots."""
    try:
        known = config.load(home).workspaces
    except ChorusError:
        return None
    by_path = {each.path: each for each in known if each.is_named}
    place = Path(folder)
    found = next((by_path[str(each)] for each in (place, *place.parents) if str(each) in by_path), None)
    return found if found is not None and found.snapshots == "on" else None
