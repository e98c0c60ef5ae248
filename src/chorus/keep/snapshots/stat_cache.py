"""Finds the files of a workspace that changed since the last look, without reading the others.

The cache is an index file of git that belongs to Chorus: git compares it with the folder, honours the ignore files of
the person, and never starts anything, because the git folder is that of Chorus.
"""

import hashlib
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from chorus.base.git import Repository
from chorus.errors import GitFailed
from chorus.keep.snapshots.file_reading import MAX_BYTES, reason_to_skip
from chorus.keep.snapshots.persons_repository import find_place
from chorus.keep.snapshots.repository import SnapshotRepository
from chorus.keep.snapshots.trees import TreeEntry
from chorus.keep.vault.safe_files import put_file

_INDEX = "workspace.index"
_WORKTREE = "worktree-"
_MAX_IGNORE_BYTES = 1_000_000
_MANY_PATHS = 100
"""More paths than this are searched for in the list of all: git compares each path with each file."""
_LOOK_S = 120.0
"""A look at the names and times of all files never takes so long, unless something blocks it: for example a pipe in
place of an ignore file."""
_CLOCK_MS = 20
"""The times of files may be this much behind the clock."""
_NO_OBJECT = b"0" * 40
_DAMAGE = re.compile(
    r"index file (corrupt|smaller)|bad (index|signature)|unknown index entry|in the index|unordered stage|index uses"
)
"""What git says about an index that it cannot read."""
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


class CacheDamaged(GitFailed):
    """The cache cannot be read: it has to be begun again."""


class FileChange(Struct, frozen=True):
    """A file that is not as it was at the last look."""

    path: bytes
    old: TreeEntry | None
    """What was known before; None for a new file."""
    is_gone: bool


class StatCache:
    """What is known about the files of one workspace: mode, content and the times and sizes that the system reports.

    The cache of a worktree in the workspace knows its files alone, by their paths in the workspace.
    """

    def __init__(self, store: SnapshotRepository, workspace: Path, worktree: bytes = b"", suffix: str = "") -> None:
        self._store = store
        self._workspace = workspace
        self._worktree = worktree
        self._above = worktree + b"/" if worktree else b""
        self._path = store.git_dir / f"{name_of_look(worktree)}{_INDEX}{suffix}"
        folder = self._folder = workspace / os.fsdecode(worktree)
        self._repository = Repository(store.git_dir, folder, self._path, held=store.open_locks)
        self._looking = Repository(store.git_dir, folder, self._path, patience_s=_LOOK_S)

    @property
    def exists(self) -> bool:
        return self._path.exists()

    @property
    def looked_s(self) -> float:
        """When the files were looked at last, in seconds since 1970; 0 if they never were."""
        try:
            return self._path.stat().st_mtime
        except OSError:
            return 0.0

    @contextmanager
    def begun_again(self, known: Iterable[tuple[bytes, TreeEntry]]) -> "Iterator[StatCache]":
        """Yields a cache with entries that may be true. It replaces this one at the end, if nothing fails.

        Only entries that equal the files count as known. Their content need not be in the repository.
        """
        new = StatCache(self._store, self._workspace, self._worktree, ".new")
        new._path.unlink(missing_ok=True)
        new._repository.run("read-tree", "--empty")
        new.put(known)
        yield new
        new._path.replace(self._path)

    def put(self, entries: Iterable[tuple[bytes, TreeEntry | None]]) -> None:
        """Remembers the current state of files as these entries; None for files that are gone."""
        pipes = _Pipes(self._folder)
        inside = ((path.removeprefix(self._above), entry) for path, entry in entries)
        lines = [
            b"%s %s\t%s\0" % (entry.mode.encode(), entry.id.encode(), path)
            if entry is not None
            else b"0 %s\t%s\0" % (_NO_OBJECT, path)
            for path, entry in inside
            if not _is_refused(path, entry) and not pipes.block(path)
        ]
        if lines:
            self._repository.run("update-index", "-z", "--index-info", input_bytes=b"".join(lines))
            # An entry without times and sizes counts as changed. This compares the content of such files once.
            self._repository.run("update-index", "-q", "--refresh", codes=(0, 1))

    def changes(self) -> tuple[list[FileChange], list[str]]:
        """Returns the files that are not as they were put last, and what is left out, each with the reason.

        Raises `CacheDamaged` if the cache cannot be read, as after a power failure.
        """
        self._write_ignore_rules()
        try:
            output, untracked = self._look()
        except GitFailed as error:
            if _DAMAGE.search(str(error)):
                raise CacheDamaged(str(error)) from error
            raise
        found: list[FileChange] = []
        skipped: list[str] = []
        for change in (
            *_changed(output),
            *(FileChange(each, None, is_gone=False) for each in untracked.split(b"\0") if each),
        ):
            reason = self._reason(change)
            path = self._above + change.path
            if reason is None:
                found.append(FileChange(path, change.old, change.is_gone))
            else:
                skipped.append(f"{os.fsdecode(path)}: {reason}")
        return found, skipped

    def _look(self) -> tuple[bytes, bytes]:
        """Returns what git says about the known files, and the files that are not known."""
        with ThreadPoolExecutor(1) as beside:
            others = beside.submit(self._looking.run, "ls-files", "--others", "--exclude-standard", "-z")
            output = self._looking.run("diff-files", "-z", "--raw", "--no-renames", "--ignore-submodules=all")
            return output, others.result()

    def has_changed_since(self, change: FileChange, time_ms: int) -> bool:
        """Returns whether a file may have changed at this time or later; for a file that is gone, its folder tells."""
        place = os.path.join(os.fsencode(self._workspace), change.path)  # noqa: PTH118 - bytes
        while True:
            try:
                return os.lstat(place).st_ctime_ns // 1_000_000 >= time_ms - _CLOCK_MS
            except OSError:
                above = os.path.dirname(place)  # noqa: PTH120 - bytes
                if above == place:
                    return False
                place = above

    def current(self, paths: Sequence[bytes]) -> dict[bytes, TreeEntry]:
        """Returns what is remembered about these files; files that are not known are left out."""
        wanted = frozenset(each.removeprefix(self._above) for each in paths if each.startswith(self._above))
        some = [os.fsdecode(each) for each in wanted] if len(wanted) <= _MANY_PATHS else []
        found: dict[bytes, TreeEntry] = {}
        for line in self._repository.run("ls-files", "-s", "-z", "--", *some).split(b"\0") if wanted else ():
            head, _, path = line.partition(b"\t")
            if path in wanted:
                mode, name, _ = head.split(b" ")
                found[self._above + path] = TreeEntry(mode.decode(), name.decode())
        return found

    def _reason(self, change: FileChange) -> str | None:
        if change.path.endswith(b"/"):
            return "it is a repository of its own"
        reason = reason_to_skip(change.path)
        if reason is not None or change.is_gone:
            return reason
        try:
            known = os.lstat(os.path.join(os.fsencode(self._folder), change.path))  # noqa: PTH118 - bytes
        except OSError:
            return None
        if not (stat.S_ISREG(known.st_mode) or stat.S_ISLNK(known.st_mode)):
            return "it is not a regular file"
        return f"it is larger than {MAX_BYTES // 1_000_000} MB" if known.st_size > MAX_BYTES else None

    def _write_ignore_rules(self) -> None:
        """Copies the ignore rules that are not in the folder itself: those of its repository and of the person."""
        wanted = b"\n".join(_ignore_rules(self._folder)) + b"\n"
        place = self._repository.git_dir / "info" / "exclude"
        if not place.exists() or place.read_bytes() != wanted:
            put_file(place, wanted)


class _Pipes:
    """Finds files that git would wait for: it reads the attributes beside a file and above it, even from a pipe."""

    def __init__(self, folder: Path) -> None:
        self._top = os.fsencode(folder)
        self._known: dict[bytes, bool] = {b"": self._is_pipe(self._top)}

    def block(self, path: bytes) -> bool:
        above = path.rpartition(b"/")[0]
        found = self._known.get(above)
        if found is None:
            found = self._known[above] = self._is_pipe(self._top + b"/" + above) or self.block(above)
        return found

    def _is_pipe(self, folder: bytes) -> bool:
        try:
            mode = os.lstat(folder + b"/.gitattributes").st_mode
        except OSError:
            return False
        return not (stat.S_ISREG(mode) or stat.S_ISLNK(mode) or stat.S_ISDIR(mode))


def _is_refused(path: bytes, entry: TreeEntry | None) -> bool:
    """Whether git refuses an entry, and with it all others: a part of a git folder, or a link with this name."""
    parts = path.lower().split(b"/")
    is_link = entry is not None and entry.mode == "120000"
    return any(each in (b"", b".", b"..", b".git") for each in parts) or (is_link and b".gitmodules" in parts)


def name_of_look(worktree: bytes) -> str:
    """Returns the beginning of the names of files about a worktree in the workspace; empty for the workspace itself."""
    return f"{_WORKTREE}{hashlib.sha256(worktree).hexdigest()[:24]}-" if worktree else ""


def forget_cache(store: SnapshotRepository) -> None:
    """Deletes what is known about the files of a workspace. The next look is a first look."""
    for path in (store.git_dir / _INDEX, *store.git_dir.glob(f"{_WORKTREE}*")):
        path.unlink(missing_ok=True)


def _changed(output: bytes) -> Iterator[FileChange]:
    """Yields the files in the raw output of `diff-files`: `:100644 100644 <id> <id> M`, then the path."""
    fields = output.split(b"\0")
    for head, path in zip(fields[::2], fields[1::2], strict=False):
        mode, _, name, _, letter = head.lstrip(b":").split(b" ")
        yield FileChange(path, TreeEntry(mode.decode(), name.decode()), is_gone=letter == b"D")


def _ignore_rules(folder: Path) -> Iterator[bytes]:
    """Yields the rules of the person, of the repository, and of its folders above the workspace."""
    home = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    yield _read(home / "git" / "ignore")
    place = find_place(folder)
    if place is None:
        return
    info = place.common_dir / "info"
    if not info.is_symlink():
        yield _read(info / "exclude")
    inside = folder.relative_to(place.work_tree).parts
    for depth in range(len(inside)):
        above = place.work_tree.joinpath(*inside[:depth])
        yield from _moved_rules(_read(above / ".gitignore"), inside[depth:])


def _moved_rules(rules: bytes, inside: Sequence[str]) -> Iterator[bytes]:
    """Yields the rules of a folder above as the workspace needs them; `inside` are the names that lead to it."""
    prefix = "/".join(inside).encode("utf-8", "surrogateescape") + b"/"
    for rule in rules.splitlines():
        if not rule or rule.startswith(b"#"):
            continue
        negated, pattern = (b"!", rule[1:]) if rule.startswith(b"!") else (b"", rule)
        if b"/" not in pattern.rstrip(b"/"):
            yield rule
        elif pattern.lstrip(b"/").startswith(prefix):
            yield negated + b"/" + pattern.lstrip(b"/").removeprefix(prefix)
        elif pattern.startswith(b"**/"):
            yield rule


def _read(path: Path) -> bytes:
    """Returns the content of a small regular file; empty if there is none. A pipe or a device is not waited for."""
    try:
        fd = os.open(path, _FLAGS)
    except OSError:
        return b""
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return b""
        return os.read(fd, _MAX_IGNORE_BYTES)
    except OSError:
        return b""
    finally:
        os.close(fd)
