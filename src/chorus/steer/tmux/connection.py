"""One control client of a tmux server: a `tmux -C` process that is attached to a session, read and written as bytes.

It changes nothing for the people who are attached: it has no size of its own (`ignore-size`), does not touch the
environment of the session (`-E`), never starts a server (`-N`), and pipes no pane.

If nobody else is attached and a control client does not read, tmux stops reading from the pane and the program in it
waits (measured with 3.3a, also with `pause-after`). So a thread of its own reads all the time; if too much waits to be
taken, the connection is given up.
"""

import os
import secrets
import threading
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Self

from chorus.base import processes
from chorus.errors import TmuxFailed
from chorus.steer.tmux.arguments import command, pane_target
from chorus.steer.tmux.control_lines import Notice, Output, Reply, notification, split_reply

MIN_VERSION = (3, 2)
"""The first version with flags for control clients; before it, attaching would resize windows."""
PATIENCE_S = 5.0
"""How long tmux may take to answer a command; it usually takes less than a millisecond."""
_PAUSE_AFTER_S = 5
"""How long output may wait for a slow reader before tmux drops it; what waits is in the memory of tmux."""
_PIECE_BYTES = 1 << 18
MAX_WAITING_BYTES = 64 << 20
"""How much may wait to be taken; if there is more, the connection is given up."""


class Mark(NamedTuple):
    """A place among the notifications: what came before it is older than the end of a command."""

    name: str


Event = Output | Notice | Mark


class Connection:
    """A control client of one server, attached to one session. One thread uses it. A context manager."""

    def __init__(self, socket: Path, session: str = "", *, has_output: bool = False, program: str = "tmux") -> None:
        """Attaches to `session`, or to the one that tmux chooses. Raises `TmuxFailed` if that is not possible.

        With `has_output`, what the panes of the session print arrives as `Output`.
        """
        self.socket = socket
        # A reply comes after the output that waits for this client.
        self._patience_s = PATIENCE_S + 2 * _PAUSE_AFTER_S if has_output else PATIENCE_S
        flags = f"ignore-size,pause-after={_PAUSE_AFTER_S}" if has_output else "ignore-size,no-output"
        call = [program, "-u", "-N", "-S", str(socket), "-C", "attach-session", "-E", "-f", flags]
        call += ["-t", session] if session else []
        try:
            self._process = processes.start_piped(call, processes.terminal_environment())
        except OSError as error:
            raise TmuxFailed(f"{program} cannot be started: {error.strerror or error}") from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin.fileno(), self._process.stdout.fileno()
        self._rest = b""
        self._came = threading.Condition()
        self._pieces: list[bytes] = []
        self._waiting_bytes = 0
        self._lines: deque[bytes] = deque()
        """Complete lines that were read and not yet taken."""
        self._events: deque[Event] = deque()
        self._has_ended = False
        self._reader = threading.Thread(target=self._receive, name="chorus-tmux", daemon=True)
        self._reader.start()
        try:
            self._await_attached()
            self.version = self.run("display-message", "-p", "#{version}")[0].decode("utf-8", "replace")
        except TmuxFailed:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int:
        return self._process.pid

    def close(self) -> None:
        """Detaches. The server and everything in it stay as they are."""
        self._has_ended = True
        processes.end(self._process)
        self._reader.join()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def run(self, *words: str | bytes, marks: str | None = None) -> list[bytes]:
        """Runs one command and returns the lines that it printed. Raises `TmuxFailed` with the reason if it failed.

        With `marks`, `events` will contain a `Mark` of this name after everything that came before the reply ended.
        """
        said = self.run_with_facts(*words)[0]
        if marks is not None:
            self._events.append(Mark(marks))
        return said

    def run_with_facts(
        self, *words: str | bytes, pane: str = "", facts: str = "", and_then: Sequence[str] = ()
    ) -> tuple[list[bytes], str]:
        """Runs a command like `run`, and returns the value of the format `facts` for a pane at the same moment.

        tmux runs both commands, and then the command `and_then`, one after the other and reads nothing of any pane in
        between. The value is empty if there is no such pane.
        """
        about = ("display-message", "-p", "-t", pane_target(pane), f"{{secret}} {facts}") if facts else ()
        reply, value = self._ask(command(*words), about, and_then)
        if reply.is_error:
            said = b" ".join(reply.lines).decode("utf-8", "replace")
            raise TmuxFailed(f"tmux refused `{words[0]!s}`: {said or 'without a reason'}")
        return reply.lines, value

    def events(self, timeout_s: float = 0.0) -> list[Event]:
        """Returns what arrived; waits for at most `timeout_s` if there is nothing yet.

        Raises `TmuxFailed` when the server is gone or has detached this client.
        """
        if not self._events and not self._lines:
            self._read(timeout_s)
        self._take(self._lines)
        self._lines.clear()
        found = list(self._events)
        self._events.clear()
        if not found and self._has_ended:
            raise TmuxFailed(f"{self.socket}: the tmux server ended the connection")
        return found

    def check(self) -> None:
        """Raises `TmuxFailed` if tmux does not answer.

        tmux 3.3a never writes to a control client again if it pauses all panes at the same moment.
        """
        self.run("display-message", "-p", "")

    def _ask(self, line: bytes, about: tuple[str, ...], and_then: Sequence[str]) -> tuple[Reply, str]:
        secret, second = (secrets.token_hex(16).encode() for _ in range(2))
        lines = [line]
        if about:
            lines.append(command(*(word.replace("{secret}", second.decode()) for word in about)))
        if and_then:
            lines.append(command(*and_then))
        lines.append(command("display-message", "-p", secret))
        self._write(b"\n".join(lines) + b"\n")
        seen: list[bytes] = []
        end = time.monotonic() + self._patience_s
        while True:
            while self._lines:
                seen.append(self._lines.popleft())
                if _is_reply(seen, len(seen) - 1, secret):
                    self._await_end(seen[-2], end)
                    return self._split(seen[:-2], second)
            if self._has_ended:
                raise TmuxFailed(f"{self.socket}: the tmux server ended the connection")
            if time.monotonic() > end:
                raise TmuxFailed(f"{self.socket}: tmux gave no answer for {self._patience_s:.0f} s")
            self._read(0.1)

    def _split(self, seen: list[bytes], second: bytes) -> tuple[Reply, str]:
        """Returns the reply and the facts in these lines; the rest of them are notifications."""
        at = next((n for n in range(len(seen) - 1, 0, -1) if _is_reply(seen, n, second)), None)
        value, later = "", list[bytes]()
        if at is not None:
            value = seen[at][len(second) + 1 :].decode("utf-8", "replace")
            seen, later = seen[: at - 1], seen[at + 2 :]
        reply, before, after = split_reply(seen)
        self._take(before)
        self._take(after)
        self._take(later)
        return reply, value

    def _await_end(self, begin: bytes, end_s: float) -> None:
        """Takes the last line of the reply with the secret number."""
        last = b"%end" + begin.removeprefix(b"%begin")
        while not self._lines:
            if self._has_ended or time.monotonic() > end_s:
                return
            self._read(0.1)
        if self._lines[0] == last:
            self._lines.popleft()

    def _await_attached(self) -> None:
        """Reads up to the first notification; raises `TmuxFailed` with what tmux said if it did not attach."""
        end = time.monotonic() + PATIENCE_S
        said: list[bytes] = []
        while time.monotonic() < end:
            while self._lines:
                line = self._lines.popleft()
                if line.startswith(b"%session-changed"):
                    return
                if not line.startswith(b"%"):
                    said.append(line)
            if self._has_ended:
                break
            self._read(0.1)
        text = b" ".join(said).decode("utf-8", "replace") or "tmux said nothing"
        raise TmuxFailed(_explained(str(self.socket), text))

    def _receive(self) -> None:
        """Reads until the connection ends; runs in a thread of its own."""
        is_over = False
        while not is_over:
            try:
                data = os.read(self._output, _PIECE_BYTES)
            except OSError:
                data = b""
            with self._came:
                self._pieces.append(data)
                self._waiting_bytes += len(data)
                is_over = not data or self._waiting_bytes > MAX_WAITING_BYTES
                if is_over:
                    self._pieces.append(b"")
                self._came.notify()

    def _read(self, timeout_s: float) -> None:
        with self._came:
            if not self._pieces and not self._has_ended:
                self._came.wait(timeout_s)
            pieces, self._pieces, self._waiting_bytes = self._pieces, [], 0
        if not pieces:
            return
        *lines, self._rest = b"".join([self._rest, *pieces]).split(b"\n")
        self._lines.extend(lines)
        if not pieces[-1]:
            self._has_ended = True

    def _take(self, lines: "deque[bytes] | list[bytes]") -> None:
        for line in lines:
            event = notification(line)
            if event is not None:
                self._events.append(event)

    def _write(self, data: bytes) -> None:
        try:
            while data:
                data = data[os.write(self._input, data) :]
        except OSError as error:
            self._has_ended = True
            raise TmuxFailed(f"{self.socket}: the tmux server ended the connection") from error


def _is_reply(lines: list[bytes], at: int, secret: bytes) -> bool:
    """Returns whether a line is the reply that begins with a secret number.

    It follows directly on the beginning of its own reply: what a pane printed would be inside a notification.
    """
    return lines[at].startswith(secret) and at > 0 and lines[at - 1].startswith(b"%begin ")


def _explained(socket: str, said: str) -> str:
    """Returns an error of tmux with what to do about it."""
    if "unknown option" in said or "usage:" in said or "unknown flag" in said or "invalid option" in said:
        return f"{socket}: this tmux is older than {MIN_VERSION[0]}.{MIN_VERSION[1]}; a newer one is needed"
    if "protocol version mismatch" in said:
        return f"{socket}: the server was started by another version of tmux ({said})"
    return f"{socket}: {said}"
