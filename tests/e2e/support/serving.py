"""The real `chorus serve`: a process with a home, a vault and a client's folder of its own."""

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
# What the machine it runs on says about itself must not reach the server.
DROPPED = ("CHORUS_", "CLAUDE", "XDG_", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")


class ServeFailed(AssertionError):  # noqa: N818 - named by what is true
    """The server did not come up or ended badly; the text holds what it printed."""


class Serving:
    """One server below `folder`; begins with the sessions that lie in `claude` by the time of `start`."""

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
        """Its own log, as far as it goes."""
        path = self.vault / "logs" / "serve.log"
        return path.read_text("utf-8") if path.exists() else ""

    def complaints(self) -> list[str]:
        """The errors in its log that nobody has asked about yet."""
        errors = [line for line in self.log.splitlines() if " ERROR " in line]
        new, self._complaints = errors[self._complaints :], len(errors)
        return new

    def write(self, *sessions: Session) -> list[Path]:
        """Lay sessions out in the client's folder; gives their main files."""
        return [lay_out(self.claude, session) for session in sessions]

    def append(self, path: Path, lines: Iterable[Line] | bytes) -> float:
        """Let a session file grow, as a client does; gives the instant (`time.time`) at which the bytes were there."""
        data = lines if isinstance(lines, bytes) else encode_all(lines)
        with path.open("ab") as file:
            file.write(data)
        return time.time()

    def start(self, *arguments: str, waits: bool = True, patience_s: float = START_S) -> str:
        """Start it, and give the link it prints: when all sessions are kept, or at once. Raises ServeFailed."""
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
        """A fresh one-time link, as `chorus open` prints it."""
        call = [*_chorus(), "open"]
        outcome = subprocess.run(
            call, cwd=self.home, env=self.environment(), capture_output=True, text=True, timeout=START_S, check=False
        )
        found = LINK.search(outcome.stdout)
        if found is None:
            raise ServeFailed(f"`chorus open` gave no link: {outcome.stdout}{outcome.stderr}")
        return found.group()

    def stop(self) -> int:
        """Ask it to end, as Ctrl-C does, and give its exit code; one that does not end in time is killed and fails."""
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
        """End it without a word, whatever it is doing."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def restart(self, *, killed: bool = False) -> str:
        """Another server in its place, on the same port and the same data; gives the new link."""
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
