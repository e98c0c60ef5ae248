"""Decides which sources may be recorded: not those that a person had forgotten, or configured to be ignored."""

from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path

from chorus.base import config
from chorus.keep.vault.keys import StreamKey, workspace_id
from chorus.keep.vault.tombstones import is_forgotten


def wanted(root: Path) -> Callable[[StreamKey, Path], bool]:
    """Returns a function that tells whether a source may be recorded in the vault below `root`."""
    settings = config.load(config.home_of(root))
    ignored = [pattern for workspace in settings.workspaces for pattern in workspace.ignore]
    # The vault of a workspace records only the sessions of that workspace, the vault of the home records all.
    only = workspace_id(str(root.parent)) if config.own_vault(settings, root.parent) == root else None

    def is_wanted(key: StreamKey, path: Path) -> bool:
        if only is not None and key.workspace != only:
            return False
        return not is_forgotten(root, key.conversation) and not any(fnmatch(str(path), one) for one in ignored)

    return is_wanted
