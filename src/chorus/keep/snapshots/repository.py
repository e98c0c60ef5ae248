"""The repository of one workspace: a bare git folder in the home of Chorus, with one ref for each thread."""

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from chorus.base.git import Repository
from chorus.errors import ChorusError
from chorus.keep.snapshots.commits import Commit, parse_commit
from chorus.keep.snapshots.file_reading import FileContent
from chorus.keep.snapshots.objects import ObjectReader, ObjectWriter
from chorus.keep.snapshots.trees import TreeEntry
from chorus.keep.vault.keys import is_safe_name
from chorus.keep.vault.safe_files import make_folders, open_locked, put_file

FOLDER = "git"
"""The folder in the home of Chorus that contains the repositories."""
MERGING = "merging-"
"""Folders with files that are being merged have names that begin so."""
_REFS = "refs/chorus/"
_KNOWN = "refs/known/"
"""The content that files had when they were looked at for the first time. It belongs to no conversation."""
_OWN_LOCKS = ("chorus.lock", "publish.lock", "undo.lock")
_LEFTOVERS = "leftovers"
"""A file that exists while there may be objects that no ref needs."""
_AT_WORK = b"1"
_LOOSE_MANY = 5_000
_FSCK_CONTENT = 1
"""The exit code if `git fsck` finds fault with the content of objects, and with nothing else."""
_FINE = re.compile(
    r"notice: |(error|warning) in (blob|tree) \w+: (gitmodules|gitattributes|gitignore|mailmap|hasDotgit)\w*:"
)
"""Complaints of `git fsck` about names and content that git treats specially: an agent may write any of them."""
_OBJECT = re.compile(r"[0-9a-f]{40}")
_IN_REF = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_CONFIG = b"""[core]
\trepositoryformatversion = 0
\tbare = true
\tlogallrefupdates = false
[gc]
\tauto = 0
[receive]
\tdenyNonFastForwards = true
"""
# The rules in a repository's own attributes have the highest priority: files are stored byte for byte, whatever the
# attributes in the workspace say.
_ATTRIBUTES = b"* -text -eol -ident -filter -working-tree-encoding\n"


class SnapshotRepository:
    """The objects and refs of one workspace. One process writes at a time: see `lock`."""

    def __init__(self, home: Path, workspace: str) -> None:
        if not is_safe_name(workspace):
            raise ChorusError(f"{workspace!r} is not the id of a workspace")
        self.home = home
        self.git_dir = home / FOLDER / f"{workspace}.git"
        self._locks: list[int] = []
        locks = self._locks
        # Not a method of this object: it would keep itself alive, and with it the process of its reader.
        self.open_locks: Callable[[], tuple[int, ...]] = lambda: tuple(locks)
        """Returns the descriptors of the locks that this object holds now."""
        self.repository = Repository(self.git_dir, held=self.open_locks)
        self.reader = ObjectReader(self.repository)
        self.writer = ObjectWriter(self.git_dir)

    @property
    def exists(self) -> bool:
        return (self.git_dir / "HEAD").is_file()

    def create(self) -> None:
        """Creates the repository if it does not exist. A repository that was half created is completed."""
        if self.exists:
            return
        if (self.home / FOLDER).is_symlink() or self.git_dir.is_symlink():
            raise ChorusError(f"{self.git_dir} is a link, and links are not followed: remove it")
        for name in ("objects/info", "objects/pack", "refs/chorus", "info"):
            make_folders(self.home, self.git_dir / name)
        put_file(self.git_dir / "config", _CONFIG)
        put_file(self.git_dir / "info" / "attributes", _ATTRIBUTES)
        # Git takes a folder for a repository when it has this file, so it is written last.
        put_file(self.git_dir / "HEAD", b"ref: refs/heads/none\n")

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Waits until no other process writes to this repository, nor a git that such a process started."""
        self.create()
        fd = open_locked(self.git_dir / "chorus.lock")
        self._locks.append(fd)
        try:
            if os.pread(fd, 1, 0):
                self._clean_up()
            # Stays in the file if this process is killed, or something fails.
            os.pwrite(fd, _AT_WORK, 0)
            yield
            os.ftruncate(fd, 0)
        finally:
            self._locks.remove(fd)
            os.close(fd)

    @contextmanager
    def undoing(self) -> Iterator[None]:
        """Waits until no other process undoes something in this workspace. Snapshots are taken meanwhile."""
        self.create()
        fd = open_locked(self.git_dir / "undo.lock")
        try:
            yield
        finally:
            os.close(fd)

    def _clean_up(self) -> None:
        """Removes lock files of a git that was killed: the caller has the lock, so no git works here."""
        found = [path for path in self.git_dir.glob("*.lock") if path.name not in _OWN_LOCKS]
        for folder in ("refs", "objects/info", "objects/pack"):
            found += (self.git_dir / folder).rglob("*.lock")
        found += (self.git_dir / "objects" / "pack").glob(".tmp-*")
        for path in found:
            path.unlink(missing_ok=True)
        put_file(self.git_dir / _LEFTOVERS, b"")

    def tip(self, ref: str) -> str | None:
        """Returns the id of the newest snapshot of a ref, or None."""
        try:
            name = (self.git_dir / ref).read_text("ascii").strip()
        except (OSError, UnicodeDecodeError):
            return self.refs().get(ref)
        return name if _OBJECT.fullmatch(name) else self.refs().get(ref)

    def refs(self, conversation: str | None = None) -> dict[str, str]:
        """Returns ref → its newest snapshot, of all conversations or of one."""
        if not self.exists:
            return {}
        below = _REFS if conversation is None else refs_of(conversation)
        lines = self.repository.run("for-each-ref", "--format=%(refname) %(objectname)", below).decode().splitlines()
        return dict(line.split(" ", 1) for line in lines)

    def may_have(self, conversation: str) -> bool:
        """Whether the repository has snapshots of a conversation, or leftovers that may be of it. Needs no git."""
        below = f"{_REFS}{_part(conversation)}/"
        try:
            packed = (self.git_dir / "packed-refs").read_bytes()
        except OSError:
            packed = b""
        return self.has_leftovers or (self.git_dir / below).exists() or below.encode() in packed

    def move(self, ref: str, new: str) -> None:
        """Sets a ref to a snapshot. The caller holds the lock, so no other process of Chorus sets it meanwhile."""
        path = self.git_dir / ref
        make_folders(self.home, path.parent)
        # Git takes every file below `refs` for a ref, also one that is half written.
        half = self.git_dir / "ref"
        put_file(half, new.encode() + b"\n")
        half.replace(path)

    def remember(self, commit: str, look: str) -> None:
        """Protects content that belongs to no conversation; what was protected before for this look is not any more."""
        self.move(f"{_KNOWN}{look}files", commit)

    @contextmanager
    def removal(self) -> Iterator[None]:
        """Removes, at the end, all objects that no ref needs. The caller has the lock.

        If it is interrupted, `has_leftovers` is true from then on.
        """
        put_file(self.git_dir / _LEFTOVERS, b"")
        for ref in self.repository.run("for-each-ref", "--format=%(refname)", _KNOWN).decode().splitlines():
            self.remove(ref)
        yield
        self.collect_garbage()
        (self.git_dir / _LEFTOVERS).unlink()

    @property
    def has_leftovers(self) -> bool:
        """Whether a process was killed or failed: there may be objects that no ref needs and nobody should find."""
        return (self.git_dir / _LEFTOVERS).exists()

    @property
    def is_untidy(self) -> bool:
        """Whether the repository has so many loose objects that it should be packed."""
        try:
            # Objects are spread evenly over 256 folders.
            return sum(1 for _ in (self.git_dir / "objects" / "17").iterdir()) * 256 > _LOOSE_MANY
        except OSError:
            return False

    def remove(self, ref: str) -> None:
        self.repository.run("update-ref", "-d", ref)

    def commit(self, name: str) -> Commit:
        """Returns a snapshot. Raises `GitFailed` if it does not exist."""
        return parse_commit(name, self.reader.read(name, "commit"))

    def content(self, entry: TreeEntry | None) -> FileContent | None:
        """Returns the content of an entry of a tree; None for no entry."""
        return FileContent(entry.mode, self.reader.read(entry.id, "blob")) if entry else None

    def log(self, tip: str | None) -> Iterator[Commit]:
        """Yields the snapshots of a ref, the newest first."""
        while tip:
            found = self.commit(tip)
            yield found
            tip = found.parents[0] if found.parents else None

    def size_bytes(self) -> int:
        """Returns how much space the repository takes."""
        return sum(each.lstat().st_size for each in self.git_dir.rglob("*") if not each.is_dir()) if self.exists else 0

    def collect_garbage(self) -> None:
        """Packs the objects, and deletes those that no ref needs any more. The caller has the lock."""
        for merge in self.git_dir.glob(f"{MERGING}*"):
            shutil.rmtree(merge, ignore_errors=True)
        # Forced: the process that a file of a killed `gc` names may be another one by now.
        self.repository.run("gc", "--quiet", "--force", "--prune=now")
        self.reader.close()

    def check(self) -> list[str]:
        """Returns what is wrong with the repository; an empty list if nothing is."""
        answer = self.repository.ask("fsck", "--full", "--strict", "--no-dangling", "--no-progress")
        if answer.code == 0:
            return []
        said = (answer.errors + answer.output).decode("utf-8", "replace").splitlines()
        found = [line for line in said if not _FINE.match(line)]
        return found or ([] if answer.code == _FSCK_CONTENT else [f"git fsck failed with exit code {answer.code}"])


def refs_of(conversation: str) -> str:
    """Returns the beginning of all refs of a conversation."""
    return f"{_REFS}{_part(conversation)}/"


def ref_of(conversation: str, agent: str = "") -> str:
    """Returns the ref of a thread: a straight line of snapshots."""
    return f"{refs_of(conversation)}{'agent-' + _part(agent) if agent else 'main'}"


def existing_workspaces(home: Path) -> list[str]:
    """Returns the ids of the workspaces that have a repository."""
    folder = home / FOLDER
    if folder.is_symlink() or not folder.is_dir():
        return []
    return sorted(each.stem for each in folder.iterdir() if each.suffix == ".git" and is_safe_name(each.stem))


def _part(text: str) -> str:
    """Returns a text that can be a part of a ref: ids come from transcripts."""
    return text if _IN_REF.fullmatch(text) else "x-" + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:24]
