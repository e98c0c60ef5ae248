"""Builds a client's folder with everything that Chorus opens, and special files that may replace parts of it."""

import json
import os
import socket
from pathlib import Path

from chorus.testing.builders import Session
from chorus.testing.builders.disk import Layout, lay_out

SECRET = "content of a file outside"
KINDS = ("pipe", "socket", "zero", "loop", "file outside", "folder outside")


def session_id(n: int) -> str:
    return f"5e551012-0000-4000-8000-{n:012d}"


def fill(home: Path, n: int) -> list[str]:
    """Adds one session with every file that may be beside it, and returns the new names below `home`."""
    before = names(home)
    session = Session(session_id(n))
    session.slug = f"plan-{n}"
    session.user(f"Question {n}")
    session.agent("x", "toolu_1").user("Errand")
    lay_out(home, session, side_files={"long.txt": "a long output\n"}, plan="# Plan")
    other = Session(session_id(n))
    other.agent("beside", "toolu_2").user("Errand")
    (home / "projects" / "-home-dev-work" / f"agent-b{n}.jsonl").write_bytes(bytes(other.agents[0]))
    for name in (f"tasks/{session.id}/1.json", f"file-history/{session.id}/v1", f"todos/{session.id}-agent-1.json"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("{}")
    with (home / "history.jsonl").open("a") as file:
        file.write(json.dumps({"display": "hello", "project": "/p", "sessionId": session.id}) + "\n")
    (home / "settings.json").write_text('{"cleanupPeriodDays": 20}')
    (home / "sessions").mkdir(exist_ok=True)
    entry = {"pid": os.getpid(), "sessionId": session.id, "status": "busy"}
    (home / "sessions" / f"{os.getpid()}.json").write_text(json.dumps(entry))
    return sorted(names(home) - before)


def names(home: Path) -> set[str]:
    return {str(path.relative_to(home)) for path in home.rglob("*")}


def put(kind: str, path: Path, outside: Path) -> None:
    """Replaces a file or folder with a special file of this kind."""
    if path.is_dir():
        for below in sorted(path.rglob("*"), reverse=True):
            below.rmdir() if below.is_dir() and not below.is_symlink() else below.unlink()
        path.rmdir()
    else:
        path.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            here = os.open(path.parent, os.O_RDONLY)
            try:
                made.bind(f"/proc/self/fd/{here}/{path.name}")
            finally:
                os.close(here)
    else:
        targets = {
            "zero": Path("/dev/zero"),
            "loop": path,
            "file outside": outside / "secret.jsonl",
            "folder outside": outside,
        }
        path.symlink_to(targets[kind])


def make_outside(folder: Path) -> Path:
    """Builds a folder outside the client's folder with data that must never be recorded."""
    folder.mkdir()
    line = json.dumps({"type": "user", "sessionId": session_id(999), "message": {"role": "user", "content": SECRET}})
    for name in ("secret.jsonl", "agent-x.jsonl", "agent-x.meta.json", "long.txt", "1.json", "v1"):
        (folder / name).write_text(line + "\n")
    return folder


__all__ = ["KINDS", "SECRET", "Layout", "fill", "make_outside", "names", "put", "session_id"]
