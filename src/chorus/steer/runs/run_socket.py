"""The run's socket: who may come in, what they ask, and what they are told as fast as they take it."""

import contextlib
import os
import socket
from pathlib import Path

from chorus.base import sockets
from chorus.base.processes import supervisor
from chorus.steer.runs import messages
from chorus.steer.runs.pipe_recorder import Keeper

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
        if not piece or len(self._heard) > messages.LONGEST_LINE:
            self.is_open = False
            return []
        if b"\n" not in piece:
            return []
        *lines, rest = bytes(self._heard).split(b"\n")
        self._heard = bytearray(rest)
        return lines

    def tell(self, event: messages.Event) -> None:
        self._unsent += messages.encode(event)
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
                    self.tell(messages.Line.of(line, stream, session))
                    self.places[name] = line.next_at

    def close(self) -> None:
        self.is_open = False
        self.connection.close()


class Door:
    """The listening socket, in the run's folder, for this user alone."""

    def __init__(self, folder: Path) -> None:
        """Listen."""
        self._folder = folder
        self.socket = sockets.bound(folder, NAME)
        self.socket.listen(16)
        self.socket.setblocking(False)

    def let_in(self) -> Visitor | None:
        """The next one who knocks; None for nobody, or one who is not let in."""
        try:
            connection, _ = self.socket.accept()
        except OSError:
            return None
        peer = sockets.peer(connection)
        if peer is not None and peer.uid != os.getuid():
            connection.close()
            return None
        return Visitor(connection, is_supervised=peer is not None and supervisor(peer.pid) is not None)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            (self._folder / NAME).unlink()
        self.socket.close()
