"""Whether the process of an entry still is the one that wrote it: a number alone may belong to another by now."""

from chorus.base import processes
from chorus.steer.clients.registry_entry import Running

_SLACK_MS = 5_000
"""A client writes its entry after it was started; clocks are read in steps."""


def is_alive(running: Running) -> bool:
    """Whether the client of an entry runs on this machine; where that cannot be told, it does not."""
    if not _is_own_space(running.process_space):
        return False
    if not processes.has_proc():
        return processes.answers(running.pid)
    seen = processes.look(running.pid)
    if seen is None or seen.ticks is None:
        return False
    if running.process_start is not None:
        return running.process_start == str(seen.ticks)
    # Clients that do not tell: whoever began after the entry was made did not make it.
    return running.started_at_ms is None or processes.started_ms(seen.ticks) <= running.started_at_ms + _SLACK_MS


def _is_own_space(told: str | None) -> bool:
    """Whether a pid means the same to us: a home may be shared with a container that counts its own."""
    own = processes.own_space()
    return told is None or own is None or ":pid:[" not in told or told.endswith(f":{own}")
