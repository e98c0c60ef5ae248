"""Finds the snapshots of a conversation."""

from pathlib import Path

from chorus.base import config
from chorus.keep.snapshots.snapshots import Snapshots

HINT = "snapshots are taken in workspaces that you named: `chorus workspace add FOLDER`"


def snapshots_in(root: Path, workspace: str, conversation: str) -> Snapshots | None:
    """Returns the snapshots that a conversation has, or None. `root` is the vault's folder.

    Only a workspace that a person named has snapshots: the path of any other comes from a session, which is untrusted.
    A session may work in a folder of a named workspace, which is a workspace of its own for the vault.
    """
    home = config.home_of(root)
    named = [each for each in config.load(home).workspaces if each.is_named]
    for each in sorted(named, key=lambda each: each.id != workspace):
        found = Snapshots(home, each.id, Path(each.path))
        if found.store.refs(conversation):
            return found
        found.close()
    return None
