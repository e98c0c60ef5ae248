"""Makes the workspace of the snapshot tests available here."""

from tests.keep.snapshots.conftest import repository, workspace

__all__ = ["repository", "workspace"]
