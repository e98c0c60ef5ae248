"""Shares short work with a forked copy of this process: no interpreter starts, and nothing is loaded twice.

A pipe contains the numbers of the parts to do. Both processes take the next number from it until none is left, so
neither waits for the other. The copy returns its result through a second pipe.
"""

import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TypeVar

MAX_PARTS = 4_096
"""The numbers of this many parts fit into any pipe."""
_NUMBER_BYTES = 2
T = TypeVar("T")


class CopyEnded(Exception):  # noqa: N818 - the caller turns it into an error message
    """The forked process was killed."""


def is_safe() -> bool:
    """Whether forking is safe: a lock that another thread holds would stay locked in the copy for ever."""
    return sys.platform == "linux" and threading.active_count() == 1


def shared(parts: int, work: Callable[[Iterator[int]], T]) -> tuple[T, T]:
    """Returns the results of this process and of its copy; `work` receives the numbers of the parts it must do.

    The result of the copy must survive pickling.
    """
    todo, filled = os.pipe()
    os.write(filled, b"".join(number.to_bytes(_NUMBER_BYTES, "big") for number in range(parts)))
    os.close(filled)
    result, given = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        _work_as_copy(todo, given, parent, work)
    os.close(given)
    try:
        mine = work(_numbers(todo))
        with open(result, "rb", closefd=False) as file:
            theirs = file.read()
    except BaseException:
        os.kill(pid, signal.SIGKILL)
        raise
    finally:
        os.close(todo)
        os.close(result)
        _, status = os.waitpid(pid, 0)
    if status != 0:
        raise CopyEnded
    return mine, pickle.loads(theirs)  # noqa: S301 - written by this program a moment ago


def _work_as_copy(todo: int, given: int, parent: int, work: Callable[[Iterator[int]], T]) -> None:
    code = 1
    try:
        # Ctrl-C is handled by the parent, which kills its copy.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        made = work(number for number in _numbers(todo) if os.getppid() == parent)
        with open(given, "wb") as file:
            pickle.dump(made, file, pickle.HIGHEST_PROTOCOL)
        code = 0
    finally:
        os._exit(code)


def _numbers(todo: int) -> Iterator[int]:
    while data := os.read(todo, _NUMBER_BYTES):
        yield int.from_bytes(data, "big")
