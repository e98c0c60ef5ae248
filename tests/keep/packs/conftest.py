"""A machine for unpacking: a project's folder, a client's folder, and other files around them."""

from pathlib import Path

import pytest

from chorus.keep.packs.unpacking import UnpackOptions, unpack
from tests.keep.packs.packs import packed
from tests.support.keeping import files


class Machine:
    """Unpacks packs, and notices every changed byte outside of its client's folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.work = root / "work"
        self.client = root / "claude"
        self.pack = root / "it.tar.zst"
        self.work.mkdir()
        (root / "precious.txt").write_bytes(b"precious")

    def unpack(self, data=None, **options):
        self.pack.write_bytes(packed() if data is None else data)
        return unpack(self.pack, self.work, self.client, UnpackOptions(**options))

    def everything(self):
        """Returns every file below the machine except the pack, with its bytes."""
        return {path: path.read_bytes() for path in files(self.root) if path != self.pack}

    def is_untouched(self):
        """Returns whether the machine has only the files from before the first unpacking."""
        return self.everything() == {self.root / "precious.txt": b"precious"} and not list(self.client.glob("*"))


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)
