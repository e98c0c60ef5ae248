"""Keeps what a client has in a file, so that it continues where it was also after it was ended.

The file has one line for each frame, after one with everything that was there before. A frame is written before it is
confirmed, and its messages and its number are one line: a line that is cut off was never confirmed.
"""

import os
from pathlib import Path

import msgspec
from msgspec import Struct

from chorus.errors import ChorusError
from chorus.keep.vault.safe_files import make_folders, open_file, put_file, read_file, write_all
from chorus.mobile.frames import Frame, Received
from chorus.mobile.stored import OutOfStep, Stored

NAME = "mobile.jsonl"
_COMPACT_BYTES = 4 << 20
"""After this many bytes of frames, the file is written again from its state."""


class _Line(Struct, omit_defaults=True):
    """A line of the file: everything, or what was added."""

    whole: Stored | None = None
    frame: Frame | None = None
    incomplete: set[str] | None = None


class Store:
    """What one client has; in memory only, if it has no folder. One process uses it at a time."""

    def __init__(self, folder: Path | None = None) -> None:
        """Raises `ChorusError` if the folder cannot be used."""
        self._path = folder / NAME if folder else None
        self._written = 0
        self.stored = Stored()
        if self._path is not None:
            try:
                make_folders(self._path.parent, self._path.parent)
                self.stored = _read(self._path)
                self._compact(self._path)
            except OSError as error:
                raise ChorusError(f"{self._path}: {error.strerror or error}") from error

    def take(self, frame: Frame) -> list[Received]:
        """Stores a frame and returns what is new in it. Raises `OutOfStep`; `ChorusError` if it cannot be stored."""
        found = self.stored.take(frame)
        self._append(_Line(frame=frame))
        return found

    def note_incomplete(self, conversations: set[str]) -> None:
        """Notes which conversations are still to be sent from their start."""
        if conversations != self.stored.incomplete:
            self.stored.incomplete = set(conversations)
            self._append(_Line(incomplete=conversations))

    def _append(self, line: _Line) -> None:
        if self._path is None:
            return
        data = msgspec.json.encode(line) + b"\n"
        try:
            if self._written > _COMPACT_BYTES:
                self._compact(self._path)
                return
            fd = open_file(self._path, os.O_WRONLY | os.O_APPEND)
            try:
                write_all(fd, data)
                os.fsync(fd)
            finally:
                os.close(fd)
        except OSError as error:
            raise ChorusError(f"{self._path}: {error.strerror or error}") from error
        self._written += len(data)

    def _compact(self, path: Path) -> None:
        put_file(path, msgspec.json.encode(_Line(whole=self.stored)) + b"\n")
        self._written = 0


def _read(path: Path) -> Stored:
    """Returns what a file says, up to the first line that is damaged or does not fit: the rest is sent again."""
    stored = Stored()
    try:
        lines = read_file(path).splitlines()
    except FileNotFoundError:
        return stored
    for each in lines:
        try:
            line = msgspec.json.decode(each, type=_Line)
            stored = line.whole or stored
            if line.frame is not None:
                stored.take(line.frame)
        except (msgspec.MsgspecError, UnicodeDecodeError, OutOfStep):
            break
        if line.incomplete is not None:
            stored.incomplete = line.incomplete
    return stored
