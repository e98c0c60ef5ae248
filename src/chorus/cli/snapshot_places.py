"""Finds the snapshots that a command means: those of a conversation, or those of the folder the person is in."""

from pathlib import Path

from chorus.base import config
from chorus.base.config import Workspace
from chorus.cli.vault_ids import the_one
from chorus.errors import ChorusError
from chorus.keep.archive.listing import Kept
from chorus.keep.snapshots.finding import HINT, snapshots_in
from chorus.keep.snapshots.repository import SnapshotRepository
from chorus.keep.snapshots.snapshots import Snapshots
from chorus.keep.vault.files import FileVault


def snapshots_for(what: str, vault: FileVault) -> tuple[Kept, Snapshots]:
    """Returns a conversation and the snapshots of its workspace. Raises `ChorusError` if there are none."""
    kept = the_one(what, vault)
    found = snapshots_in(vault.root, kept.workspace, kept.id)
    if found is None:
        raise ChorusError(f"{kept.id}: there are no snapshots of this conversation; {HINT}")
    return kept, found


def workspace_around(vault: FileVault, place: Path) -> tuple[Workspace, SnapshotRepository]:
    """Returns the innermost workspace around a place that has snapshots. Raises `ChorusError` if there is none."""
    home = config.home_of(vault.root)
    by_path = {each.path: each for each in config.load(home).workspaces}
    whole = place.absolute()
    for folder in (whole, *whole.parents):
        workspace = by_path.get(str(folder))
        if workspace is not None and (store := SnapshotRepository(home, workspace.id)).exists:
            return workspace, store
    raise ChorusError(f"{place}: it is not in a workspace with snapshots; {HINT}")


def known_workspace_around(vault: FileVault, place: Path) -> tuple[Workspace, SnapshotRepository]:
    """Returns the innermost workspace around a place: one with snapshots, else one with recorded conversations.

    Raises `ChorusError` if there is none. The store of a workspace without snapshots is empty.
    """
    home = config.home_of(vault.root)
    by_path = {each.path: each for each in config.load(home).workspaces}
    whole = place.absolute()
    known = [by_path[str(folder)] for folder in (whole, *whole.parents) if str(folder) in by_path]
    stores = [(each, SnapshotRepository(home, each.id)) for each in known]
    found = next((each for each in stores if each[1].exists), stores[0] if stores else None)
    if found is None:
        raise ChorusError(f"{place}: no conversation is recorded in this folder; {HINT}")
    return found
