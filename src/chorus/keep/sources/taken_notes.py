"""Notes about each source and how much of it was taken, so that an unchanged source costs one `stat` per pass.

Disposable: without the notes, the sources are compared with the vault. A note is appended only after the bytes it
describes are durable.
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct, structs

from chorus.errors import VaultUnwritable
from chorus.keep.vault import proof, safe_files


class Taken(Struct, array_like=True):
    """A source as it was when its bytes up to `offset` had been stored."""

    path: str
    device: int
    inode: int
    size_bytes: int
    mtime_ns: int
    key: tuple[str, str, str, str] | None = None
    revision: int = 0
    offset: int = 0
    marks: tuple[str, str] = ("", "")
    """Digests of the first bytes, and of the last ones before `offset`."""
    is_sealed: bool = False
    """Whether the stream was packed after this."""
    is_routed: bool = False
    """Whether the lines of other sessions in it were stored with those sessions."""

    def is_unchanged(self, status: os.stat_result) -> bool:
        return (self.device, self.inode, self.size_bytes, self.mtime_ns) == (
            status.st_dev,
            status.st_ino,
            status.st_size,
            status.st_mtime_ns,
        )


_decoder = msgspec.json.Decoder(Taken)
_COMPACT_OVER = 4


class TakenNotes:
    """The notes, in memory and as an append-only file."""

    def __init__(self, root: Path) -> None:
        self._path = root / "state" / "sources.jsonl"
        self.by_path: dict[str, Taken] = {}
        self._new: list[Taken] = []
        self._lines = 0
        self._read: tuple[int, int, int] | None = None
        """Device, inode and length of the file as far as this object read or wrote it."""
        self.objection = proof.objection(self._path)
        """What is wrong with the file; then there are no notes, and all sources are compared with the vault."""
        if self.objection is None:
            self.refresh()

    def refresh(self) -> list[Taken]:
        """Read and return the notes of other processes since the last call; costs one `stat` if there are none.

        The caller must hold the sync lock of the vault, also while it uses these notes.
        """
        found: list[Taken] = []
        with suppress(OSError):
            status = os.stat(self._path, follow_symlinks=False)  # noqa: PTH116 - asked for each batch
            place = (status.st_dev, status.st_ino, status.st_size)
            if place == self._read:
                return found
            is_longer = self._read is not None and place[:2] == self._read[:2] and place[2] > self._read[2]
            if not is_longer:
                self._lines = 0
            with os.fdopen(safe_files.open_file(self._path, safe_files.READ), "rb") as file:
                file.seek(self._read[2] if is_longer and self._read else 0)
                for line in file:
                    self._lines += 1
                    try:
                        note = _decoder.decode(line)
                    except (msgspec.DecodeError, UnicodeDecodeError):
                        continue
                    self.by_path[note.path] = note
                    found.append(note)
                self._read = (*place[:2], file.tell())
        return found

    def add(self, note: Taken) -> None:
        """Add a note; the next `save` writes it."""
        self.by_path[note.path] = note
        self._new.append(note)

    def save(self) -> None:
        """Write the new notes. Call it after the vault's `flush`, never before."""
        if not self._new and not self.objection:
            return
        try:
            safe_files.make_folders(self._path.parent.parent, self._path.parent)
            is_long = self._lines > 1000 and self._lines > _COMPACT_OVER * len(self.by_path)
            if is_long or self.objection:
                self._replace(_encoded(self.by_path.values()))
            else:
                self._append(_encoded(self._new))
        except OSError as error:
            raise VaultUnwritable(f"{self._path}: {error.strerror or error}") from error
        self._new = []

    def drop(self, paths: Iterable[str]) -> None:
        """Invalidate the notes of these sources: the next look compares them with the vault."""
        for path in paths:
            if note := self.by_path.get(path):
                # No file has this size, so the source never counts as unchanged.
                self.add(structs.replace(note, size_bytes=-1, device=-1))

    def _replace(self, data: bytes) -> None:
        with proof.replacing(self._path, data):
            safe_files.put_file(self._path, data)
            safe_files.sync_folder(self._path.parent)
        status = os.stat(self._path, follow_symlinks=False)  # noqa: PTH116
        self._read = (status.st_dev, status.st_ino, status.st_size)
        self._lines = len(self.by_path)
        self.objection = None

    def _append(self, data: bytes) -> None:
        fd = safe_files.open_file(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        try:
            before = os.fstat(fd).st_size
            with proof.growing(self._path, fd, data):
                safe_files.write_all(fd, data)
                os.fsync(fd)
            status = os.fstat(fd)
            if self._read is None or self._read[2] == before:
                self._read = (status.st_dev, status.st_ino, status.st_size)
        finally:
            os.close(fd)
        self._lines += len(self._new)


def _encoded(notes: Iterable[Taken]) -> bytes:
    return b"".join(msgspec.json.encode(note) + b"\n" for note in notes)
