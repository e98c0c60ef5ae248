"""The list of the vault's files: for every stream and blob how much was acknowledged, and the digest of that.

`state/inventory.jsonl` is a file of chained lines (`journal_line.py`), and each line is a batch of entries. If a file
has several entries, the last one is valid. An entry is written after its data is durable, so a file may be longer than
its entry says, but never shorter. The inventory's own proof (`proof.py`) is at most one second old.
"""

import hashlib
import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from chorus.keep.vault import journal_line, proof, safe_files
from chorus.keep.vault.digest import Measure, lines_between

NAME = "inventory.jsonl"
_COMPACT_OVER, _COMPACT_LINES, _COMPACT_BYTES = 4, 1_000, 1 << 20
_MAX_ENTRIES = 5_000
"""The maximum number of entries in one line."""
_PROVE_S = 1.0


class InventoryEntry(Struct, frozen=True, array_like=True, omit_defaults=True):
    """One file of the vault. Fields may be added at the end."""

    file: str
    """The path below the vault that the file has while it is not packed."""
    measure: Measure = Measure()
    """What was acknowledged of it. For a blob only the bytes, because its name is its digest."""
    mtime_ns: int = 0
    """When Chorus last changed it. If the file has another time, a check reads all of it."""
    packed: tuple[int, str] | None = None
    """Size and SHA-256 of the packed file, if it is packed."""
    lost: int = 0
    """The number of lines that were acknowledged and cannot be recovered."""
    is_suspect: bool = False
    """Whether damage was found that has not been repaired."""
    is_gone: bool = False
    """Whether it was removed because a person asked for it."""
    whole_from: int | None = None
    """If lines are lost: the first revision that is complete."""


class _Batch(Struct):
    format: int
    files: list[InventoryEntry]


class Inventory:
    """The entries, as far as they were read. Not safe for several threads; any number of processes may have one."""

    def __init__(self, root: Path, *, version: int) -> None:
        """`version` is the format of the vault, which each line repeats."""
        self.path = root / "state" / NAME
        self.flaws: list[tuple[int, str]] = []
        """Lines that cannot be read: the number of the line (0 means the whole file), and what is wrong with it."""
        self.versions: set[int] = set()
        """The formats that the lines state."""
        self._root = root
        self._version = version
        self._entries: dict[str, InventoryEntry] = {}
        self._forget()
        self._unproved_from: int | None = None
        """The offset from which on the file is not proved yet."""
        self._proved_at = 0.0

    def _forget(self) -> None:
        self._entries.clear()
        self.flaws.clear()
        self._file: tuple[int, int] | None = None
        self._end = self._lines = self._number = self._noted = 0
        self._head = journal_line.START

    @property
    def is_there(self) -> bool:
        """Whether an inventory exists: a vault that was written by an older Chorus has none."""
        return self.path.exists() or proof.place(self.path).exists()

    @property
    def is_torn(self) -> bool:
        """Whether bytes follow the last complete line."""
        try:
            return os.stat(self.path, follow_symlinks=False).st_size != self._end  # noqa: PTH116
        except OSError:
            return False

    def get(self, file: str) -> InventoryEntry | None:
        """Return the current entry of a file, or None if there is none."""
        self.refresh()
        found = self._entries.get(file)
        return found if found is None or not found.is_gone else None

    def entries(self) -> Iterator[InventoryEntry]:
        """Yield the entries of all files that should exist, in order of their names."""
        self.refresh()
        yield from (entry for _, entry in sorted(self._entries.items()) if not entry.is_gone)

    def refresh(self) -> None:
        """Read what others added. If the file cannot be read, there are no entries, and `flaws` says why."""
        try:
            status = os.stat(self.path, follow_symlinks=False)  # noqa: PTH116 - asked for every stream
            if (status.st_dev, status.st_ino) == self._file and status.st_size == self._end:
                return
            fd = safe_files.open_file(self.path, safe_files.READ)
        except FileNotFoundError:
            if self._file is not None or self.flaws:
                self._forget()
            return
        except OSError as error:
            self._forget()
            self.flaws.append((0, f"cannot be read: {error.strerror or error}"))
            return
        try:
            self._read_on(fd)
        finally:
            os.close(fd)

    def begin(self) -> None:
        """Create an empty inventory, so that a new vault has one even if its first writer is killed."""
        safe_files.make_folders(self._root, self.path.parent)
        fd = safe_files.open_locked(self.path)
        try:
            if os.fstat(fd).st_size == 0:
                self._begin()
        finally:
            os.close(fd)

    def note(self, entries: Iterable[InventoryEntry]) -> None:
        """Append entries. Raises OSError if that failed; a repeated call is safe."""
        new = list(entries)
        if not new:
            return
        safe_files.make_folders(self._root, self.path.parent)
        fd = safe_files.open_locked(self.path)
        try:
            self._read_on(fd)
            if os.fstat(fd).st_size > self._end:
                # A torn line whose writer died: it was never acknowledged.
                os.ftruncate(fd, self._end)
            if self._end == 0:
                self._begin()
            if self._unproved_from is None:
                self._unproved_from = self._end
            os.lseek(fd, self._end, os.SEEK_SET)
            for start in range(0, len(new), _MAX_ENTRIES):
                self._write(fd, new[start : start + _MAX_ENTRIES])
            if self._is_long():
                self._rewrite()
            elif time.monotonic() - self._proved_at >= _PROVE_S:
                self._prove(fd)
        finally:
            os.close(fd)

    def settle(self) -> None:
        """Make the appended entries durable, and prove them."""
        if self._unproved_from is None:
            return
        fd = safe_files.open_locked(self.path)
        try:
            self._read_on(fd)
            self._prove(fd)
        finally:
            os.close(fd)

    def compact(self) -> None:
        """Rewrite the file with one entry for each existing file, and none for removed ones."""
        if not self.path.exists():
            return
        fd = safe_files.open_locked(self.path)
        try:
            self._read_on(fd)
            self._rewrite()
        finally:
            os.close(fd)

    def replace_all(self, entries: Iterable[InventoryEntry]) -> None:
        """Replace the inventory, damaged or not, with these entries. The caller has checked every file."""
        safe_files.make_folders(self._root, self.path.parent)
        fd = safe_files.open_locked(self.path)
        try:
            self._entries = {entry.file: entry for entry in entries}
            self._rewrite()
        finally:
            os.close(fd)

    def _begin(self) -> None:
        proof.begin(self.path, is_exact=False)
        safe_files.sync_folder(self.path.parent)

    def _write(self, fd: int, entries: list[InventoryEntry]) -> None:
        line = self._line(entries, self._number + 1, self._head)
        safe_files.write_all(fd, line)
        self._take(line, self._end)

    def _line(self, entries: list[InventoryEntry], number: int, head: str) -> bytes:
        return journal_line.encode(number, head, msgspec.json.encode(_Batch(self._version, entries))) + b"\n"

    def _prove(self, fd: int) -> None:
        os.fsync(fd)
        proof.grown(self.path, fd, self._end if self._unproved_from is None else self._unproved_from)
        self._unproved_from = None
        self._proved_at = time.monotonic()

    def _is_long(self) -> bool:
        is_worth = self._lines > _COMPACT_LINES or self._end > _COMPACT_BYTES
        return is_worth and self._noted > _COMPACT_OVER * len(self._entries)

    def _rewrite(self) -> None:
        """Replace the file. The caller holds its lock."""
        there = [entry for _, entry in sorted(self._entries.items()) if not entry.is_gone]
        data, head = b"", journal_line.START
        for number, start in enumerate(range(0, len(there), _MAX_ENTRIES), 1):
            line = self._line(there[start : start + _MAX_ENTRIES], number, head)
            head = hashlib.sha256(line[:-1]).hexdigest()
            data += line
        with proof.replacing(self.path, data, is_exact=False):
            safe_files.put_file(self.path, data)
            safe_files.sync_folder(self.path.parent)
        self._forget()
        self._unproved_from = None
        self.refresh()

    def _read_on(self, fd: int) -> None:
        status = os.fstat(fd)
        if (status.st_dev, status.st_ino) != self._file or status.st_size < self._end:
            self._forget()
            self._file = (status.st_dev, status.st_ino)
        for line in lines_between(fd, self._end, status.st_size):
            if line.endswith(b"\n"):
                self._take(line, self._end)

    def _take(self, line: bytes, at: int) -> None:
        self._end = at + len(line)
        self._lines += 1
        before, self._head = self._head, hashlib.sha256(line[:-1]).hexdigest()
        found = journal_line.decode(line[:-1])
        batch = _decoded(found.entry) if found else None
        if found is None or batch is None:
            self.flaws.append((self._lines, "is damaged, or was written by hand"))
            return
        if found.prev != before or found.n != self._number + 1:
            self.flaws.append((self._lines, "does not follow the line before it"))
        self._number = found.n
        self.versions.add(batch.format)
        self._noted += len(batch.files)
        for entry in batch.files:
            self._entries[entry.file] = entry


def _decoded(body: msgspec.Raw) -> _Batch | None:
    try:
        return _decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


_decoder = msgspec.json.Decoder(_Batch)
