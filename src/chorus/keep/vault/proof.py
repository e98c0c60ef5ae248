"""The proof of a file in `state/`: a small file next to it (`NAME.proof`) that states its size and digest.

    {"sum":"<16 hex>","now":[bytes, lines, digest],"before":[…],"wrong":0,"is_exact":true}

A proof is written before the change that it proves, and again after it. Between the two writes, both the old and the
new content of the file match the proof. Only the proof of the inventory, which grows all the time, is written after the
change alone; the bytes that follow the proved part are covered by the checksums of their own lines.
"""

import contextlib
import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct, structs

from chorus.keep.vault import format_version, safe_files
from chorus.keep.vault.digest import Measure, extended, measured

SUFFIX = ".proof"
_MAX_BYTES = 4_096
_LOOKS = 3
_PAUSE_S = 0.01
_OPENING = b'{"sum":"'


class Proof(Struct, frozen=True, omit_defaults=True):
    """What was written to a file."""

    now: Measure
    before: Measure | None = None
    """The measure of the file before the change."""
    wrong: int = 0
    """The number of lines that were missing, or added by another program, when Chorus next wrote to the file."""
    is_exact: bool = False
    """Whether nothing may follow the proved bytes."""


def place(path: Path) -> Path:
    """Return the path of the proof of a file."""
    return path.with_name(path.name + SUFFIX)


def read(path: Path) -> Proof | None:
    """Return the proof of a file, or None if there is none.

    Raises ValueError if the proof is damaged, and OSError if it cannot be read.
    """
    try:
        data = safe_files.read_file(place(path))
    except FileNotFoundError:
        return None
    start, end = len(_OPENING), len(_OPENING) + 16
    rest = data[end + 2 :]
    if (
        len(data) > _MAX_BYTES
        or data[:start] != _OPENING
        or data[end : end + 2] != b'",'
        or data[start:end] != _sum(rest)
    ):
        raise ValueError("is damaged")
    try:
        return _decoder.decode(b"{" + rest)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise ValueError("is damaged") from None


def begin(path: Path, *, is_exact: bool = True) -> None:
    """Write a proof that the file is still empty, before its first byte is written.

    The caller must hold the file's lock.
    """
    if not os.path.lexists(place(path)):
        write(path, Proof(Measure(), is_exact=is_exact), is_durable=True)


@contextmanager
def growing(path: Path, fd: int, data: bytes) -> Iterator[None]:
    """Prove `data` (complete lines), which the block appends to a file. The caller must hold the file's lock.

    A file without a proof, or with a damaged one, stays unproved: only a check of the whole file can prove it.
    """
    size = os.fstat(fd).st_size
    try:
        if size == 0:
            begin(path)
        known = read(path)
    except ValueError:
        known = None
    if known is None:
        yield
        return
    wrong = known.wrong
    there = next((each for each in (known.now, known.before) if each is not None and each.bytes == size), None)
    if there is None:
        there = measured(fd, size)
        wrong += max(1, abs(known.now.lines - there.lines))
    planned = Proof(extended(there, _lines(data)), there, wrong, is_exact=True)
    write(path, planned)
    yield
    # The lines are written. The planned proof is valid before and after them, so this write may fail.
    with contextlib.suppress(OSError):
        write(path, structs.replace(planned, before=None))


def grown(path: Path, fd: int, was_bytes: int) -> None:
    """Prove the lines that were appended to a file of `was_bytes` bytes. The caller must hold the file's lock."""
    try:
        known = read(path)
    except ValueError:
        return
    if known is None:
        return
    start, wrong = known.now, known.wrong
    if was_bytes < start.bytes:
        # Another program cut the file. The number of lost lines stays in the proof.
        wrong += max(1, start.lines - measured(fd, was_bytes).lines)
        start = Measure()
    write(path, Proof(measured(fd, os.fstat(fd).st_size, start), wrong=wrong))


@contextmanager
def replacing(path: Path, data: bytes, *, is_exact: bool = True) -> Iterator[None]:
    """Prove `data`, with which the block replaces the file. The caller must hold the file's lock."""
    try:
        known = read(path)
    except ValueError:
        known = None
    before = known.now if known else Measure() if not os.path.lexists(path) else None
    planned = Proof(extended(Measure(), _lines(data)), before, is_exact=is_exact)
    write(path, planned, is_durable=True)
    yield
    write(path, structs.replace(planned, before=None))


def prove(path: Path) -> None:
    """Accept a file as it is and prove it; without a file, remove its proof. The caller has checked the whole file."""
    try:
        fd = safe_files.open_file(path, safe_files.READ)
    except FileNotFoundError:
        place(path).unlink(missing_ok=True)
        return
    try:
        write(path, Proof(measured(fd, os.fstat(fd).st_size), is_exact=True), is_durable=True)
    finally:
        os.close(fd)


class Objection(Struct, frozen=True):
    """What is wrong with a file."""

    kind: Literal["gone", "short", "changed", "added", "torn", "unproved", "unread"]
    reason: str

    @property
    def is_loss(self) -> bool:
        """Whether lines that were written are missing now."""
        return self.kind in ("gone", "short")


def objection(path: Path) -> Objection | None:
    """Return what is wrong with a file in `state/` according to its proof.

    Returns None if the file matches its proof, or if neither exists.
    """
    found = None
    for look in range(_LOOKS):
        # Another process may be writing at this moment; the file then matches a moment later.
        if look:
            time.sleep(_PAUSE_S)
        found = _objection(path)
        if found is None:
            return None
    return found


def _objection(path: Path) -> Objection | None:
    try:
        proof = read(path)
    except ValueError:
        return Objection("unproved", f"its proof ({path.name}{SUFFIX}) is damaged")
    except OSError as error:
        return Objection("unread", f"its proof ({path.name}{SUFFIX}) cannot be read: {error.strerror or error}")
    try:
        fd = safe_files.open_file(path, safe_files.READ)
    except FileNotFoundError:
        if proof is None or not proof.now.bytes or (proof.before is not None and not proof.before.bytes):
            return None
        return Objection("gone", f"is gone; it had {_counted(proof.now)}")
    except OSError as error:
        return Objection("unread", f"cannot be read: {error.strerror or error}")
    try:
        return _compared(fd, proof, path)
    finally:
        os.close(fd)


def _compared(fd: int, proof: Proof | None, path: Path) -> Objection | None:
    size = os.fstat(fd).st_size
    if proof is None:
        # A vault that was written by an older Chorus has no proofs until a sync creates them.
        is_wanted = size and format_version.is_listed(path.parent.parent)
        return Objection("unproved", f"its proof ({path.name}{SUFFIX}) is gone") if is_wanted else None
    if proof.wrong:
        return Objection("changed", f"{proof.wrong:,} of its lines were lost, or added by another program")
    for each in (proof.now, proof.before):
        if each is None or size < each.bytes or measured(fd, each.bytes) != each:
            continue
        if size == each.bytes or not proof.is_exact:
            return None
        if each is proof.before:
            return Objection("torn", f"its line after {each.lines:,} complete ones is torn: its writer was stopped")
        return Objection("added", f"{size - each.bytes:,} bytes follow that Chorus did not write")
    if size < proof.now.bytes:
        there = measured(fd, size)
        reason = f"ends after {there.lines:,} lines ({size:,} bytes); it had {_counted(proof.now)}"
        return Objection("short", reason)
    return Objection("changed", f"its first {_counted(proof.now)} are not what was written")


def continues(path: Path, fd: int, start: Measure) -> bool:
    """Return whether an open file matches its proof. Only the bytes after the measure `start` are read."""
    for look in range(_LOOKS):
        if look:
            time.sleep(_PAUSE_S)
        try:
            proof = read(path)
        except (ValueError, OSError):
            return False
        if proof is None or proof.wrong:
            return False
        size = os.fstat(fd).st_size
        for each in (proof.now, proof.before):
            if each is not None and start.bytes <= each.bytes == size and measured(fd, size, start) == each:
                return True
    return False


def write(path: Path, proof: Proof, *, is_durable: bool = False) -> None:
    """Write the proof of a file."""
    rest = msgspec.json.encode(proof)[1:] + b"\n"
    data = b'%s%s",%s' % (_OPENING, _sum(rest), rest)
    fd = safe_files.open_file(place(path), os.O_RDWR | os.O_CREAT)
    try:
        # Written in place with one call: a proof is shorter than one disk sector.
        os.pwrite(fd, data, 0)
        if os.fstat(fd).st_size > len(data):
            os.ftruncate(fd, len(data))
        if is_durable:
            os.fsync(fd)
    finally:
        os.close(fd)


def _lines(data: bytes) -> list[bytes]:
    *whole, rest = data.split(b"\n")
    return [each + b"\n" for each in whole] + ([rest] if rest else [])


def _counted(measure: Measure) -> str:
    return f"{measure.lines:,} lines ({measure.bytes:,} bytes)"


def _sum(rest: bytes) -> bytes:
    return hashlib.sha256(rest).hexdigest()[:16].encode()


_decoder = msgspec.json.Decoder(Proof)
