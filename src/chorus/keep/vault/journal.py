"""A file of JSON lines (`keep/vault/journal_line.py`) to which several processes append.

A line is written without its newline, made durable, and only then ended: what a reader sees survives a crash. A last
line without its newline was not acknowledged by any process; the next writer ends it if it is complete, and cuts it off
if not. A line that is damaged is skipped and listed in `flaws`.
"""

import contextlib
import errno
import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from chorus.errors import SourceUnreadable, VaultUnwritable
from chorus.keep.vault import journal_line, proof, safe_files
from chorus.keep.vault.digest import Measure, measured
from chorus.keep.vault.journal_line import LONGEST_BYTES, START
from chorus.keep.vault.proof import Objection

_APPEND = os.O_RDWR | os.O_CREAT | os.O_APPEND
_MAX_FLAWS = 1_000


class JournalEntry(Struct, frozen=True):
    """An undamaged line."""

    line: int
    """The number of the line in the file, from 1."""
    offset: int
    length: int
    """In bytes, without the newline."""
    digest: str
    """SHA-256 of the line: the `prev` of the next one."""
    prev: str
    """The digest of the previous line according to this line."""
    follows: bool
    """Whether that is the digest of the previous line."""
    body: bytes
    """The JSON of the entry."""


class Flaw(Struct, frozen=True):
    """A line that was skipped, or does not follow the line before it."""

    line: int
    """0 means the whole file."""
    reason: str


class Position(Struct, frozen=True):
    """How far a journal was read: enough to continue from there, if the file did not change before it."""

    end: int
    last_start: int
    number: int
    count: int
    first: str
    head: str
    is_broken: bool
    flaws: tuple[Flaw, ...]
    measure: Measure
    """The measure of all lines up to there, which the proof of the file must confirm."""


class Journal:
    """One file, read as far as it goes. Not safe for several threads; any number of processes may have one."""

    def __init__(self, path: Path, *, patience_s: float = 5.0) -> None:
        """`patience_s`: how long another process may hold the file before that is an error."""
        self.path = path
        self.flaws: list[Flaw] = []
        self.lines: list[str] = []
        """The digest of every line that was read, damaged or not, in order; without those before a resumed position."""
        self.generation = 0
        """Increases when the file was replaced or rewritten: everything is then read again."""
        self.objection: Objection | None = None
        """What was wrong with the file according to its proof (`keep/vault/proof.py`) when it was first read."""
        self._patience_s = patience_s
        self._status: tuple[int, int, int, int] | None = None
        self._file: tuple[int, int] | None = None
        self._is_named = False
        self._forget()

    @property
    def head(self) -> str:
        """The digest of the last line."""
        return self.lines[-1] if self.lines else self._before.head

    @property
    def first(self) -> str:
        """The digest of the first line; empty if there is none."""
        return self._before.first or (self.lines[0] if self.lines else "")

    @property
    def count(self) -> int:
        """The number of lines."""
        return self._before.count + len(self.lines)

    def position(self) -> Position | None:
        """Return the position up to which the file was read, or None if it cannot be read or is being written."""
        try:
            fd = safe_files.open_file(self.path, safe_files.READ)
        except OSError:
            return None
        try:
            measure = measured(fd, self._end, self._before.measure)
        except OSError:
            return None
        finally:
            os.close(fd)
        if measure.bytes != self._end or measure.lines != self.count:
            return None
        return Position(
            end=self._end,
            last_start=self._last_start,
            number=self._number,
            count=self.count,
            first=self.first,
            head=self.head,
            is_broken=self._is_broken,
            flaws=tuple(self.flaws),
            measure=measure,
        )

    def resume(self, position: Position) -> bool:
        """Continue from a position instead of reading what is before it. Returns whether file and proof allow that.

        The line at the position must be the same as before. The digest of all lines before it, extended by those after
        it, must be the one that the file's proof states. A change of an earlier line is noticed when that line is read.
        """
        try:
            fd = safe_files.open_file(self.path, safe_files.READ)
        except OSError:
            return False
        try:
            if self._end or self.path.parent.is_symlink() or not self._fits(fd, position):
                return False
            status = os.fstat(fd)
        except OSError:
            return False
        finally:
            os.close(fd)
        self._before = position
        self._end, self._last_start, self._number = position.end, position.last_start, position.number
        self._is_broken = position.is_broken
        self.flaws[:] = position.flaws
        self._file = (status.st_dev, status.st_ino)
        return True

    def _fits(self, fd: int, position: Position) -> bool:
        last = hashlib.sha256()
        for piece in safe_files.pieces(fd, position.last_start, position.end - 1):
            last.update(piece)
        if last.hexdigest() != position.head or os.pread(fd, 1, position.end - 1) != b"\n":
            return False
        return proof.continues(self.path, fd, position.measure)

    @property
    def end(self) -> int:
        """The offset at which the next line begins."""
        return self._end

    def news(self) -> Iterator[JournalEntry]:
        """Yield the lines that were added since the last call. The caller must read them to the end.

        If `generation` increased, these are all lines of the file. Raises SourceUnreadable if the file cannot be read.
        """
        try:
            if self.path.parent.is_symlink():
                raise OSError(errno.ELOOP, "is behind a link, and links are not followed")  # noqa: TRY301
            fd = safe_files.open_file(self.path, safe_files.READ)
        except FileNotFoundError:
            if self._file is not None:
                self._restart("the file was removed")
            self.objection = proof.objection(self.path)
            return
        except OSError as error:
            raise SourceUnreadable(f"{self.path}: {error.strerror or error}") from error
        if self._end == 0:
            self.objection = proof.objection(self.path)
        try:
            yield from self._read_on(fd)
        except OSError as error:
            raise SourceUnreadable(f"{self.path}: {error.strerror or error}") from error
        finally:
            os.close(fd)

    def has_changed(self) -> bool:
        """Return whether there may be new lines; costs one `stat`."""
        try:
            status = self.path.lstat()
        except OSError:
            return self._file is not None
        return self._status != (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)

    def read(self, entry: JournalEntry) -> bytes | None:
        """Return the body of an entry, read again, or None if that line has changed."""
        try:
            fd = safe_files.open_file(self.path, safe_files.READ)
        except OSError:
            return None
        try:
            line = os.pread(fd, entry.length, entry.offset)
        except OSError:
            return None
        finally:
            os.close(fd)
        if hashlib.sha256(line).hexdigest() != entry.digest:
            return None
        found = journal_line.decode(line)
        return bytes(found.entry) if found else None

    @contextlib.contextmanager
    def transaction(self) -> Iterator["Transaction"]:
        """Lock the file until the block ends, so that no other process appends. Read `news` in it before any decision.

        Raises VaultUnwritable if the file cannot be locked or written.
        """
        try:
            folders = safe_files.make_folders(self.path.parent.parent, self.path.parent)
            fd = self._hold()
        except OSError as error:
            raise VaultUnwritable(f"{self.path}: {error.strerror or error}") from error
        try:
            if not self._is_named:
                for folder in {str(self.path.parent), *folders}:
                    safe_files.sync_folder(folder)
                self._is_named = True
            if os.fstat(fd).st_mode & 0o077:
                os.fchmod(fd, 0o600)
            yield Transaction(self, fd)
        except OSError as error:
            raise VaultUnwritable(f"{self.path}: {error.strerror or error}") from error
        finally:
            os.close(fd)

    def _hold(self) -> int:
        """Return a locked descriptor of the file."""
        until = time.monotonic() + self._patience_s
        pause_s = 0.0005
        while True:
            fd = safe_files.open_file(self.path, _APPEND)
            try:
                if safe_files.try_lock(fd) and safe_files.is_current(fd, self.path):
                    return fd
            except BaseException:
                os.close(fd)
                raise
            os.close(fd)
            if time.monotonic() > until:
                raise OSError(errno.EAGAIN, f"another process has held it for {self._patience_s:g} s")
            time.sleep(pause_s)
            pause_s = min(pause_s * 2, 0.01)

    def _forget(self) -> None:
        self.lines.clear()
        self._before = _NOTHING
        self._end = self._last_start = self._number = 0
        self._is_broken = False
        """Whether the last line that was read was skipped."""

    def _restart(self, reason: str) -> None:
        self._forget()
        self._file = self._status = None
        self.generation += 1
        self.flaws[:] = [Flaw(0, reason)]

    def _read_on(self, fd: int) -> Iterator[JournalEntry]:
        status = os.fstat(fd)
        file = (status.st_dev, status.st_ino)
        if self._file is not None and (file != self._file or not self._ends_as_before(fd, status.st_size)):
            self._restart("what was read before is no longer in the file")
        self._file = file
        start, hasher = self._end, hashlib.sha256()
        waiting: list[bytes] = []
        length = 0
        for piece in safe_files.pieces(fd, self._end, status.st_size):
            *ended, rest = piece.split(b"\n")
            for part in ended:
                hasher.update(part)
                length += len(part)
                line = b"".join([*waiting, part]) if length <= LONGEST_BYTES else None
                found = self._take(line, start, length, hasher.hexdigest())
                start += length + 1
                waiting, length, hasher = [], 0, hashlib.sha256()
                if found:
                    yield found
            hasher.update(rest)
            length += len(rest)
            waiting = [*waiting, rest] if length <= LONGEST_BYTES else []
        self._status = (*file, status.st_size, status.st_mtime_ns)

    def _ends_as_before(self, fd: int, size: int) -> bool:
        if size < self._end:
            return False
        if not self.count:
            return True
        last = hashlib.sha256()
        for piece in safe_files.pieces(fd, self._last_start, self._end - 1):
            last.update(piece)
        return last.hexdigest() == self.head

    def _take(self, line: bytes | None, offset: int, length: int, digest: str) -> JournalEntry | None:
        """Count one complete line, and return its entry if it is undamaged."""
        number, before, was_broken = self.count + 1, self.head, self._is_broken
        self.lines.append(digest)
        self._last_start, self._end = offset, offset + length + 1
        self._is_broken = True
        if line is None:
            return self._pass_over(number, f"is longer than {LONGEST_BYTES >> 20} MiB")
        found = journal_line.decode(line)
        if found is None:
            return self._pass_over(number, "is damaged or was written by hand")
        if found.n <= self._number:
            return self._pass_over(number, "is a copy of an earlier one")
        follows = found.prev == before
        if not follows and not was_broken:
            self._flaw(number, "does not follow the line before it: a line was changed, removed or inserted")
        self._is_broken = False
        self._number = found.n
        return JournalEntry(number, offset, length, digest, found.prev, follows, bytes(found.entry))

    def _pass_over(self, number: int, reason: str) -> None:
        self._flaw(number, reason)

    def _flaw(self, number: int, reason: str) -> None:
        if len(self.flaws) < _MAX_FLAWS:
            self.flaws.append(Flaw(number, reason))


_NOTHING = Position(0, 0, 0, 0, "", START, is_broken=False, flaws=(), measure=Measure())


class Transaction:
    """The locked file: until the block ends, no other process adds lines."""

    def __init__(self, journal: Journal, fd: int) -> None:
        self._journal = journal
        self._fd = fd

    def news(self) -> Iterator[JournalEntry]:
        """Yield the lines that others added. The caller must read them to the end."""
        journal = self._journal
        yield from journal._read_on(self._fd)
        if self._repair_tail():
            yield from journal._read_on(self._fd)

    def append(self, body: bytes) -> list[JournalEntry]:
        """Append an entry, after `news` was read to its end. On return it is durable and visible to others.

        Returns the new lines of the file: this entry alone, unless another process writes without taking the lock; the
        entry may then have lost its place, see `check`. Raises VaultUnwritable if the entry was not written, and
        ValueError if the body does not fit on a line.
        """
        journal = self._journal
        line = journal_line.encode(journal._number + 1, journal.head, body)
        if not journal_line.fits(body):
            raise ValueError("too long, or not one line")
        end = journal._end
        try:
            with proof.growing(journal.path, self._fd, line + b"\n"):
                safe_files.write_all(self._fd, line)
                os.fsync(self._fd)
                safe_files.write_all(self._fd, b"\n")
        except OSError as error:
            # A failed fsync is never repeated as if it could succeed: the line is removed.
            with contextlib.suppress(OSError):
                os.ftruncate(self._fd, end)
            reason = error.strerror or error
            raise VaultUnwritable(f"{journal.path}: {reason}; nothing was written") from error
        return list(journal._read_on(self._fd))

    def check(self, body: bytes, news: list[JournalEntry]) -> None:
        """Raise VaultUnwritable if an appended entry is not among the new lines."""
        if not any(entry.body == body for entry in news):
            raise VaultUnwritable(f"{self._journal.path}: another process writes to it without taking the lock")

    def _repair_tail(self) -> bool:
        """End or cut off a last line without its newline. Returns whether it was ended."""
        end, size = self._journal._end, os.fstat(self._fd).st_size
        if size <= end:
            return False
        torn = os.pread(self._fd, size - end, end) if size - end <= LONGEST_BYTES else b""
        if journal_line.decode(torn) is None:
            os.ftruncate(self._fd, end)
            return False
        os.fsync(self._fd)
        safe_files.write_all(self._fd, b"\n")
        return True
