"""Which sources may be kept: not what a person had forgotten, or told Chorus to ignore."""

from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path

from chorus.base import config
from chorus.keep.vault.keys import StreamKey, workspace_id
from chorus.keep.vault.tombstones import is_forgotten


def wanted(root: Path) -> Callable[[StreamKey, Path], bool]:
    """Whether a source may be kept in the vault below `root`."""
    settings = config.load(config.home_of(root))
    ignored = [pattern for workspace in settings.workspaces for pattern in workspace.ignore]
    # A workspace's own vault keeps the sessions of that workspace, the home's keeps all.
    only = workspace_id(str(root.parent)) if config.own_vault(settings, root.parent) == root else None

    def is_wanted(key: StreamKey, path: Path) -> bool:
        if only is not None and key.workspace != only:
            return False
        return not is_forgotten(root, key.conversation) and not any(fnmatch(str(path), one) for one in ignored)

    return is_wanted
