"""Reads the git repository of a person: what it tracks, and the content of objects. Nothing is written or started.

Git reads their index and objects with the configuration of Chorus' own repository, so nothing that theirs says counts:
no program, no included file, no remote to fetch from. A repository that leads elsewhere is not read at all.
"""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from chorus.base.git import Repository
from chorus.errors import GitFailed
from chorus.keep.snapshots.blocking_files import holds_up_git
from chorus.keep.snapshots.objects import ObjectReader, object_id
from chorus.keep.snapshots.trees import TreeEntry
from chorus.keep.vault.safe_files import READ, open_file, pieces

_MAX_POINTER_BYTES = 4_096
_PATIENCE_S = 60.0
"""Questions about a repository whose files may be anything are answered soon, or never."""
_FILES = ("100644", "100755", "120000")
_SHA1_BYTES, _SHA256_BYTES = 20, 32


class RepositoryPlace(Struct, frozen=True):
    """Where the repository of a person is."""

    work_tree: Path
    git_dir: Path
    """The folder of this worktree: with its index."""
    common_dir: Path
    """The folder that all worktrees share: with the objects."""

    def index(self) -> Path | None:
        """Returns the index if it is a file whose ids are those of Chorus' repositories, else None."""
        path = self.git_dir / "index"
        return path if _has_short_ids(path) else None

    def objects(self) -> Path | None:
        """Returns the folder with the objects; None if it leads elsewhere, or borrows objects of another repository."""
        folder = self.common_dir / "objects"
        borrows = os.path.lexists(folder / "info" / "alternates")
        return None if borrows or not _is_folder(folder) or not _is_folder(folder / "pack") else folder


def find_place(folder: Path) -> RepositoryPlace | None:
    """Returns where the repository is that the folder belongs to, or None.

    A `.git` that is a link is not followed. One that names another folder counts only if that folder names it as well,
    or belongs to a repository around it: anybody can write a file that names a folder of somebody else.
    """
    for top in (folder, *folder.parents):
        dot_git = top / ".git"
        if dot_git.is_symlink():
            return None
        if dot_git.is_dir():
            return RepositoryPlace(top, dot_git, dot_git)
        if dot_git.is_file():
            return _linked(dot_git, top)
    return None


def find_repository(folder: Path) -> Repository | None:
    """Returns the repository that the folder belongs to, or None; see `find_place`.

    Git reads its configuration, with every program in it switched off. One that would hold up git is none.
    """
    found = find_place(folder)
    if (
        found is None
        or not _is_folder(found.common_dir / "objects")
        or holds_up_git(found.work_tree, found.git_dir, found.common_dir)
    ):
        return None
    return Repository(found.git_dir, found.work_tree, common_dir=found.common_dir, patience_s=_PATIENCE_S)


def _linked(dot_git: Path, top: Path) -> RepositoryPlace | None:
    """Returns the place of a worktree or submodule: its `.git` is a file that names the git folder."""
    named = _named(dot_git, b"gitdir: ")
    if named is None:
        return None
    git_dir = Path(os.path.normpath(top / named))
    if not (git_dir / "HEAD").is_file():
        return None
    back = _named(git_dir / "gitdir")
    if back is not None and _is_same(git_dir / back, dot_git):
        # A worktree: `.git/worktrees/NAME` of the repository that owns it.
        common = Path(os.path.normpath(git_dir / (_named(git_dir / "commondir") or "")))
        return RepositoryPlace(top, git_dir, common) if git_dir.parent.parent == common else None
    dot_gits = [above / ".git" for above in top.parents if _is_folder(above / ".git")]
    is_module = any((each / "modules").resolve() in git_dir.resolve().parents for each in dot_gits)
    return RepositoryPlace(top, git_dir, git_dir) if is_module else None


def _named(path: Path, prefix: bytes = b"") -> str | None:
    """Returns the path that a small file has after the prefix, or None."""
    try:
        fd = open_file(path, READ)
    except OSError:
        return None
    try:
        text = os.read(fd, _MAX_POINTER_BYTES)
    except OSError:
        return None
    finally:
        os.close(fd)
    return os.fsdecode(text.removeprefix(prefix).strip()) if text.startswith(prefix) and b"\0" not in text else None


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _has_short_ids(path: Path) -> bool:
    """Whether an index has ids of 20 bytes: its last bytes are the digest of the rest, or zero bytes.

    Git would read one with ids of 32 bytes as if they were 20.
    """
    try:
        fd = open_file(path, READ)
    except OSError:
        return False
    try:
        size = os.fstat(fd).st_size
        if size < _SHA256_BYTES or os.pread(fd, 4, 0) != b"DIRC":
            return False
        digest = hashlib.sha1(usedforsecurity=False)
        for piece in pieces(fd, 0, size - _SHA1_BYTES):
            digest.update(piece)
        end = os.pread(fd, _SHA256_BYTES, size - _SHA256_BYTES)
    except OSError:
        return False
    finally:
        os.close(fd)
    return end[-_SHA1_BYTES:] == digest.digest() or (end.endswith(bytes(_SHA1_BYTES)) and any(end))


def tracked_files(place: RepositoryPlace, own: Path, folder: Path) -> Iterator[tuple[bytes, TreeEntry]]:
    """Yields the files below `folder` that the repository tracks, with the entries of its index.

    `own` is the git folder of Chorus. Yields nothing if the content of these files could not be read later, or if git
    cannot read the index.
    """
    index, objects = place.index(), place.objects()
    if index is None or objects is None:
        return
    try:
        output = Repository(own, place.work_tree, index, objects).run("ls-files", "-s", "-z")
    except GitFailed:
        return
    inside = os.fsencode(folder.relative_to(place.work_tree))
    prefix = b"" if inside == b"." else inside + b"/"
    for line in output.split(b"\0"):
        head, tab, path = line.partition(b"\t")
        if not tab or not path.startswith(prefix):
            continue
        mode, name, stage = head.decode("ascii", "replace").split(" ")
        if mode in _FILES and stage == "0":
            yield path.removeprefix(prefix), TreeEntry(mode, name)


class PersonsObjects:
    """The objects of a person's repository. The content is checked: the id of a blob is the digest of its content."""

    def __init__(self, place: RepositoryPlace | None, own: Path) -> None:
        """`own` is the git folder of Chorus."""
        objects = place.objects() if place is not None else None
        self._reader = ObjectReader(Repository(own, objects=objects)) if objects is not None else None

    def blob(self, name: str) -> bytes | None:
        """Returns the content of a blob, or None if the repository does not have it."""
        if self._reader is None:
            return None
        try:
            found = self._reader.find(name)
        except (GitFailed, OSError, ValueError):
            return None
        if found is None or found[0] != "blob" or object_id("blob", found[1]) != name:
            return None
        return found[1]

    def close(self) -> None:
        if self._reader is not None:
            self._reader.close()
