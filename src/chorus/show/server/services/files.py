"""Files over time for the page. What was worked out is used again until the conversation grows."""

import threading
from collections import OrderedDict

from msgspec import Struct

from chorus.core.file_versions.blame import blame
from chorus.core.file_versions.lines import difference, first_lines
from chorus.core.file_versions.model import FileVersions, Version
from chorus.core.views.blocks import Diff
from chorus.keep.archive.file_versions import FilesOverTime, files_over_time, of_workspace
from chorus.keep.archive.listing import Kept, named
from chorus.keep.snapshots.stored_edits import mark_of, stored_edits
from chorus.keep.vault.files import FileVault
from chorus.show import wire
from chorus.show.server.errors import not_found

_MAX_KEPT = 4
_MAX_FILES = 5_000
_MAX_LINES = 20_000
"""Lines of a difference or of a blame that are sent."""
_MISSING = "There is no such conversation; it may have been forgotten."


class _Known(Struct, frozen=True):
    kept: tuple[Kept, ...]
    mark: tuple[str, ...]
    """The snapshots that were taken into account."""
    found: FilesOverTime


class KnownFiles:
    """The files of the conversations that were asked for last."""

    def __init__(self, vault: FileVault) -> None:
        self._vault = vault
        self._known: OrderedDict[tuple[str, bool], _Known] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, name: str, *, is_workspace: bool) -> tuple[tuple[Kept, ...], FilesOverTime]:
        """Returns the files of a conversation, or of all conversations of its workspace."""
        kept = tuple(named(self._vault, [name]))
        if not kept:
            raise not_found(_MISSING)
        if is_workspace:
            kept = tuple(of_workspace(self._vault, kept[0].workspace))
        key = (name, is_workspace)
        # Snapshots are stored a moment later than the records of the same call.
        mark = mark_of(self._vault.root)
        with self._lock:
            known = self._known.get(key)
            if known is not None and (known.kept, known.mark) == (kept, mark):
                self._known.move_to_end(key)
                return kept, known.found
        with stored_edits(self._vault.root) as stored:
            found = files_over_time(self._vault, kept, stored)
        with self._lock:
            self._known[key] = _Known(kept, mark, found)
            while len(self._known) > _MAX_KEPT:
                self._known.popitem(last=False)
        return kept, found


def shown_files(kept: tuple[Kept, ...], found: FilesOverTime) -> wire.Files:
    """Returns all files with their versions, without contents."""
    names = {each.id: each.name for each in kept}
    folder = found.folder
    return wire.Files(
        folder=folder,
        files=tuple(
            wire.FileShown(
                path=file.path,
                name=file.path.removeprefix(f"{folder}/") if folder else file.path,
                added=file.added,
                removed=file.removed,
                reads=file.reads,
                versions=tuple(_shown(each, names) for each in file.versions),
            )
            for file in found.files[:_MAX_FILES]
        ),
        more=max(0, len(found.files) - _MAX_FILES),
    )


def shown_diff(found: FilesOverTime, path: str, before: int, after: int, *, ignores_space: bool) -> wire.FileDiff:
    """Returns what changed between two versions; 0 is the time before the first version."""
    file = _file(found, path)
    old, new = (_version(file, number) if number else None for number in (before, after))
    hunks = difference(_content(file, old), _content(file, new), ignores_space=ignores_space)
    kept, cut_lines = first_lines(hunks, _MAX_LINES)
    return wire.FileDiff(
        before=before,
        after=after,
        diff=Diff(path=file.path, hunks=kept, is_new=old is None or old.is_absent),
        notes=tuple(
            f"Version {each.number} is {each.certainty.value}: {each.reason}."
            for each in (old, new)
            if each and each.reason
        ),
        cut_lines=cut_lines,
    )


def shown_blame(found: FilesOverTime, path: str, number: int) -> wire.FileBlame:
    """Returns which version each line of a version came with."""
    file = _file(found, path)
    version = _version(file, number)
    _content(file, version)
    groups: list[wire.BlamedLines] = []
    room, cut_lines = _MAX_LINES, 0
    for each in blame(file, version):
        taken = each.lines[:room]
        room, cut_lines = room - len(taken), cut_lines + len(each.lines) - len(taken)
        if taken:
            groups.append(wire.BlamedLines(first=each.first, lines=taken, version=each.version.number))
    return wire.FileBlame(version=number, groups=tuple(groups), cut_lines=cut_lines)


def content_of(found: FilesOverTime, path: str, number: int) -> bytes:
    """Returns the bytes of a version."""
    file = _file(found, path)
    version = _version(file, number)
    if version.is_absent:
        raise not_found("There was no file at this moment.")
    return _content(file, version)


def _file(found: FilesOverTime, path: str) -> FileVersions:
    file = next((each for each in found.files if each.path == path), None)
    if file is None:
        raise not_found("The conversation did not touch a file with this path.")
    return file


def _version(file: FileVersions, number: int) -> Version:
    if not 1 <= number <= len(file.versions):
        raise not_found(f"There is no version {number} of this file; it has {len(file.versions)}.")
    return file.versions[number - 1]


def _content(file: FileVersions, version: Version | None) -> bytes:
    if version is None or version.is_absent:
        return b""
    content = file.content(version)
    if content is None:
        raise not_found(f"The content of version {version.number} is not known: {version.reason}.")
    return content


def _shown(version: Version, names: dict[str, str]) -> wire.FileVersionShown:
    return wire.FileVersionShown(
        number=version.number,
        certainty=version.certainty.value,
        reason=version.reason,
        is_absent=version.is_absent,
        is_start=version.is_start,
        size_bytes=version.size_bytes,
        cause=version.cause.value,
        source=version.source.value,
        call=version.call,
        tool=version.tool,
        conversation=version.conversation,
        conversation_name=names.get(version.conversation, ""),
        agent=version.agent,
        time=version.time,
        added=version.added,
        removed=version.removed,
    )
