"""Builds a vault in a folder and runs passes over sources, for tests of what is recorded."""

from collections.abc import Iterable
from pathlib import Path

from chorus.keep.sources.sync import Sync
from chorus.keep.sources.sync_report import Report
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.port import contents

NOW = "2026-11-15T12:00:00.000Z"


class Keeper:
    """Runs passes over sources, each with a new vault object, as if in a process of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def sync(self, *sources: Path) -> Report:
        vault = FileVault(self.root)
        report = Sync(vault, self.root, lambda: NOW).run(sources)
        vault.close()
        return report

    def streams(self) -> dict[str, StreamKey]:
        return {f"{key.conversation}/{key.stream}": key for key in FileVault(self.root).keys()}  # noqa: SIM118 - a method

    def all_kept(self, names: Iterable[str]) -> dict[str, bytes]:
        """Returns the recorded bytes of each name, and no bytes for a stream that does not exist."""
        vault, streams = FileVault(self.root), self.streams()
        found = {name: contents(vault, streams[name]) if name in streams else b"" for name in names}
        vault.close()
        return found

    def kept(self, name: str, revision: int | None = None) -> bytes:
        vault = FileVault(self.root)
        found = contents(vault, self.streams()[name], revision)
        vault.close()
        return found
