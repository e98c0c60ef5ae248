"""Watches live sources: a change is stored within a moment, and a sweep finds what the watcher missed."""

from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic, sleep, thread_time

from chorus.keep.sources.discover import is_outside_projects

STEP_MS, QUIET_STEP_MS, IDLE_STEP_MS, DEBOUNCE_MS = 5, 40, 100, 20
"""The default steps of the watcher would take half a second and more. It wakes up at each step, even if nothing
happens: steps are longer after some seconds without a change, and longer still after ten.
"""
QUIET_S, IDLE_S = 2.0, 10.0
SWEEP_S = 30.0
"""Watchers drop events when they overflow, and not every folder can be watched: a sweep looks at everything."""
MANY, AWAY_S, SOON_S, MIN_SWEEP_GAP_S = 64, 2.0, 0.5, 5.0
"""After `MANY` changes at once, or `AWAY_S` without a request for changes, the system may have dropped events silently.
A sweep then comes after `SOON_S`, but at least `MIN_SWEEP_GAP_S` after the previous one.
"""
MAX_SKIPPED = 7
"""The maximum number of sweeps in a row that are left out while nothing happens."""
POLL_S = 2.0
LONG_LOOK_S, MAX_PAUSE_S = 0.03, 0.2
"""A look that cost more processor time than `LONG_LOOK_S` is followed by a pause of at most `MAX_PAUSE_S`."""
_TIMEOUT_MS, _IDLE_TIMEOUT_MS = 100, 250
_NO_WATCHES = "the system has no watches left for folders: raise fs.inotify.max_user_watches"


class Stop:
    """Asks a watcher to end.

    A plain flag: a signal handler that sets an `Event` on which its own thread waits would hang.
    """

    def __init__(self) -> None:
        self._is_set = False

    def set(self) -> None:
        self._is_set = True

    def is_set(self) -> bool:
        return self._is_set


class Pace:
    """How often a watcher looks: the longer nothing happened, the less often."""

    def __init__(self) -> None:
        self._active_at = monotonic()

    def note_activity(self) -> None:
        """Record that something happened: look often again."""
        self._active_at = monotonic()

    def step_and_timeout_ms(self) -> tuple[int, int]:
        """Return how long the watcher sleeps between two looks, and after how long it returns without a change."""
        quiet_s = monotonic() - self._active_at
        if quiet_s >= IDLE_S:
            return IDLE_STEP_MS, _IDLE_TIMEOUT_MS
        return STEP_MS if quiet_s < QUIET_S else QUIET_STEP_MS, _TIMEOUT_MS


class _NoWatches(Exception):  # noqa: N818 - a way out of a loop
    """The system has no watches left."""


def changes(
    sources: list[Path], stop: Stop, warn: Callable[[str], None], pace: Pace | None = None
) -> Iterator[set[Path] | None]:
    """Yield sets of changed paths as they change, empty sets now and then, and None when it is time for a sweep.

    Ends when `stop` is set. Sources that are files are checked several times a second: they may be replaced, and there
    are few of them. If the system has no watches left, folders are checked every two seconds instead, and `warn` is
    called. A caller that learns of changes in another way calls `pace.note_activity()`.
    """
    files = _Files([source for source in sources if not source.is_dir()])
    folders = [source for source in sources if source.is_dir()]
    try:
        yield from _watched(folders, files, stop, pace or Pace()) if folders else _polled(files, stop)
    except (OSError, RuntimeError, _NoWatches) as error:
        warn(f"files cannot be watched ({error}); looking every {POLL_S:.0f} s instead")
    while not stop.is_set():
        yield None
        look_at = monotonic() + POLL_S
        while monotonic() < look_at and not stop.is_set():
            sleep(_TIMEOUT_MS / 1000)
            yield files.changed()


def _watched(folders: list[Path], files: "_Files", stop: Stop, pace: Pace) -> Iterator[set[Path] | None]:
    # `watchfiles.watch` does the same with steps of a fixed length.
    from watchfiles._rust_notify import RustNotify

    # An early first sweep finds what was written between the last pass and the start of the watcher.
    sweep_at = asked_at = monotonic()
    swept_at = float("-inf")
    with RustNotify([str(folder) for folder in folders], False, False, 0, True, True) as watcher:
        while not stop.is_set():
            step_ms, timeout_ms = pace.step_and_timeout_ms()
            event = watcher.watch(DEBOUNCE_MS, step_ms, timeout_ms, None)
            if event in ("signal", "stop"):
                return
            found = {Path(path) for _, path in event} if isinstance(event, set) else set[Path]()
            now = monotonic()
            if found:
                pace.note_activity()
            if len(found) >= MANY or now - asked_at > AWAY_S:
                sweep_at = min(sweep_at, max(now + SOON_S, swept_at + MIN_SWEEP_GAP_S))
            asked_at = now
            yield found | files.changed()
            if monotonic() >= sweep_at:
                _refuse_without_watches(folders[0])
                swept_at = monotonic()
                sweep_at = swept_at + SWEEP_S
                yield None


def _refuse_without_watches(folder: Path) -> None:
    """Raise _NoWatches if no further folder can be watched: then some existing ones may silently not be watched."""
    from watchfiles import watch

    try:
        probe = watch(folder, recursive=False, rust_timeout=1, yield_on_timeout=True, raise_interrupt=False)
        next(probe)
        probe.close()
    except FileNotFoundError:
        return
    except OSError as error:
        raise _NoWatches(_NO_WATCHES) from error


def _polled(files: "_Files", stop: Stop) -> Iterator[set[Path] | None]:
    """Like `_watched`, for files alone."""
    sweep_at = monotonic()
    while not stop.is_set():
        yield files.changed()
        if monotonic() >= sweep_at:
            sweep_at = monotonic() + SWEEP_S
            yield None
        sleep(_TIMEOUT_MS / 1000)


class _Files:
    """Files that a person named, with any name."""

    def __init__(self, paths: list[Path]) -> None:
        self._seen = {path: _stamp(path) for path in paths}

    def changed(self) -> set[Path]:
        """Return those that changed since the last call; each costs a `stat`."""
        now = {path: _stamp(path) for path in self._seen}
        found = {path for path, stamp in now.items() if stamp is not None and stamp != self._seen[path]}
        self._seen = now
        return found


def _stamp(path: Path) -> tuple[int, int, int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def follow(
    folders: list[Path],
    stop: Stop,
    *,
    look: Callable[[list[Path]], None],
    sweep: Callable[[], bool],
    warn: Callable[[str], None],
    tick: Callable[[], bool] = lambda: False,
) -> None:
    """Call `look` with the session files that changed together, and `sweep` now and then, until `stop` is set.

    A look that cost much processor time is followed by a pause of the same length: what is written in the meantime
    is looked at together, which costs less per line, and other threads can run. The time that a look waited, for a disk
    or on a busy machine, is no reason to pause: others could run then.

    `tick` is called several times a second for what no watcher sees, and returns whether it found anything. `sweep`
    returns the same: while nothing happens, it is called less often.
    """
    skips = left = 0
    is_watched = True
    pace = Pace()

    def without_watches(text: str) -> None:
        nonlocal is_watched
        is_watched = False
        warn(text)

    for changed in changes(folders, stop, without_watches, pace):
        if tick():
            pace.note_activity()
        if changed is None:
            left -= 1
            # Without a watcher there are only sweeps.
            if left < 0 or not is_watched:
                skips = 0 if sweep() else min(2 * skips + 1, MAX_SKIPPED)
                left = skips
            continue
        named = set(folders)
        files = dict.fromkeys(file for path in sorted(changed) for file in ([path] if path in named else _files(path)))
        # Files that a sweep ignores are ignored here, too: the client's prompt history would claim sessions.
        sources = [file for file in files if not any(is_outside_projects(file, folder) for folder in folders)]
        if sources:
            skips = left = 0
            began_s = thread_time()
            look(sources)
            spent_s = thread_time() - began_s
            if spent_s > LONG_LOOK_S:
                sleep(min(spent_s, MAX_PAUSE_S))


def _files(path: Path) -> list[Path]:
    """Return the session files that a change concerns. A new folder may have files from before it was watched."""
    if path.parent.name == "tool-results":
        # A new long output: look at its session.
        return [path.parent.parent.with_suffix(".jsonl")]
    if path.name.startswith("agent-") and path.name.endswith(".meta.json"):
        agent_file = path.with_name(path.name.removesuffix(".meta.json") + ".jsonl")
        return [agent_file] if agent_file.exists() else []
    if path.suffix == ".jsonl":
        return [path]
    return sorted(path.rglob("*.jsonl")) if path.is_dir() else []
