"""Git objects: written as loose files, read through one long-lived `git cat-file`."""

import hashlib
import os
import tempfile
import zlib
from collections import OrderedDict
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Literal, Self

from chorus.base.git import Repository, Running
from chorus.errors import GitFailed
from chorus.keep.vault.safe_files import write_all

Kind = Literal["blob", "tree", "commit"]
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_FAST = 1
"""The level of compression: `git gc` packs the objects better later."""
_CACHED = 512


def object_id(kind: Kind, data: bytes) -> str:
    """Returns the id of an object."""
    return hashlib.sha1(b"%s %d\0" % (kind.encode(), len(data)) + data, usedforsecurity=False).hexdigest()


class ObjectWriter:
    """Writes objects into a repository. An object is complete, and durable before `settle` returns."""

    def __init__(self, git_dir: Path, *, is_lazy: bool = False) -> None:
        """A lazy one makes all objects durable together, which is cheaper from some hundred objects on."""
        self._folder = git_dir / "objects"
        self._is_lazy = is_lazy
        self._is_settled = True

    def settle(self) -> None:
        """Waits until everything that was written is durable."""
        if not self._is_settled:
            os.sync()
            self._is_settled = True

    def write(self, kind: Kind, data: bytes) -> str:
        """Writes an object and returns its id; an object that exists is not written again."""
        name = object_id(kind, data)
        folder = self._folder / name[:2]
        path = folder / name[2:]
        if _is_whole(path):
            return name
        if not folder.is_dir():
            folder.mkdir(mode=0o700, exist_ok=True)
        fd, half = tempfile.mkstemp(prefix="tmp_obj_", dir=folder)
        try:
            write_all(fd, zlib.compress(b"%s %d\0" % (kind.encode(), len(data)) + data, _FAST))
            os.fchmod(fd, 0o400)
            if self._is_lazy:
                self._is_settled = False
            else:
                os.fsync(fd)
            Path(half).replace(path)
        except BaseException:
            Path(half).unlink(missing_ok=True)
            raise
        finally:
            os.close(fd)
        return name


def _is_whole(path: Path) -> bool:
    """Whether the object exists. After a power failure, a name may be there without content."""
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


class ObjectReader(AbstractContextManager["ObjectReader"]):
    """Reads objects of a repository. Trees and commits are cached."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._stack = ExitStack()
        self._process: Running | None = None
        self._cache: OrderedDict[str, tuple[str, bytes]] = OrderedDict()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the process. It is started again when something is read."""
        self._stack.close()
        self._process = None

    def read(self, name: str, kind: Kind) -> bytes:
        """Returns the content of an object. Raises `GitFailed` if it does not exist or is of another kind."""
        found = self.find(name)
        if found is None:
            raise GitFailed(f"{self._repository.git_dir}: the object {name} is missing")
        if found[0] != kind:
            raise GitFailed(f"{self._repository.git_dir}: {name} is a {found[0]}, not a {kind}")
        return found[1]

    def find(self, name: str) -> tuple[str, bytes] | None:
        """Returns the kind and the content of an object; None if the repository does not have it."""
        known = self._cache.get(name)
        if known is not None:
            self._cache.move_to_end(name)
            return known
        try:
            found = self._ask(name)
        except (OSError, ValueError):
            # The process may have ended, for example because its repository was packed.
            self.close()
            found = self._ask_again(name)
        if found is not None and found[0] != "blob":
            self.remember(name, *found)
        return found

    def remember(self, name: str, kind: str, data: bytes) -> None:
        """Caches a tree or commit, for example one that was just written."""
        self._cache[name] = (kind, data)
        if len(self._cache) > _CACHED:
            self._cache.popitem(last=False)

    def _ask_again(self, name: str) -> tuple[str, bytes] | None:
        try:
            return self._ask(name)
        except (OSError, ValueError) as error:
            self.close()
            raise GitFailed(f"{self._repository.git_dir}: the object {name} cannot be read ({error})") from error

    def _ask(self, name: str) -> tuple[str, bytes] | None:
        if self._process is None:
            self._process = self._stack.enter_context(self._repository.running("cat-file", "--batch"))
        into, out = self._process.stdin, self._process.stdout
        assert into is not None
        assert out is not None
        into.write(name.encode() + b"\n")
        into.flush()
        head = out.readline().split()
        if len(head) == 2:
            return None
        if len(head) != 3:
            raise ValueError(f"unexpected answer of git cat-file: {head!r}")
        data = out.read(int(head[2]))
        out.read(1)
        return head[1].decode(), data
