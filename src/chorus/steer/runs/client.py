"""The process of the client: its pipes, and the warden between it and the holder."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from chorus.steer.runs import warden

GRACE_S = 5.0
"""How long a client that was asked to stop may take to end by itself."""
_WARDEN_GRACES = 3
"""After how many times this the warden is killed, because something keeps it from its work."""
_CHUNK = 1 << 20
_LONGEST_LINE = 32 << 20
"""The longest line that is parsed, because it must fit in memory; a longer one is only recorded, in pieces.

A request to the model is never as long as this.
"""


class ClientProcess:
    """A running client with non-blocking pipes. `warden_messages()` reports what happens to it."""

    def __init__(
        self, command: Sequence[str], *, cwd: str, environment: Mapping[str, str], grace_s: float = GRACE_S
    ) -> None:
        """Starts the warden, which starts the client. Raises `OSError` if the warden cannot be started."""
        # Sockets, not pipes: another process can open a pipe again by its name below /proc, and could then answer the
        # client's requests, or send requests in its name.
        ends = [socket.socketpair() for _ in range(4)]
        mine, theirs = [pair[0] for pair in ends], [pair[1] for pair in ends]
        call = [sys.executable, "-P", "-E", str(Path(warden.__file__).resolve())]
        try:
            self._warden = subprocess.Popen(  # noqa: S603 - a list, and no shell
                [*call, str(theirs[3].fileno()), str(grace_s), *command],
                stdin=theirs[0].fileno(),
                stdout=theirs[1].fileno(),
                stderr=theirs[2].fileno(),
                cwd=cwd,
                env=dict(environment),
                pass_fds=[theirs[3].fileno()],
                start_new_session=True,
            )
        except OSError:
            for end in mine:
                end.close()
            raise
        finally:
            for end in theirs:
                end.close()
        for end in mine:
            end.setblocking(False)
        self.stdin, self.stdout, self.stderr = (end.detach() for end in mine[:3])
        self.control = mine[3]
        self.pid: int | None = None
        self._grace_s = grace_s
        self._kill_warden_at: float | None = None
        self._heard = b""
        self._unwritten = bytearray()
        self._is_closing = False

    @property
    def warden(self) -> int:
        return self._warden.pid

    @property
    def has_unwritten(self) -> bool:
        return bool(self._unwritten)

    @property
    def takes_input(self) -> bool:
        return self.stdin >= 0 and not self._is_closing

    def write(self, data: bytes) -> None:
        """Sends bytes to its standard input, as fast as it reads them."""
        if self.takes_input:
            self._unwritten += data
            self.push()

    def push(self) -> None:
        """Writes the waiting bytes as far as possible."""
        while self._unwritten and self.stdin >= 0:
            try:
                done = os.write(self.stdin, memoryview(self._unwritten)[:_CHUNK])
            except BlockingIOError:
                return
            except OSError:
                self._close_stdin()
                return
            del self._unwritten[:done]
        if self._is_closing:
            self._close_stdin()

    def finish(self) -> None:
        """Closes its standard input after the waiting bytes."""
        self._is_closing = True
        self.push()

    def stop(self) -> None:
        """Asks it to end; the warden kills it if it does not. `press` follows, again and again."""
        with contextlib.suppress(OSError):
            self.control.send(b"!")
        # A stopped warden reads nothing.
        self._warden.send_signal(signal.SIGCONT)
        if self._kill_warden_at is None:
            self._kill_warden_at = time.monotonic() + _WARDEN_GRACES * self._grace_s

    def press(self) -> None:
        """Kills the warden, and with it the client, if it did not end the client in time after `stop`."""
        if self._kill_warden_at is not None and time.monotonic() >= self._kill_warden_at:
            self._warden.kill()

    def was_warden_stopped(self) -> bool:
        """Whether a signal stopped the warden since the last call: meanwhile it could end nothing. Linux only."""
        if sys.platform != "linux":
            return False
        try:
            changed = os.waitid(os.P_PID, self._warden.pid, os.WSTOPPED | os.WCONTINUED | os.WNOHANG)
        except ChildProcessError:
            return False
        return changed is not None

    def warden_messages(self) -> list[dict[str, Any]] | None:
        """Returns the messages of the warden since the last call; None if the warden is gone."""
        found = b""
        is_open = True
        while is_open:
            try:
                piece = self.control.recv(_CHUNK)
            except BlockingIOError:
                break
            except OSError:
                piece = b""
            is_open = bool(piece)
            found += piece
        *whole, self._heard = (self._heard + found).split(b"\n")
        return [json.loads(line) for line in whole] or (None if not is_open else [])

    def close(self) -> None:
        """Closes everything. No process of the client is left when this returns."""
        self._close_stdin()
        for fd in (self.stdout, self.stderr):
            os.close(fd)
        self.control.close()
        if self._warden.wait() != 0:
            # If the warden was killed, its children are now ours.
            warden.sweep()

    def sweep(self) -> None:
        """Ends everything below this process. Programs that the holder itself needs must have ended before."""
        warden.sweep()

    def _close_stdin(self) -> None:
        self._unwritten.clear()
        if self.stdin >= 0:
            os.close(self.stdin)
            self.stdin = -1


class Lines:
    """Cuts the bytes of a pipe into whole lines. A line that is too long is returned in pieces as it arrives."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.is_open = True
        self.is_drained = False
        """Whether the last read found no bytes."""
        self._rest = bytearray()
        self._is_too_long = False
        """Whether the beginning of the current line was already returned."""

    def read(self) -> Iterator[tuple[bytes, bool]]:
        """Yields the new bytes, each with whether they are whole lines or a piece of a line that is too long."""
        self.is_drained = False
        try:
            piece = os.read(self.fd, _CHUNK)
        except BlockingIOError:
            self.is_drained = True
            return
        except OSError:
            piece = b""
        if not piece:
            yield from self.close()
            return
        start = len(self._rest)
        self._rest += piece
        if self._is_too_long:
            end = self._rest.find(b"\n", start) + 1
            if end or len(self._rest) > _CHUNK:
                self._is_too_long = not end
                yield self._taken(end or len(self._rest)), False
            start = 0
        if not self._is_too_long and (end := self._rest.rfind(b"\n", start) + 1):
            yield self._taken(end), True
        if len(self._rest) > _LONGEST_LINE:
            self._is_too_long = True
            while self._rest:
                yield self._taken(_CHUNK), False

    def close(self) -> Iterator[tuple[bytes, bool]]:
        """Stops reading and yields the remaining bytes."""
        self.is_open = False
        if self._rest:
            yield self._taken(len(self._rest)), not self._is_too_long

    def _taken(self, end: int) -> bytes:
        found = bytes(memoryview(self._rest)[:end])
        del self._rest[:end]
        return found
