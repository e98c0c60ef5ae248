"""What a run left behind, taken in at its end: the client's own files, what was decided, and the index of it all."""

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
"""Who watches beside us has the vault for a moment only; a first sync of everything has it for long."""
_LOOK_AGAIN_S = 0.02


class _Busy(Exception):  # noqa: N818 - no error
    """Somebody else keeps things just now."""


def take_in(folder: RunFolder, says: Callable[[str], None], *, max_owed_bytes: int | None = None) -> None:
    """Make everything that a run did findable, if it has ended. What goes wrong is said, and changes no outcome.

    Where another process writes the index, that one takes it in. The same goes for an index that lacks more than
    `max_owed_bytes` of the vault: the next `chorus sync` or server makes it up to date.
    """
    run = folder.read()
    if run is None or run.ending is None:
        return
    _await_holder(folder)
    root = Path(run.vault)
    recorder = Recorder(FileVault(root), _files(run), lambda: _turn(root), says)
    try:
        with _turn(root), recorder.indexing(max_owed_bytes=max_owed_bytes) as indexing:
            recorder.first_pass(indexing)
            recorder.end_pass()
    except _Busy:
        says("another process keeps sessions just now; it takes this one in, too, or the next `chorus sync` does")
    except ChorusError as error:
        says(f"{error}; the next `chorus sync` tries again")


def _await_holder(folder: RunFolder) -> None:
    """Until the holder is gone, which has said its last word: as long as it is there, it may say what was answered."""
    until = time.monotonic() + _PATIENCE_S
    while folder.is_held() and time.monotonic() < until:
        time.sleep(_LOOK_AGAIN_S)


def _files(run: Run) -> list[Path]:
    """The client's own files of the run's sessions, and the folders of what lies beside them: their sub-agents."""
    projects = config_folder().absolute() / "projects"
    files = [path for session in run.sessions for path in sorted(projects.glob(f"*/{session}.jsonl"))]
    return files + [folder for path in files if (folder := path.with_suffix("")).is_dir() and not folder.is_symlink()]


@contextmanager
def _turn(root: Path) -> Iterator[None]:
    def busy(_who: str) -> None:
        raise _Busy

    until = time.monotonic() + _PATIENCE_S
    while True:
        turn = sole_sync(root, "chorus run", busy)
        try:
            turn.__enter__()
            break
        except _Busy:
            if time.monotonic() > until:
                raise
            time.sleep(_LOOK_AGAIN_S)
    try:
        yield
    finally:
        turn.__exit__(None, None, None)
