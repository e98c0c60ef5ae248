"""The client side of a run's socket, for every program that watches or steers a run."""

from collections.abc import Iterator
from typing import Self

from chorus.base import sockets
from chorus.errors import ChorusError
from chorus.steer.runs import messages
from chorus.steer.runs.run_folders import RunFolder
from chorus.steer.runs.run_socket import NAME

_CHUNK = 1 << 16
PATIENCE_S = 30.0
"""How long an answer to a command may take."""


def ended_error(folder: RunFolder) -> ChorusError:
    """Returns an error that says why the run no longer answers and what to do.

    The ending of a run is written before its socket closes.
    """
    run = folder.read()
    name = f"run {folder.path.name}"
    if run is None:
        return ChorusError(f"{name}: nothing is known of it; `chorus runs --all` names those there were")
    if run.ending is None:
        return ChorusError(f"{name}: its holder is gone, and the client with it; `chorus resume {run.session}` goes on")
    if run.ending.is_failure:
        return ChorusError(f"{name} has ended: {run.ending.words}")
    return ChorusError(f"{name} has ended; `chorus resume {run.session}` goes on")


class Attached:
    """A connection to the holder of a run. Raises `ChorusError` if there is no holder or the connection is lost."""

    def __init__(self, folder: RunFolder, *, patience_s: float | None = None) -> None:
        self._folder = folder
        try:
            self._socket = sockets.connected(folder.path, NAME)
        except OSError as error:
            raise ended_error(folder) from error
        self._patience_s = PATIENCE_S if patience_s is None else patience_s
        self._heard = bytearray()
        self._events: list[messages.Event] = []
        self._number = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._socket.close()

    def fileno(self) -> int:
        return self._socket.fileno()

    def do(self, command: messages.AnyCommand) -> messages.Answer:
        """Executes a command and returns its answer. Raises `ChorusError` with the reason if it failed.

        Events that arrive meanwhile are not lost.
        """
        self._number += 1
        command.id = self._number
        try:
            self._socket.settimeout(self._patience_s)
            self._socket.sendall(messages.encode(command))
        except OSError as error:
            raise ChorusError(f"the run's holder does not listen: {error}") from error
        waiting: list[messages.Event] = []
        while True:
            try:
                event = self.next(self._patience_s)
            except TimeoutError as error:
                self._events = waiting
                raise ChorusError("it gave no answer in time; `chorus stop RUN` ends a run that hangs") from error
            if event is None:
                self._events = waiting
                raise ended_error(self._folder)
            if isinstance(event, messages.Answer) and event.id == self._number:
                self._events = waiting + self._events
                if event.error:
                    raise ChorusError(event.error)
                return event
            waiting.append(event)
            if isinstance(event, messages.Ended):
                self._events = waiting
                raise ended_error(self._folder)

    def attach(self, streams: list[str], places: dict[str, int] | None = None, *, is_needed: bool = False) -> None:
        """Subscribes to streams, starting at `places`; `events` yields them.

        With `is_needed`, the run ends when this connection closes.
        """
        self.do(messages.Attach(streams=streams, places=places or {}, is_needed=is_needed))

    def events(self) -> Iterator[messages.Event]:
        """Yields events until the run ends or the holder is gone."""
        while (event := self.next(None)) is not None:
            yield event
            if isinstance(event, messages.Ended):
                return

    def next(self, timeout_s: float | None) -> messages.Event | None:
        """Returns the next event; None if the holder is gone.

        Raises `TimeoutError` if no event came in time; a timeout of 0 only checks whether one is there.
        """
        return self._events.pop(0) if self._events else self._receive(timeout_s)

    def _receive(self, timeout_s: float | None) -> messages.Event | None:
        while True:
            end = self._heard.find(b"\n")
            if end >= 0:
                line = bytes(self._heard[:end])
                del self._heard[: end + 1]
                event = messages.event(line)
                if event is not None:
                    return event
                continue
            self._socket.settimeout(timeout_s)
            try:
                piece = self._socket.recv(_CHUNK)
            except (TimeoutError, BlockingIOError):
                raise TimeoutError from None
            except OSError:
                return None
            if not piece:
                return None
            self._heard += piece
