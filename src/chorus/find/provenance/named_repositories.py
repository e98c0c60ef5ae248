"""The repositories of the workspaces that a person named, with what is known about their files."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chorus.base import config
from chorus.base.config import Workspace
from chorus.base.git import Repository
from chorus.find.index.port import Index
from chorus.find.provenance.file_histories import FileHistories
from chorus.find.provenance.recorded_edits import recorded_in
from chorus.keep.snapshots.persons_repository import find_repository
from chorus.keep.snapshots.repository import SnapshotRepository
from chorus.keep.vault.port import Vault


def named_repositories(root: Path) -> Iterator[tuple[Workspace, Repository]]:
    """Yields the workspaces that a person named and that belong to a git repository. `root` is the vault's folder.

    The path of any other workspace comes from a session, which is untrusted, so nothing is read there.
    """
    for workspace in config.load(config.home_of(root)).workspaces:
        repository = find_repository(Path(workspace.path)) if workspace.is_named else None
        if repository is not None:
            yield workspace, repository


@contextmanager
def histories_in(index: Index, vault: Vault, root: Path, workspace: Workspace) -> Iterator[FileHistories]:
    """Opens the histories of the files of a workspace."""
    store = SnapshotRepository(config.home_of(root), workspace.id)
    histories = FileHistories(store, Path(workspace.path), recorded_in(index, vault, workspace.id))
    try:
        yield histories
    finally:
        histories.close()
