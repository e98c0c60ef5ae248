"""Worker processes for work that is shared among the cores.

Workers are spawned, not forked, so that they behave the same on all systems.
"""

import atexit
import gc
import os
import signal
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # A worker begins by loading this module, so it must stay cheap to import.
    from concurrent.futures import ProcessPoolExecutor

_NICE = 5


def open_pool(workers: int, *, gives_way: bool = False) -> "ProcessPoolExecutor | None":
    """Return a pool of worker processes, or None if the system cannot provide one.

    With `gives_way`, the workers run at a lower priority than this process. Use it if all of them wait for work that
    this process does.
    """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    context = multiprocessing.get_context("spawn")
    try:
        return ProcessPoolExecutor(workers, context, initializer=_prepare, initargs=(gives_way,))
    except (ImportError, NotImplementedError, OSError):
        # Some sandboxes have no semaphores, which a pool needs.
        return None


def _prepare(gives_way: bool) -> None:  # noqa: FBT001 - a pool passes it by position
    """Run once in each worker: the parent handles Ctrl-C, and a worker ends if its parent was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # At its end, a worker would look for garbage in all that it loaded, a quarter of the time of loading it.
    atexit.register(gc.freeze)
    if gives_way and hasattr(os, "nice"):
        os.nice(_NICE)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this worker when its parent ends. The worker's own pipe is no sign, because it holds both ends open."""
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
