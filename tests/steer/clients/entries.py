"""Builds entries of the registry as the client writes them."""

import json
import os
from pathlib import Path

SESSION = "34507028-425a-43ce-bee6-9ef6f0ed14ce"


def start_of(pid):
    """Returns the start time of a process as the client writes it on Linux."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]


def entry(pid=None, session=SESSION, **changes):
    """Returns the entry that a client with this pid writes; without a pid, this process."""
    pid = os.getpid() if pid is None else pid
    whole = {
        "pid": pid,
        "sessionId": session,
        "cwd": "/home/dev/harbour",
        "startedAt": 1794705719927,
        "procStart": start_of(pid) if Path(f"/proc/{pid}").exists() else "1",
        "version": "2.1.325",
        "kind": "interactive",
        "entrypoint": "cli",
        "messagingSocketPath": f"/tmp/cc-socks/{pid}.sock",
        "name": "harbour-6d",
        "status": "busy",
        "updatedAt": 1794705719862,
    }
    return {name: value for name, value in (whole | changes).items() if value is not None}


def put(folder, made, name=None):
    """Writes an entry to the path that the client uses."""
    path = folder / "sessions" / (name or f"{made['pid']}.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(made))
    return path
