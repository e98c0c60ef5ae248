"""Reads files of a person's repository at a commit, by the names that they have there."""

import re
from collections.abc import Iterator
from pathlib import Path

from chorus.base.git import Repository
from chorus.errors import ChorusError, GitFailed
from chorus.keep.snapshots.file_reading import MAX_BYTES
from chorus.keep.snapshots.undo import LINK

_MAX_NAMES = 20
_IS_COMMIT = re.compile(rb"[0-9a-f]{40}|[0-9a-f]{64}")


def resolve_commit(repository: Repository, revision: str) -> str:
    """Returns the full id of a commit. Raises `ChorusError` if the repository does not have it or cannot be read."""
    if not revision.isprintable():
        raise ChorusError("a revision with control characters names no commit")
    answer = repository.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    place = repository.work_tree or repository.git_dir
    if answer.code and answer.error.startswith("fatal:"):
        raise GitFailed(f"git cannot read {place}: {answer.error.removeprefix('fatal:').strip()}")
    if answer.code:
        raise ChorusError(f"{revision}: there is no such commit in {place}")
    return answer.output.decode().strip()


def read_at(repository: Repository, commit: str, path: str) -> bytes:
    """Returns the content of a file at a commit. Raises `ChorusError` if it is not there, or too large."""
    entry = repository.run("ls-tree", "-l", "-z", "--full-tree", commit, "--", path)
    mode, kind, name, size = (entry.partition(b"\t")[0].decode().split() or ["", "", "", ""])[:4]
    if mode == LINK:
        raise ChorusError(f"{path}: it is a link, and links are not followed")
    if kind != "blob":
        raise ChorusError(f"{path}: there is no such file at {commit[:12]}")
    if not size.isdecimal():
        raise ChorusError(f"{path}: its content at {commit[:12]} is not in this clone")
    if int(size) > MAX_BYTES:
        raise ChorusError(f"{path}: it is larger than {MAX_BYTES // 1_000_000} MB")
    return repository.run("cat-file", "blob", name)


def top_path(repository: Repository, folder: Path, path: bytes) -> str:
    """Returns the path of a file of the workspace as its repository names it."""
    top = repository.work_tree or folder
    inside = folder.relative_to(top).as_posix()
    name = path.decode("utf-8", "surrogateescape")
    return name if inside == "." else f"{inside}/{name}"


def earlier_names(repository: Repository, folder: Path, path: bytes, commit: str) -> Iterator[bytes]:
    """Yields the names that a file had before it was renamed, the latest first.

    If a commit made two files out of one, nobody knows which of them was renamed and which one is a copy.
    """
    try:
        output = repository.run(
            "log", "--follow", "--name-status", "-z", "--format=%H", "--diff-filter=R", f"--max-count={_MAX_NAMES}",
            "--no-ext-diff", "--no-textconv", commit, "--", top_path(repository, folder, path),
        )  # fmt: skip
        prefix = top_path(repository, folder, b"").encode("utf-8", "surrogateescape")
        fields = iter(output.split(b"\0"))
        renaming = b""
        for field in map(bytes.strip, fields):
            if _IS_COMMIT.fullmatch(field):
                renaming = field
            elif field.startswith(b"R"):
                old = next(fields, b"")
                next(fields, b"")
                if _becomes_several(repository, renaming.decode(), old):
                    return
                if old.startswith(prefix):
                    yield old.removeprefix(prefix)
    except GitFailed:
        return


def _becomes_several(repository: Repository, commit: str, old: bytes) -> bool:
    """Returns whether a commit made more than one file out of a file."""
    output = repository.run(
        "diff-tree", "-r", "-z", "--root", "--no-commit-id", "--find-copies", "--diff-filter=RC", "--name-status",
        "--no-ext-diff", "--no-textconv", commit,
    )  # fmt: skip
    fields = output.split(b"\0")
    return fields[1::3].count(old) > 1
