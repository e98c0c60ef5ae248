"""A program that runs commands on a client's folder and records which code opened which of its files.

    python client_commands.py CLIENT HOME    prints one JSON object

`opened` has each name below the client's folder that was opened or listed, and whether only `file_access.py` did that.
"""

import json
import os
import sys
import threading
import time
from pathlib import Path

CLIENT, HOME = (Path(each) for each in sys.argv[1:3])
DOOR = "chorus/keep/sources/file_access.py"
seen: dict[str, bool] = {}
PREFIX = f"{CLIENT}/"


def watch(event, args):
    if event not in ("open", "os.scandir", "os.listdir") or not args:
        return
    if event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR):
        return
    path = args[0]
    path = os.fsdecode(path) if isinstance(path, (str, bytes, os.PathLike)) else ""
    if not path.startswith(PREFIX):
        return
    frame = sys._getframe(1)
    is_by_the_door = False
    while frame is not None:
        is_by_the_door = is_by_the_door or frame.f_code.co_filename.endswith(DOOR)
        frame = frame.f_back
    name = path.removeprefix(PREFIX)
    seen[name] = seen.get(name, True) and is_by_the_door


def command(*arguments):
    from click.testing import CliRunner

    from chorus.cli.main import cli
    from chorus.errors import ChorusError

    began = time.process_time()
    result = CliRunner().invoke(cli, list(arguments))
    is_fault = result.exception is not None and not isinstance(result.exception, (SystemExit, ChorusError))
    error = repr(result.exception) if is_fault else None
    return {
        "code": result.exit_code,
        "error": error,
        "output": result.output[-20_000:],
        "cpu_s": time.process_time() - began,
    }


def served():
    """Runs a first pass and watches for a moment, as the server does, and returns what the page would show."""
    from chorus.keep.vault.files import FileVault
    from chorus.show.server.live.progress import Progress
    from chorus.show.server.recorder_thread import RecorderThread
    from chorus.steer.clients.registry import Registry

    told = Progress("vault", None)  # type: ignore[arg-type]
    keeping = RecorderThread(FileVault(HOME), [CLIENT], told, lambda: None, lambda: None)
    keeping.start()
    end = time.monotonic() + 40
    while told.snapshot.state not in ("watching", "failed") and time.monotonic() < end:
        time.sleep(0.02)
    Registry([CLIENT]).look()
    state = told.snapshot.state
    project = CLIENT / "projects" / "-home-dev-work"
    if project.is_dir() and not project.is_symlink():
        # A normal file changes beside a special file, and the watcher sees both.
        (project / "5e551012-0000-4000-8000-000000000777.jsonl").write_text('{"type":"user","cwd":"/w"}\n')
        os.mkfifo(project / "5e551012-0000-4000-8000-000000000778.jsonl")
        time.sleep(0.3)
    return {"state": state, "trouble": told.snapshot.trouble, "ended": keeping.stop(5)}


def main():
    os.environ |= {"CLAUDE_CONFIG_DIR": str(CLIENT), "CHORUS_HOME": str(HOME), "NO_COLOR": "1", "COLUMNS": "400"}
    sys.addaudithook(watch)
    project = str(CLIENT / "projects")
    found = {
        "served": served(),
        "sync": command("sync", "--json"),
        "sync words": command("sync"),
        "doctor": command("doctor", "--json"),
        "list": command("list"),
        "stats": command("stats", project),
        "show": command("show", "--all", "--full", project),
        "cost": command("cost", "--no-index", project),
        "hooks": command("hooks", "status", "--user"),
        "verify": command("verify"),
    }
    print(json.dumps({"commands": found, "opened": seen, "threads": threading.active_count()}))


if __name__ == "__main__":
    main()
