"""Entries of a registry as the client writes them."""

import json
import os
from pathlib import Path

SESSION = "34507028-425a-43ce-bee6-9ef6f0ed14ce"


def start_of(pid):
    """When a process began, as the client tells it on Linux."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]


def entry(pid=None, session=SESSION, **changes):
    """What a client of that process writes; this process if none is named."""
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
    """Write an entry where the client would."""
    path = folder / "sessions" / (name or f"{made['pid']}.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(made))
    return path
