"""Imports what a run left behind when it ends: the client's own files, the decisions, and their index."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from chorus.errors import ChorusError
from chorus.keep.sources.discover import config_folder
from chorus.keep.sources.lock import sole_sync
from chorus.keep.vault.files import FileVault
from chorus.show.recorder.recorder import Recorder
from chorus.steer.runs.run_folders import Run, RunFolder

_PATIENCE_S = 2.0
"""A process that watches locks the vault only for a moment; a first sync of everything locks it for long."""
_LOOK_AGAIN_S = 0.02


class _Busy(Exception):  # noqa: N818 - no error
    """Another process is recording at the moment."""


def take_in(folder: RunFolder, warn: Callable[[str], None], *, max_owed_bytes: int | None = None) -> None:
    """Makes everything that a run did searchable, if it has ended. Problems are reported and change no outcome.

    If another process writes the index, that one does it. An index that lacks more than `max_owed_bytes` of the vault
    is left to the next `chorus sync` or server.
    """
    run = folder.read()
    if run is None or run.ending is None:
        return
    _await_holder(folder)
    root = Path(run.vault)
    recorder = Recorder(FileVault(root), _files(run), lambda: _lock(root), warn)
    try:
        with _lock(root), recorder.indexing(max_owed_bytes=max_owed_bytes) as indexing:
            recorder.first_pass(indexing)
            recorder.end_pass()
    except _Busy:
        warn("another process records sessions at the moment; that process or the next `chorus sync` takes this one in")
    except ChorusError as error:
        warn(f"{error}; the next `chorus sync` tries again")


def _await_holder(folder: RunFolder) -> None:
    """Waits until the holder is gone: as long as it lives, it may still record outcomes."""
    until = time.monotonic() + _PATIENCE_S
    while folder.is_held() and time.monotonic() < until:
        time.sleep(_LOOK_AGAIN_S)


def _files(run: Run) -> list[Path]:
    """Returns the client's own files of the run's sessions, and the folders next to them with their sub-agents."""
    projects = config_folder().absolute() / "projects"
    files = [path for session in run.sessions for path in sorted(projects.glob(f"*/{session}.jsonl"))]
    return files + [folder for path in files if (folder := path.with_suffix("")).is_dir() and not folder.is_symlink()]


@contextmanager
def _lock(root: Path) -> Iterator[None]:
    def busy(_who: str) -> None:
        raise _Busy

    until = time.monotonic() + _PATIENCE_S
    while True:
        lock = sole_sync(root, "chorus run", busy)
        try:
            lock.__enter__()
            break
        except _Busy:
            if time.monotonic() > until:
                raise
            time.sleep(_LOOK_AGAIN_S)
    try:
        yield
    finally:
        lock.__exit__(None, None, None)
