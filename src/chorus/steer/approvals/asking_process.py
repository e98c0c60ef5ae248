"""Askers as processes: which one this is, and whether the very one that asked still waits."""

import os

from chorus.base import processes
from chorus.steer.approvals.model import Asker


def this_process() -> Asker:
    """The process that calls, as an asker."""
    pid = os.getpid()
    seen = processes.look(pid)
    return Asker(pid, seen.started_at if seen else "")


def is_alive(asker: Asker) -> bool:
    """Whether the very process still runs; where the system cannot tell, it does not.

    Where /proc hides processes (`hidepid`), it hides a holder that keeps others out of its memory: then the number is
    all there is to go by. At worst somebody is asked for an answer that nobody waits for.
    """
    seen = processes.look(asker.pid)
    if seen is None and processes.is_hidden(asker.pid):
        return True
    return seen is not None and bool(seen.started_at) and seen.started_at == asker.started_at
