"""Askers as processes: which one this is, and whether the very one that asked still waits."""

import os

from chorus import processes
from chorus.approvals.model import Asker


def this_process() -> Asker:
    """The process that calls, as an asker."""
    pid = os.getpid()
    seen = processes.look(pid)
    return Asker(pid, seen.started_at if seen else "")


def is_alive(asker: Asker) -> bool:
    """Whether the very process still runs; where the system cannot tell, it does not."""
    seen = processes.look(asker.pid)
    return seen is not None and bool(seen.started_at) and seen.started_at == asker.started_at
