"""Lists workspaces in the settings: their ids alone do not say where they are."""

from pathlib import Path

from chorus.base import config


def list_workspaces(root: Path, seen: dict[str, str]) -> None:
    """Adds the new ones (id → folder) to the list."""
    known = {workspace.id for workspace in config.load(root).workspaces}
    if seen.keys() - known:
        with config.edit(root) as settings:
            listed = {workspace.id for workspace in settings.workspaces}
            settings.workspaces += [
                config.Workspace(id=name, path=path) for name, path in sorted(seen.items()) if name not in listed
            ]
