"""Builds runs that are only described on disk and have no holder."""

from pathlib import Path
from typing import Any

from chorus.core.protocol.launch import Launch
from chorus.steer.runs.run_folders import Run, RunFolder

SESSION = "5f1c2a90-0000-4000-8000-00000000000"
"""With the number of a run behind it, its session."""


def named(home: Path, name: str) -> RunFolder:
    """Returns the folder of the run with this id."""
    return RunFolder(home / "runs" / name)


def described(folder: RunFolder, n: int = 1, **more: Any) -> Run:
    """Writes the description of the nth run; `more` replaces its fields."""
    said: dict[str, Any] = {
        "id": folder.path.name,
        "started_at": f"2026-11-15T00:00:0{n}.000Z",
        "path": "/work",
        "workspace": "work-12345678",
        "agent": "ada",
        "launch": Launch(session=f"{SESSION}{n}"),
        "program": "claude",
        "vault": "/vault",
        "state": "/vault/state",
        "sessions": [f"{SESSION}{n}"],
    }
    run = Run(**{**said, **more})
    folder.write(run)
    return run
