"""Tells which conversations wrote a commit: the origins of the lines that the commit added."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from chorus.base.git import Repository
from chorus.core.blame.claims import Claim, LinesByEdit
from chorus.core.blame.line_ranges import ranges_of
from chorus.core.blame.origins import Edit
from chorus.errors import ChorusError
from chorus.find.provenance.file_blame import blame_with
from chorus.find.provenance.file_histories import FileHistories
from chorus.find.provenance.foreign_claims import claims_about_commit
from chorus.find.provenance.recorded_edits import FindRecorded
from chorus.find.provenance.revisions import resolve_commit, top_path
from chorus.keep.snapshots.persons_repository import find_repository
from chorus.keep.snapshots.repository import SnapshotRepository

_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ESCAPED = re.compile(rb"\\([0-7]{3}|.)")
_LETTERS = dict(zip(b"abtnvfr", b"\a\b\t\n\v\f\r", strict=True))


class Share(Struct, frozen=True):
    """What one turn of one conversation contributed to a commit."""

    conversation: str
    agent: str
    turn: int
    prompt: str
    model: str
    lines: int


class CommitOrigins(Struct, frozen=True):
    """A commit, and who wrote its lines."""

    commit: str
    subject: str
    files: int
    added: int
    """Lines that the commit added."""
    shares: list[Share]
    """The largest first."""
    claims: list[tuple[Claim, int]]
    """What other programs say about its lines, with the number of lines."""

    @property
    def known(self) -> int:
        """Lines whose origin is known."""
        return sum(share.lines for share in self.shares)


def commit_origins(
    store: SnapshotRepository, folder: Path, revision: str, find_recorded: FindRecorded | None = None
) -> CommitOrigins:
    """Returns who wrote the lines that a commit added. Raises `ChorusError` if there is no such commit."""
    repository = find_repository(folder)
    if repository is None:
        raise ChorusError(f"{folder}: it is no git repository, so it has no commits")
    commit = resolve_commit(repository, revision)
    found = edits_of_commit(FileHistories(store, folder, find_recorded), repository, commit)
    claims = claims_about_commit(repository, folder, commit)
    subject = repository.run("log", "-1", "--format=%s", commit).decode("utf-8", "replace").strip()
    return CommitOrigins(commit, subject, found.files, found.added, _shares(found.lines), claims)


class CommitEdits(Struct, frozen=True):
    """The edits that wrote the lines of a commit."""

    files: int
    added: int
    lines: Counter[Edit]
    """How many lines each edit wrote."""


def edits_of_commit(histories: FileHistories, repository: Repository, commit: str) -> CommitEdits:
    """Returns who wrote the lines that a commit added; `commit` is a full id."""
    added = _added(repository, histories.folder, commit)
    counts = Counter(edit for _, _, edit in _written(histories, added, commit))
    return CommitEdits(len(added), sum(map(len, added.values())), counts)


def lines_of_commit(histories: FileHistories, repository: Repository, commit: str) -> LinesByEdit:
    """Returns the lines that agents wrote, of those that a commit added, by the paths that its repository uses."""
    found: dict[str, dict[Edit, list[int]]] = {}
    added = _added(repository, histories.folder, commit)
    for path, number, edit in _written(histories, added, commit):
        found.setdefault(top_path(repository, histories.folder, path), {}).setdefault(edit, []).append(number)
    return {path: {edit: ranges_of(each) for edit, each in edits.items()} for path, edits in found.items()}


def _written(histories: FileHistories, added: dict[bytes, list[int]], commit: str) -> Iterator[tuple[bytes, int, Edit]]:
    """Yields the path and the number of each added line that an agent wrote, with the edit."""
    for path, numbers in added.items():
        try:
            origins = blame_with(histories, path, commit).origins
        except ChorusError:
            continue
        for number in numbers:
            origin = origins[number - 1] if 0 < number <= len(origins) else None
            if origin is not None:
                yield path, number, origin.edit


def _shares(counts: Counter[Edit]) -> list[Share]:
    sums: Counter[tuple[str, str, int, str, str]] = Counter()
    for edit, count in counts.items():
        sums[edit.conversation, edit.agent, edit.turn, edit.prompt, edit.model] += count
    return [Share(*key, count) for key, count in sums.most_common()]


def _added(repository: Repository, folder: Path, commit: str) -> dict[bytes, list[int]]:
    """Returns the files of the workspace that a commit changed, with the numbers of the lines that it added."""
    parents = repository.run("rev-list", "--parents", "-1", commit).decode().split()[1:]
    prefix = top_path(repository, folder, b"").encode("utf-8", "surrogateescape")
    # The id of the empty tree depends on the format of the repository.
    base = parents[0] if parents else repository.run("hash-object", "-t", "tree", "--stdin").decode().strip()
    output = repository.run(
        "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--find-renames", "--unified=0",
        "--inter-hunk-context=0", "--ignore-submodules=all", "--submodule=short", "--src-prefix=a/", "--dst-prefix=b/",
        base, commit,
    )  # fmt: skip
    found: dict[bytes, list[int]] = {}
    path: bytes | None = None
    removed = added = 0
    for line in output.split(b"\n"):
        if removed or added:
            # Content of a hunk, which may look like anything.
            removed -= line[:1] in (b"-", b" ")
            added -= line[:1] in (b"+", b" ")
            continue
        if line.startswith(b"diff --git "):
            path = None
        elif line.startswith(b"+++ "):
            name = _unquoted(line.removeprefix(b"+++ ").rstrip(b"\t"))
            is_inside = name.startswith(b"b/" + prefix)
            path = name.removeprefix(b"b/" + prefix) if is_inside else None
        elif hunk := _HUNK.match(line):
            removed, added = (int(count) if count is not None else 1 for count in (hunk[1], hunk[3]))
            if path is not None:
                found.setdefault(path, []).extend(range(int(hunk[2]), int(hunk[2]) + added))
    return found


def _unquoted(name: bytes) -> bytes:
    """Returns a path as it is: git quotes one that contains a quote, a backslash or a control character."""
    if not name.startswith(b'"'):
        return name

    def one(found: re.Match[bytes]) -> bytes:
        text = found[1]
        return bytes([int(text, 8) if len(text) == 3 else _LETTERS.get(text[0], text[0])])

    return _ESCAPED.sub(one, name[1:-1])
