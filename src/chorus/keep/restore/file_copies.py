"""Writes versions of files to a place that a person names: all of them or none, never over a file unless forced."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath, PureWindowsPath

from msgspec import Struct

from chorus.errors import ChorusError
from chorus.keep.restore.originals import Original
from chorus.keep.restore.writing import ExistingFile, compare_existing, write

_UNSAFE = re.compile(r"[\x00-\x1f\x7f\\]")
_PIECE_BYTES = 1 << 20


class FileCopy(Struct, frozen=True):
    """A file to write, and what came of it."""

    base: Path
    """The folder that it must not leave."""
    parts: tuple[str, ...]
    content: bytes
    outcome: str = "written"

    @property
    def path(self) -> Path:
        return self.base.joinpath(*self.parts)


def parts_below(path: str, folder: str | None) -> tuple[str, ...] | None:
    """Return the names of a path below `folder`; None if it is not below it, or if a name is not safe to write.

    The path comes from a transcript. Its names are used only if each of them is the name of one file or folder.
    """
    if folder is None:
        return None
    kind = PureWindowsPath if PureWindowsPath(folder).drive else PurePosixPath
    try:
        parts = kind(path).relative_to(kind(folder)).parts
    except ValueError:
        return None
    return parts if parts and all(map(is_safe_part, parts)) else None


def is_safe_part(part: str) -> bool:
    """Return whether an untrusted text is the name of one file or folder."""
    return part not in ("", ".", "..") and "/" not in part and len(part.encode()) < 256 and not _UNSAFE.search(part)


def write_copies(copies: Sequence[FileCopy], *, is_forced: bool) -> list[FileCopy]:
    """Write the files. If one of them cannot be written, those that did not exist before are removed again.

    Raises ChorusError before anything is written if a file exists and differs, unless `is_forced`.
    """
    there = [(copy, compare_existing(_original(copy), _pieces(copy.content))) for copy in copies]
    conflicts = [(copy, found) for copy, found in there if found not in (ExistingFile.NOTHING, ExistingFile.IDENTICAL)]
    for copy, found in conflicts:
        if found is ExistingFile.NO_FILE or copy.path.is_dir():
            raise ChorusError(f"{copy.path}: is not a regular file; nothing was written: name another place")
    if conflicts and not is_forced:
        more = f" (and {len(conflicts) - 1} more)" if len(conflicts) > 1 else ""
        raise ChorusError(
            f"{conflicts[0][0].path}: exists and differs{more}; nothing was written: pass --force to replace it, "
            "or name another place"
        )
    done: list[FileCopy] = []
    try:
        for copy, found in there:
            outcome = "identical" if found is ExistingFile.IDENTICAL else "replaced"
            if found is ExistingFile.NOTHING:
                outcome = "written"
            if found is not ExistingFile.IDENTICAL:
                write(_original(copy), _pieces(copy.content), replace=found is not ExistingFile.NOTHING)
            done.append(FileCopy(copy.base, copy.parts, copy.content, outcome))
    except BaseException:
        for copy in done:
            if copy.outcome == "written":
                with suppress(OSError):
                    os.unlink(copy.path)  # noqa: PTH108 - the path was opened name by name before
        raise
    return done


def _original(copy: FileCopy) -> Original:
    return Original(copy.base, copy.parts, "")


def _pieces(content: bytes) -> Iterator[bytes]:
    for start in range(0, len(content), _PIECE_BYTES):
        yield content[start : start + _PIECE_BYTES]
