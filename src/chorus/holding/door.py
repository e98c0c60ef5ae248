"""The run's socket: who may come in, what they ask, and what they are told as fast as they take it."""

import contextlib
import os
import socket
import struct
import sys
from pathlib import Path

from chorus.holding import talk, warden
from chorus.holding.keeping import Keeper
from chorus.protocol.environment import RUN_VARIABLE

NAME = "socket"
_CHUNK = 1 << 16
_ENOUGH = 1 << 20
"""Bytes that may wait for a slow reader before it gets no more of the streams."""
_TOO_MUCH = 64 << 20


class Visitor:
    """One connection."""

    def __init__(self, connection: socket.socket, *, is_supervised: bool) -> None:
        connection.setblocking(False)
        self.connection = connection
        self.is_supervised = is_supervised
        """Whether an agent is on the other side: it may look, and nothing else."""
        self.is_open = True
        self.is_asking = False
        """Whether it waits to be told how the run stands."""
        self.is_attached = False
        """Whether it is told every change of how the run stands."""
        self.is_needed = False
        """Whether the run ends with this connection."""
        self.streams: list[str] = []
        self.places: dict[str, int] = {}
        self._heard = bytearray()
        self._unsent = bytearray()

    @property
    def has_unsent(self) -> bool:
        return bool(self._unsent)

    def read(self) -> list[bytes]:
        """Whole lines that have come."""
        try:
            piece = self.connection.recv(_CHUNK)
        except BlockingIOError:
            return []
        except OSError:
            piece = b""
        self._heard += piece
        if not piece or len(self._heard) > talk.LONGEST_LINE:
            self.is_open = False
            return []
        *lines, rest = bytes(self._heard).split(b"\n") if b"\n" in piece else [bytes(self._heard)]
        self._heard = bytearray(rest)
        return lines

    def tell(self, event: talk.Event) -> None:
        self._unsent += talk.encode(event)
        if len(self._unsent) > _TOO_MUCH:
            self.is_open = False
        self.push()

    def push(self) -> None:
        """Send what waits, as far as it goes."""
        while self._unsent and self.is_open:
            try:
                done = self.connection.send(memoryview(self._unsent)[:_ENOUGH])
            except BlockingIOError:
                return
            except OSError:
                self.is_open = False
                return
            del self._unsent[:done]

    def catch_up(self, keeper: Keeper, sessions: list[str]) -> None:
        """Tell what is kept and was not told yet, as much as is taken now; the next call goes on there."""
        for session in sessions:
            for stream in self.streams:
                name = f"{session}/{stream}"
                for line in keeper.lines(stream, session, self.places.get(name, 0)):
                    if len(self._unsent) > _ENOUGH or not self.is_open:
                        return
                    self.tell(talk.Line.of(line, stream, session))
                    self.places[name] = line.next_at

    def close(self) -> None:
        self.is_open = False
        self.connection.close()


class Door:
    """The listening socket, in the run's folder, for this user alone."""

    def __init__(self, folder: Path) -> None:
        """Listen. The folder is made the present one: the names of sockets must be short."""
        os.chdir(folder)
        Path(NAME).unlink(missing_ok=True)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        mask = os.umask(0o177)
        try:
            self.socket.bind(NAME)
        finally:
            os.umask(mask)
        self.socket.listen(16)
        self.socket.setblocking(False)

    def let_in(self) -> Visitor | None:
        """The next one who knocks; None for nobody, or one who is not let in."""
        try:
            connection, _ = self.socket.accept()
        except OSError:
            return None
        pid, uid = _peer(connection)
        if uid is not None and uid != os.getuid():
            connection.close()
            return None
        return Visitor(connection, is_supervised=pid is not None and is_agents(pid))

    def close(self) -> None:
        with contextlib.suppress(OSError):
            Path(NAME).unlink()
        self.socket.close()


def is_agents(pid: int) -> bool:
    """Whether a process works for an agent: it, or one above it, bears the mark of a run.

    The warden bears it, and every orphan below a warden comes back to it, so no process loses its descent by leaving
    its parent or clearing its own environment. One that is gone already is taken for an agent's.
    """
    if sys.platform != "linux":
        return False
    mark = RUN_VARIABLE.encode() + b"="
    while pid > 1:
        try:
            if any(each.startswith(mark) for each in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")):
                return True
        except PermissionError:
            # Another user's: no agent of ours, nor a warden.
            pass
        except OSError:
            return True
        parent = warden.parent_of(pid)
        if parent is None:
            return True
        pid = parent
    return False


def _peer(connection: socket.socket) -> tuple[int | None, int | None]:
    """Process and user on the other side, where the system tells."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return None, None
    pid, uid, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, option, struct.calcsize("3i")))
    return pid, uid
