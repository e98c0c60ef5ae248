"""Checks whether the process of a registry entry is still the one that wrote it: process numbers are reused."""

from chorus.base import processes
from chorus.steer.clients.registry_entry import Running

_SLACK_MS = 5_000
"""A client writes its entry a little after its start; clocks are read in steps."""


def is_alive(running: Running) -> bool:
    """Returns whether the client of an entry runs on this machine; False if that cannot be determined."""
    if not _is_own_space(running.process_space):
        return False
    if not processes.has_proc():
        return processes.answers(running.pid)
    seen = processes.look(running.pid)
    if seen is None or seen.ticks is None:
        return False
    if running.process_start is not None:
        return running.process_start == str(seen.ticks)
    # For clients that do not report their start: a process that started after the entry was written did not write it.
    return running.started_at_ms is None or processes.started_ms(seen.ticks) <= running.started_at_ms + _SLACK_MS


def _is_own_space(reported: str | None) -> bool:
    """Returns whether a pid has the same meaning here: a home may be shared with a container with its own numbers."""
    own = processes.own_space()
    return reported is None or own is None or ":pid:[" not in reported or reported.endswith(f":{own}")
