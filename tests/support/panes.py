"""A tmux server of a test, with sockets in a folder of its own, so that no other server is touched."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PATIENCE_S = 30.0
NAME = "test"


def missing() -> str | None:
    """Returns why tests with tmux cannot run here; None if they can."""
    return None if shutil.which("tmux") else "tmux is not installed, and these tests need real terminals"


class PaneServer:
    """A tmux server that a test drives from outside, as a person or another program would."""

    def __init__(self, folder: Path, name: str = NAME) -> None:
        self.folder = folder
        self.name = name
        self.socket = folder / f"tmux-{os.getuid()}" / name
        self._environment = {**os.environ, "TMUX_TMPDIR": str(folder), "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
        (folder / "tmux.conf").write_text("set -g history-limit 50000\n")
        for variable in ("TMUX", "TMUX_PANE"):
            self._environment.pop(variable, None)

    def run(self, *command: str, is_checked: bool = True) -> str:
        done = subprocess.run(
            ["tmux", "-L", self.name, "-f", str(self.folder / "tmux.conf"), *command],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=PATIENCE_S,
            env=self._environment,
        )
        assert done.returncode == 0 or not is_checked, done.stderr
        return done.stdout.rstrip("\n")

    def open(self, *call: str, width: int = 80, height: int = 24, session: str = "", folder: str = "/") -> str:
        """Starts a program in a pane of a new session, and returns the id of the pane."""
        named = ["-s", session] if session else []
        size = ["-x", str(width), "-y", str(height)]
        made = self.run("new-session", "-d", "-P", "-F", "#{pane_id}", *size, *named, "-c", folder, "--", *call)
        return made.strip()

    def type(self, pane: str, text: str) -> None:
        """Types a line, as a person does."""
        self.run("send-keys", "-t", pane, "-l", text)
        self.run("send-keys", "-t", pane, "Enter")

    def screen(self, pane: str) -> str:
        return self.run("capture-pane", "-p", "-J", "-t", pane)

    def ask(self, pane: str, what: str) -> str:
        """Returns the value of a format, such as `pane_width`."""
        return self.run("display-message", "-p", "-t", pane, f"#{{{what}}}")

    def end(self) -> None:
        """Ends the server and waits until its process is gone."""
        pid = self.run("display-message", "-p", "#{pid}", is_checked=False)
        self.run("kill-server", is_checked=False)
        if pid.isdigit():
            until(lambda: not Path(f"/proc/{pid}/stat").exists() or " Z " in Path(f"/proc/{pid}/stat").read_text())


@contextmanager
def pane_server(name: str = NAME) -> Iterator[PaneServer]:
    """A server whose folder has a short path: the path of a socket may have about a hundred characters."""
    with tempfile.TemporaryDirectory(prefix="tm", dir="/tmp") as folder:
        server = PaneServer(Path(folder), name)
        try:
            yield server
        finally:
            server.end()


def until(condition: Callable[[], Any], what: str = "") -> Any:
    """Returns the first true value of the condition."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.02)
    raise AssertionError(f"never came true: {what or condition}")
