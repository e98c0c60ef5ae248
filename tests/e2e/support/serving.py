"""Runs the real `chorus serve` as a process with its own home, vault and client's folder."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from chorus.testing.builders import Line, Session, encode_all, lay_out

LINK = re.compile(r"http://[\w.:\[\]-]+/\S*#t=[\w-]+")
PASSED = "the first pass is done"
START_S = 60
STOP_S = 20
# Settings of the machine that runs the tests must not reach the server.
DROPPED = ("CHORUS_", "CLAUDE", "XDG_", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")


class ServeFailed(AssertionError):  # noqa: N818 - the name says what happened
    """The server did not start or ended with an error; the message contains what it printed."""


class Serving:
    """One server below `folder`, which starts with the sessions that are in `claude` when `start` is called."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.claude = self.home / ".claude"
        self.vault = self.home / ".chorus"
        self.printed = folder / "serve.txt"
        """Everything it printed, of all its lives."""
        self.port = _free_port()
        self.link = ""
        """The last one-time link it printed."""
        self.cookies: list[Any] = []
        """Of a browser that logged in before; a login is never spent twice."""
        self._process: subprocess.Popen[bytes] | None = None
        self._complaints = 0
        (self.claude / "projects").mkdir(parents=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        assert self._process is not None, "it does not run"
        return self._process.pid

    @property
    def log(self) -> str:
        """The content of the server's own log so far."""
        path = self.vault / "logs" / "serve.log"
        return path.read_text("utf-8") if path.exists() else ""

    def complaints(self) -> list[str]:
        """Returns the errors in the log that were not returned before."""
        errors = [line for line in self.log.splitlines() if " ERROR " in line]
        new, self._complaints = errors[self._complaints :], len(errors)
        return new

    def write(self, *sessions: Session) -> list[Path]:
        """Writes sessions into the client's folder, and returns their main files."""
        return [lay_out(self.claude, session) for session in sessions]

    def append(self, path: Path, lines: Iterable[Line] | bytes) -> float:
        """Appends to a session file, as a client does, and returns the time (`time.time`) after the write."""
        data = lines if isinstance(lines, bytes) else encode_all(lines)
        with path.open("ab") as file:
            file.write(data)
        return time.time()

    def start(self, *arguments: str, waits: bool = True, patience_s: float = START_S) -> str:
        """Starts the server and returns its login link.

        Waits until all sessions are recorded, unless `waits` is False. Raises ServeFailed.
        """
        assert self._process is None, "it runs already"
        passes = self.log.count(PASSED)
        begun = self.printed.stat().st_size if self.printed.exists() else 0
        with self.printed.open("ab") as out:
            self._process = subprocess.Popen(
                [*_chorus(), "serve", "--port", str(self.port), "--no-open", *arguments],
                cwd=self.home,
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        until = time.monotonic() + patience_s
        while time.monotonic() < until:
            said = self.printed.read_bytes()[begun:].decode("utf-8", "replace")
            found = LINK.search(said)
            is_up = found and said[found.end() : found.end() + 1].isspace() and self._answers()
            if found and is_up and (not waits or self.log.count(PASSED) > passes):
                self.link = found.group()
                return self.link
            if self._process.poll() is not None:
                break
            time.sleep(0.02)
        self.kill()
        said = self.printed.read_bytes()[begun:].decode("utf-8", "replace")
        raise ServeFailed(f"`chorus serve` did not come up:\n{said}\n{self.log}")

    def new_link(self) -> str:
        """Returns a new login link, as `chorus open` prints it."""
        call = [*_chorus(), "open"]
        outcome = subprocess.run(
            call, cwd=self.home, env=self.environment(), capture_output=True, text=True, timeout=START_S, check=False
        )
        found = LINK.search(outcome.stdout)
        if found is None:
            raise ServeFailed(f"`chorus open` gave no link: {outcome.stdout}{outcome.stderr}")
        return found.group()

    def stop(self) -> int:
        """Ends the server as Ctrl-C does, and returns its exit code.

        A server that does not end in time is killed, and ServeFailed is raised.
        """
        assert self._process is not None, "it does not run"
        self._process.send_signal(signal.SIGINT)
        try:
            return self._process.wait(STOP_S)
        except subprocess.TimeoutExpired as error:
            self.kill()
            raise ServeFailed(f"`chorus serve` did not end within {STOP_S} s of Ctrl-C") from error
        finally:
            self._process = None

    def kill(self) -> None:
        """Kills the server at once, whatever it is doing."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def restart(self, *, killed: bool = False) -> str:
        """Starts another server on the same port and data, and returns the new login link."""
        if killed:
            self.kill()
        else:
            self.stop()
        return self.start()

    def environment(self) -> dict[str, str]:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(DROPPED)}
        own = {"HOME": self.home, "CHORUS_HOME": self.vault, "CLAUDE_CONFIG_DIR": self.claude}
        return inherited | {name: str(path) for name, path in own.items()} | {"NO_COLOR": "1", "PYTHONUTF8": "1"}

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return True
        except OSError:
            return False


def _chorus() -> list[str]:
    return [sys.executable, "-m", "chorus"]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
