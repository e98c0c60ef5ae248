"""Identifies the process that asks, and checks whether it still waits."""

import os

from chorus.base import processes
from chorus.steer.approvals.model import Asker


def this_process() -> Asker:
    """Returns the current process as an asker."""
    pid = os.getpid()
    seen = processes.look(pid)
    return Asker(pid, seen.started_at if seen else "")


def is_alive(asker: Asker) -> bool:
    """Returns whether exactly this process still runs; False if the system cannot tell.

    Where /proc hides processes (`hidepid`), it also hides a holder that protects its memory: then only the process
    number can be checked. At worst a person is asked for an answer that no process waits for.
    """
    seen = processes.look(asker.pid)
    if seen is None and processes.is_hidden(asker.pid):
        return True
    return seen is not None and bool(seen.started_at) and seen.started_at == asker.started_at
