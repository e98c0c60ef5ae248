"""The commit and the branch that a person has checked out, and which files git itself wrote when that changed.

A switch of the branch, a rebase, a merge or a reset changes files that no agent wrote. The reflog says how HEAD moved.
A commit that was made out of the files does not count, because somebody wrote these files.
"""

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from chorus.base.git import Repository
from chorus.errors import GitFailed
from chorus.keep.snapshots.persons_repository import find_place
from chorus.keep.snapshots.trees import TreeEntry
from chorus.keep.vault.safe_files import put_file, read_file

_OBJECT = re.compile(rb"[0-9a-f]{40}|[0-9a-f]{64}")
_BRANCHES = "refs/heads/"
_MAX_BYTES = 64_000_000
_MAX_MOVES = 500
_PATHS_AT_ONCE = 500
_MADE = b"commit"
"""How the reflog calls a new commit out of the person's files."""
_MERGED = ("MERGE_HEAD", "CHERRY_PICK_HEAD")
_MAX_MERGED = 16
_UNFINISHED = (*_MERGED, "REVERT_HEAD", "rebase-merge", "rebase-apply")
"""What is in a git folder while a merge or a rebase waits for somebody."""
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_TIMES = re.compile(rb"  mtime: (\d+):(\d+)\n(?:  [^\n]*\n)*?  size: (\d+)")
_END = re.compile(rb"flags: [0-9a-f]+\n")


_Noted = tuple[str, int, int, int]


class Head(Struct, frozen=True):
    """What is checked out."""

    commit: str = ""
    """Empty if there is no commit yet, or no repository."""
    branch: str = ""
    """Empty if no branch is checked out."""

    @property
    def name(self) -> str:
        """The branch, or the beginning of the commit's id."""
        return self.branch or self.commit[:10]


def read_head(folder: Path) -> Head:
    """Returns what is checked out in the repository of a folder. Nothing is started; a reftable is not read."""
    place = find_place(folder)
    if place is None or (place.common_dir / "reftable").is_dir():
        return Head()
    shared = place.common_dir
    text = _read(place.git_dir / "HEAD").strip()
    if not text.startswith(b"ref: "):
        return Head(_name(text))
    ref = os.fsdecode(text.removeprefix(b"ref: ").strip())
    if ".." in ref or not ref.startswith("refs/"):
        return Head()
    branch = ref.removeprefix(_BRANCHES) if ref.startswith(_BRANCHES) else ""
    return Head(_name(_read(shared / ref).strip()) or _packed(shared, ref), branch)


class HeadWatch:
    """What was checked out at the last look at a workspace."""

    def __init__(self, git_dir: Path, folder: Path, name: str = "workspace.head") -> None:
        """`git_dir` is the repository of Chorus, where the last look is noted under this name."""
        self._own = git_dir
        self._path = git_dir / name
        self._folder = folder

    @property
    def last(self) -> Head | None:
        """What was checked out then; None before the first look."""
        try:
            return msgspec.json.decode(read_file(self._path), type=Head)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return None

    def put(self, head: Head) -> None:
        """Notes what is checked out now."""
        if head != self.last:
            put_file(self._path, msgspec.json.encode(head))

    def written_by_git(
        self, now: Head, files: Mapping[bytes, TreeEntry | None], looked_s: float
    ) -> dict[bytes, TreeEntry | None]:
        """Returns the files that git changed since the last look, with what git made of them; None if it deleted them.

        `files` are the files that changed, as they are now; `looked_s` is the time of the last look. A file that
        somebody changed after git did has another entry in the result than in `files`.
        """
        last, place = self.last, find_place(self._folder)
        if last is None or place is None or not now.commit or place.objects() is None:
            return {}
        # With the configuration of Chorus: nothing that theirs says counts.
        repository = Repository(self._own, place.work_tree, place.index(), place.objects())
        is_unfinished = any((place.git_dir / name).exists() for name in _UNFINISHED)
        if last.commit == now.commit and not is_unfinished:
            return {}
        try:
            moves = (
                _moves(repository, place.git_dir, last.commit, now.commit, looked_s)
                if last.commit != now.commit
                else []
            )
            merged = _merged(place.git_dir) if is_unfinished else []
            found = _written(repository, self._folder, last.commit, moves, merged, files)
            conflicts = _conflicts(repository, self._folder, files) if is_unfinished else ()
            return {**found, **{path: files[path] for path in conflicts}}
        except GitFailed:
            # This cannot be decided: what changed is treated like any other change.
            return {}


def _merged(git_dir: Path) -> list[str]:
    """Returns the commits that are being merged."""
    lines = [line for name in _MERGED for line in _read(git_dir / name).split()]
    return [name for line in lines[:_MAX_MERGED] if (name := _name(line))]


def _conflicts(repository: Repository, folder: Path, files: Iterable[bytes]) -> Iterator[bytes]:
    """Yields the files that git could not merge: it wrote both sides into them."""
    prefix = _prefix(repository, folder)
    for some in _batches(files):
        names = [os.fsdecode(prefix + each) for each in some]
        for line in repository.run("ls-files", "-u", "-z", "--", *names).split(b"\0"):
            path = line.partition(b"\t")[2].removeprefix(prefix)
            if path in some:
                yield path


def _prefix(repository: Repository, folder: Path) -> bytes:
    """Returns what precedes the paths of a workspace in those of its repository."""
    inside = os.fsencode(folder.relative_to(repository.work_tree or folder))
    return b"" if inside == b"." else inside + b"/"


def _moves(repository: Repository, git_dir: Path, old: str, new: str, looked_s: float) -> list[str]:
    """Returns the commits to which HEAD was moved since `old`, the newest first, without those that were made then."""
    found: list[str] = []
    for line in reversed(_read(git_dir / "logs" / "HEAD").splitlines()[-_MAX_MOVES:]):
        ids, _, how = line.partition(b"\t")
        name = _name(b" ".join(ids.split(b" ")[1:2]))
        if name == old:
            return found
        if name and not how.startswith(_MADE):
            found.append(name)
    # Without a reflog: a commit that is older than the last look was not made out of files that changed since.
    log = ("log", "--no-show-signature", "--no-notes", "--no-mailmap", "-1", "--format=%ct", new, "--")
    made = repository.ask(*log).output.strip()
    return [new] if made.isdigit() and int(made) < looked_s else []


def _written(
    repository: Repository,
    folder: Path,
    old: str,
    moves: Sequence[str],
    merged: Sequence[str],
    files: Mapping[bytes, TreeEntry | None],
) -> dict[bytes, TreeEntry | None]:
    prefix = _prefix(repository, folder)
    before = _entries(repository, old, prefix, files) if old else {}
    indexed = dict(_index_times(repository, prefix, files)) if moves else {}
    found: dict[bytes, TreeEntry | None] = {}
    for commit in (*moves, *merged):
        after = _entries(repository, commit, prefix, files)
        for path, entry in files.items():
            if path in found and found[path] == entry:
                continue
            made = after.get(path)
            if made == before.get(path):
                continue
            if entry == made or (entry and made and _is_untouched(folder, path, indexed.get(path), made.id)):
                # With a filter or other line endings the file is not the blob, but nobody touched it since.
                found[path] = entry
            elif commit in moves[:1]:
                found[path] = made
    return found


def _entries(repository: Repository, commit: str, prefix: bytes, paths: Iterable[bytes]) -> dict[bytes, TreeEntry]:
    """Returns the files of a commit among these."""
    found: dict[bytes, TreeEntry] = {}
    for some in _batches(paths):
        names = [os.fsdecode(prefix + each) for each in some]
        for line in repository.run("ls-tree", "-r", "-z", "--full-tree", commit, "--", *names).split(b"\0"):
            head, tab, path = line.partition(b"\t")
            if tab:
                mode, _, name = head.split(b" ")[:3]
                found[path.removeprefix(prefix)] = TreeEntry(mode.decode(), name.decode())
    return found


def _index_times(repository: Repository, prefix: bytes, paths: Iterable[bytes]) -> Iterator[tuple[bytes, _Noted]]:
    """Yields for each file its blob, and the time (seconds, nanoseconds) and size that git noted when it wrote it."""
    for some in _batches(paths):
        names = [os.fsdecode(prefix + each) for each in some]
        output = repository.run("ls-files", "-s", "-z", "--debug", "--", *names)
        # Each path ends with NUL, and is followed by lines of what is known about it.
        parts = output.split(b"\0")
        for at in range(len(parts) - 1):
            head, _, path = _END.split(parts[at], maxsplit=1)[-1].partition(b"\t")
            if known := _TIMES.search(parts[at + 1]):
                name = head.split(b" ")[1].decode()
                yield path.removeprefix(prefix), (name, int(known[1]), int(known[2]), int(known[3]))


def _is_untouched(folder: Path, path: bytes, noted: _Noted | None, name: str) -> bool:
    """Returns whether a file still is what git wrote for this blob."""
    if noted is None or noted[0] != name:
        return False
    try:
        known = os.lstat(os.path.join(os.fsencode(folder), path))  # noqa: PTH118 - bytes
    except OSError:
        return False
    return (*divmod(known.st_mtime_ns, 1_000_000_000), known.st_size) == noted[1:]


def _batches(paths: Iterable[bytes]) -> Iterator[list[bytes]]:
    every = list(paths)
    for start in range(0, len(every), _PATHS_AT_ONCE):
        yield every[start : start + _PATHS_AT_ONCE]


def _packed(shared: Path, ref: str) -> str:
    found = re.search(
        rb"^([0-9a-f]+) " + re.escape(os.fsencode(ref)) + rb"$", _read(shared / "packed-refs"), re.MULTILINE
    )
    return _name(found[1]) if found else ""


def _name(text: bytes) -> str:
    return text.decode() if _OBJECT.fullmatch(text) else ""


def _read(path: Path) -> bytes:
    """Returns the content of a regular file; empty if there is none. No link is followed, and nothing is waited for."""
    try:
        fd = os.open(path, _FLAGS)
    except (OSError, ValueError):
        return b""
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return b""
        with os.fdopen(os.dup(fd), "rb") as file:
            return file.read(_MAX_BYTES)
    except OSError:
        return b""
    finally:
        os.close(fd)
