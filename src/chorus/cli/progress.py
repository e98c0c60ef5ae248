"""A progress bar on standard error for long work, only at a terminal."""

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from chorus.keep.sources.files import STDIN

LONG_BYTES = 32 << 20
"""Less than this is done too quickly for a bar."""
_STEPS = 100
"""How often a bar is drawn."""


@contextlib.contextmanager
def progress(label: str, names: Sequence[str]) -> Iterator[Callable[[int], None]]:
    """Yield a function that advances the bar by a number of bytes; `names` are the files to process."""
    total = sum(_size(name) for name in names)
    if not sys.stderr.isatty() or (total < LONG_BYTES and STDIN not in names):
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    # Drawn without a thread, because only a process without threads can be forked safely.
    with Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as bar:
        task = bar.add_task(label, total=None if STDIN in names else total)
        step = max(total // _STEPS, LONG_BYTES // _STEPS)
        done = 0

        def advance(size_bytes: int) -> None:
            nonlocal done
            is_due = done // step < (done + size_bytes) // step
            done += size_bytes
            bar.update(task, advance=size_bytes, refresh=is_due)

        yield advance
        # What is counted may be less than the files hold, and some files may need no work.
        bar.update(task, completed=total or done, total=total or done, refresh=True)


def _size(name: str) -> int:
    try:
        return Path(name).stat().st_size if name != STDIN else 0
    except OSError:
        return 0
