"""Records what comes through pipes.

Each piece is first written to a file next to the vault (`stdin/`), and moves into the vault a moment later. If the
process is killed in between, the next pass imports that file.
"""

import os
import select
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from chorus.errors import SourceUnreadable, VaultUnwritable
from chorus.keep.sources.reading import STDIN
from chorus.keep.vault import safe_files
from chorus.steer.tmux.pane_files import FOLDER as PANES

FOLDER = "stdin"
LOOK_EVERY_S = 0.2
_AGAIN_S = 2.0
"""After a failure, the next try comes this many seconds later."""
_SHARE = 10
"""A log is read again at the earliest after ten times the duration of the last read."""
_PIECE_BYTES = 256 << 10

Keep = Callable[[list[Path], bool], None]
"""Imports files that were written to into the vault; the flag says that they have ended."""


class Pipes:
    """Pipes that are read in parallel: `-` is standard input, others are named pipes. A context manager."""

    def __init__(self, root: Path, names: list[str], keep: Keep) -> None:
        self._root = root
        self._names = names
        self._keep = keep
        self._opened = ExitStack()
        self._pipes: dict[int, _PipeFile] = {}
        self._due = time.monotonic()
        self._news: set[int] = set()

    def __enter__(self) -> Self:
        self._pipes = self._opened.enter_context(_opened(self._root, self._names))
        return self

    def __exit__(self, *_: object) -> None:
        # Cancelled while some are open: what has arrived is recorded all the same.
        with self._opened, suppress(VaultUnwritable):
            if self._pipes:
                _keep(self._keep, list(self._pipes.values()), is_ended=False)

    def step(self, *, waits: bool) -> bool:
        """Reads what has arrived and records it when it is due; returns False if nothing came, or all pipes have ended.

        With `waits`, it waits for something to come. Raises `VaultUnwritable` if something cannot be written; the
        message says where the rest is.
        """
        pipes, news = self._pipes, self._news
        if not pipes:
            return False
        ready = _ready(list(pipes), (self._due if news else None) if waits else 0.0)
        ended = [fd for fd in ready if not _take(fd, pipes[fd])]
        news.update(ready)
        if ended:
            # These have ended, whether or not recording them fails.
            _keep(self._keep, [pipes.pop(fd) for fd in ended], is_ended=True)
            news -= set(ended)
        if news and time.monotonic() >= self._due:
            began = time.monotonic()
            self._due = began + _AGAIN_S
            _keep(self._keep, [pipes[fd] for fd in news], is_ended=False)
            news.clear()
            self._due = time.monotonic() + max(LOOK_EVERY_S, _SHARE * (time.monotonic() - began))
        return bool(ready) if not waits else bool(pipes)


def left_behind(root: Path) -> list[Path]:
    """Returns the files of pipes and panes whose reader has ended or was killed: no process writes them any more."""
    found: list[Path] = []
    for folder in (FOLDER, PANES):
        with suppress(OSError):
            for path in sorted((root / folder).iterdir()):
                fd = safe_files.open_file(path, safe_files.READ)
                try:
                    if safe_files.try_lock(fd):
                        found.append(path)
                finally:
                    os.close(fd)
    return found


def _keep(keep: Keep, files: "list[_PipeFile]", *, is_ended: bool) -> None:
    try:
        keep([file.path for file in files], is_ended)
    except VaultUnwritable as error:
        names = ", ".join(str(file.path) for file in files)
        raise VaultUnwritable(f"{error}; what came through the pipe is in {names}") from error
    if is_ended:
        for file in files:
            file.path.unlink(missing_ok=True)


class _PipeFile:
    """The file that a pipe is copied to; it is locked while its reader lives."""

    def __init__(self, root: Path, number: int) -> None:
        self.path = root / FOLDER / f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}-{number}.jsonl"
        try:
            safe_files.make_folders(root, self.path.parent)
            self._fd = safe_files.open_file(self.path, safe_files.NEW)
            safe_files.lock(self._fd)
        except OSError as error:
            raise VaultUnwritable(f"{self.path}: {error.strerror or error}") from error

    def write(self, data: bytes) -> None:
        try:
            safe_files.write_all(self._fd, data)
        except OSError as error:
            raise VaultUnwritable(f"{self.path}: {error.strerror or error}; what came before that is in it") from error

    def close(self) -> None:
        os.close(self._fd)


@contextmanager
def _opened(root: Path, names: list[str]) -> Iterator[dict[int, _PipeFile]]:
    """Yields the descriptor of each pipe with the file that it is copied to."""
    files: list[_PipeFile] = []
    opened: list[int] = []
    pipes: dict[int, _PipeFile] = {}
    try:
        for number, name in enumerate(names):
            fd = _standard_input() if name == STDIN else _named(name, opened)
            pipes[fd] = _PipeFile(root, number)
            files.append(pipes[fd])
        yield pipes
    finally:
        for file in files:
            file.close()
        for fd in opened:
            os.close(fd)


def _standard_input() -> int:
    try:
        return sys.stdin.fileno()
    except (AttributeError, OSError, ValueError) as error:
        raise SourceUnreadable("-: standard input is closed") from error


def _named(name: str, opened: list[int]) -> int:
    try:
        # Not blocking: several are read in parallel, and the first one with a writer is read first.
        fd = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise SourceUnreadable(f"{name}: {error.strerror or error}") from error
    opened.append(fd)
    return fd


def _ready(pipes: list[int], due: float | None) -> list[int]:
    """Returns the pipes that have data or have ended; an empty list when `due` is reached."""
    patience_s = None if due is None else max(0.0, due - time.monotonic())
    return select.select(pipes, [], [], patience_s)[0]


def _take(fd: int, file: _PipeFile) -> bool:
    """Copies what has arrived to the file; returns False if the pipe has ended."""
    try:
        data = os.read(fd, _PIECE_BYTES)
    except BlockingIOError:
        return True
    except OSError as error:
        raise SourceUnreadable(f"pipe: {error.strerror or error}") from error
    file.write(data)
    return bool(data)
