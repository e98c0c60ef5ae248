"""The socket of a run: accepts connections, reads commands, and sends events as fast as they are read."""

import contextlib
import os
import socket
from pathlib import Path

from chorus.base import sockets
from chorus.base.processes import supervisor
from chorus.steer.runs import messages
from chorus.steer.runs.pipe_recorder import PipeRecorder

NAME = "socket"
_CHUNK = 1 << 16
_STREAM_LIMIT = 1 << 20
"""The most bytes that may wait for a slow reader before it gets no more of the streams."""
_CONNECTION_LIMIT = 64 << 20


class Connection:
    """One connection."""

    def __init__(self, connection: socket.socket, *, is_supervised: bool) -> None:
        connection.setblocking(False)
        self.socket = connection
        self.is_supervised = is_supervised
        """Whether an agent is on the other side: it may only watch."""
        self.is_open = True
        self.is_asking = False
        """Whether it waits for the status of the run."""
        self.is_attached = False
        """Whether it receives every change of the status."""
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
        """Returns the whole lines that have arrived."""
        try:
            piece = self.socket.recv(_CHUNK)
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

    def send(self, event: messages.Event) -> None:
        self._unsent += messages.encode(event)
        if len(self._unsent) > _CONNECTION_LIMIT:
            self.is_open = False
        self.push()

    def push(self) -> None:
        """Sends the waiting bytes as far as possible."""
        while self._unsent and self.is_open:
            try:
                done = self.socket.send(memoryview(self._unsent)[:_STREAM_LIMIT])
            except BlockingIOError:
                return
            except OSError:
                self.is_open = False
                return
            del self._unsent[:done]

    def catch_up(self, recorder: PipeRecorder, sessions: list[str]) -> None:
        """Sends recorded lines that were not sent yet, as many as fit now; the next call continues there."""
        for session in sessions:
            for stream in self.streams:
                name = f"{session}/{stream}"
                for line in recorder.lines(stream, session, self.places.get(name, 0)):
                    if len(self._unsent) > _STREAM_LIMIT or not self.is_open:
                        return
                    self.send(messages.Line.of(line, stream, session))
                    self.places[name] = line.next_at

    def close(self) -> None:
        self.is_open = False
        self.socket.close()


class RunSocket:
    """The listening socket, in the folder of the run, for this user only."""

    def __init__(self, folder: Path) -> None:
        """Starts to listen."""
        self._folder = folder
        self.socket = sockets.bound(folder, NAME)
        self.socket.listen(16)
        self.socket.setblocking(False)

    def accept(self) -> Connection | None:
        """Accepts the next connection; returns None if there is none, or if it comes from another user."""
        try:
            connection, _ = self.socket.accept()
        except OSError:
            return None
        peer = sockets.peer(connection)
        if peer is not None and peer.uid != os.getuid():
            connection.close()
            return None
        return Connection(connection, is_supervised=peer is not None and supervisor(peer.pid) is not None)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            (self._folder / NAME).unlink()
        self.socket.close()
