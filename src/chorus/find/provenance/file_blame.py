"""Blames a file: for each line the edit that wrote it, in the folder as it is now or at any commit."""

from pathlib import Path

from msgspec import Struct, structs

from chorus.base.git import Repository
from chorus.core.blame.origins import Evidence, Origin, Origins, origins_in
from chorus.core.blame.patches import origins_of_patches
from chorus.errors import ChorusError
from chorus.find.provenance.commit_times import without_older_lines
from chorus.find.provenance.file_histories import FileHistories
from chorus.find.provenance.foreign_claims import Claims, claims_about
from chorus.find.provenance.recorded_edits import FindRecorded
from chorus.find.provenance.revisions import earlier_names, read_at, resolve_commit, top_path
from chorus.find.provenance.text_files import is_text, text_lines
from chorus.keep.snapshots.file_reading import Skipped, read_content, reason_to_skip
from chorus.keep.snapshots.persons_repository import find_repository
from chorus.keep.snapshots.repository import SnapshotRepository
from chorus.keep.snapshots.undo import LINK


class BlamedFile(Struct, frozen=True):
    """A file with the origin of each line."""

    path: str
    revision: str
    """The commit; empty for the folder as it is now."""
    lines: list[str]
    origins: Origins
    claims: Claims = []
    """What other programs say about each line; empty if nothing was looked for."""


def blame_file(
    store: SnapshotRepository,
    folder: Path,
    path: bytes,
    revision: str | None = None,
    find_recorded: FindRecorded | None = None,
) -> BlamedFile:
    """Returns the origins of the lines of a file of a workspace: from snapshots and, before the first one, from what
    `find_recorded` finds in the records of conversations. What other programs say is beside them.

    Raises `ChorusError` if there is no such file, if it is no text, if its name says that it holds a secret, or if the
    folder is no repository but a revision is named.
    """
    found = blame_with(FileHistories(store, folder, find_recorded), path, revision)
    repository = find_repository(folder)
    if repository is None:
        return found
    place = top_path(repository, folder, path)
    claims = claims_about(repository, folder, found.revision or "HEAD", place, found.lines)
    return structs.replace(found, claims=claims)


def blame_with(histories: FileHistories, path: bytes, revision: str | None = None) -> BlamedFile:
    """Does the same as `blame_file`, with histories that are used again for other files or commits."""
    folder = histories.folder
    repository = find_repository(folder)
    name = path.decode("utf-8", "surrogateescape")
    if reason := reason_to_skip(path):
        raise ChorusError(f"{name}: {reason}")
    if revision is None:
        content = read_content(folder, path)
        if content is None or isinstance(content, Skipped):
            raise ChorusError(f"{name}: {content.reason if content else 'there is no such file'}")
        if content.mode == LINK:
            raise ChorusError(f"{name}: it is a link, and links are not followed")
        data, commit = content.data, ""
    else:
        if repository is None:
            raise ChorusError(f"{folder}: it is no git repository, so there is no revision {revision}")
        commit = resolve_commit(repository, revision)
        data = read_at(repository, commit, top_path(repository, folder, path))
    if not is_text(data):
        raise ChorusError(f"{name}: it is not a text file")
    lines = text_lines(data)
    file = BlamedFile(name, commit, lines, [])
    return structs.replace(file, origins=_origins(histories, repository, path, file))


def _origins(histories: FileHistories, repository: Repository | None, path: bytes, file: BlamedFile) -> Origins:
    lines = file.lines
    best: Origins = [None] * len(lines)
    times_ms: dict[Origin, int] = {}
    commit = file.revision or "HEAD"
    names = earlier_names(repository, histories.folder, path, commit) if repository is not None else ()
    worktrees = histories.worktrees()
    for name in (*dict.fromkeys((path, *names)), *(worktree + b"/" + path for worktree in worktrees)):
        history = histories.of(name)
        recorded = history.recorded
        found = origins_in(lines, history.versions, history.origins)
        if not history.has_snapshots:
            # A snapshot would show who else wrote these lines.
            patched = origins_of_patches(lines, recorded.patches)
            found = [one or other for one, other in zip(found, patched, strict=True)]
        best = [known or other for known, other in zip(best, found, strict=True)]
        times_ms |= {
            origin: recorded.times_ms[origin.edit]
            for origin in found
            if origin and origin.evidence is Evidence.RECORDS and origin.edit in recorded.times_ms
        }
    if repository is None:
        return best
    return without_older_lines(lines, best, times_ms, repository, commit, top_path(repository, histories.folder, path))
