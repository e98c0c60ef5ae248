"""How this user's commands reach a running server: a lock and a socket in the vault's `state/`, open to this user only.

The lock shows whether a server runs; a file such as `serve.json` cannot, because a killed server leaves it behind.
A process of this user may ask over the socket for a login link and for the browsers that wait to become approvers.
Processes of agents may not: a login link allows starting and steering runs.
"""

import asyncio
import contextlib
import os
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from chorus.base import sockets
from chorus.base.processes import supervisor
from chorus.errors import ChorusError
from chorus.keep.vault import safe_files
from chorus.show.wire import Enrolment

_Answer = TypeVar("_Answer")

STATE = "state"
"""The folder in the vault."""
NAME = "serve.sock"
_LOCK_S = 0.5
_LOCK = "serve.lock"
_MAX_BYTES = 4_096
_MAX_ANSWER_BYTES = 64 << 10
_PATIENCE_S = 5.0


class ControlRequest(Struct, frozen=True):
    """A request to the control socket: `ask` is "link" or "waiting"."""

    ask: str


class Running(Struct, frozen=True):
    """A running server: its process, its address and a token that logs in once."""

    pid: int
    address: str
    token: str

    @property
    def link(self) -> str:
        """The login link. Show it on the user's terminal only. Browsers never send the part after # to a server."""
        return f"{self.address}/#t={self.token}"


@contextlib.contextmanager
def sole_server(vault: Path) -> Iterator[bool]:
    """Yields whether this process may serve the vault. The lock ends with the process, even if that is killed.

    A program that the last server was about to start may have the lock for a moment longer, so it is tried repeatedly.
    """
    state = vault / STATE
    try:
        safe_files.make_folders(vault, state)
        fd = safe_files.open_file(state / _LOCK, os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise ChorusError(f"{state}: {error.strerror or error}") from error
    try:
        end = time.monotonic() + _LOCK_S
        while not (is_ours := safe_files.try_lock(fd)) and time.monotonic() < end:
            time.sleep(0.02)
        yield is_ours
    finally:
        os.close(fd)


def running_server(vault: Path, patience_s: float = 5.0) -> Running | None:
    """Returns the server of the vault with a new login link; waits up to `patience_s` for one that is starting."""
    end = time.monotonic() + patience_s
    while True:
        found = request_link(vault / STATE)
        if found is not None or time.monotonic() > end:
            return found
        time.sleep(0.05)


def request_link(state: Path) -> Running | None:
    """Asks the server of this vault for a new login link; returns None when no server answers."""
    return _request(state, "link", Running)


def waiting(state: Path) -> tuple[Enrolment, ...] | None:
    """Returns the browsers that wait to be admitted as approvers, or None when no server answers."""
    return _request(state, "waiting", tuple[Enrolment, ...])


def _request(state: Path, what: str, answers: type[_Answer]) -> _Answer | None:
    try:
        with contextlib.closing(sockets.connected(state, NAME)) as channel:
            channel.settimeout(_PATIENCE_S)
            if not sockets.is_own(channel):
                return None
            channel.sendall(msgspec.json.encode(ControlRequest(what)) + b"\n")
            with channel.makefile("rb") as answer:
                return msgspec.json.decode(answer.readline(_MAX_ANSWER_BYTES), type=answers)
    except (OSError, msgspec.MsgspecError):
        return None


async def listen(
    state: Path, running: Callable[[], Running], waiting: Callable[[], tuple[Enrolment, ...]] = tuple
) -> asyncio.Server:
    """Answers requests until the returned server is closed. Replaces a socket that an earlier server left behind."""
    channel = sockets.bound(state, NAME)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, TimeoutError, msgspec.MsgspecError, ValueError):
            line = await asyncio.wait_for(reader.readline(), _PATIENCE_S)
            own = writer.get_extra_info("socket")
            is_allowed = own is not None and await asyncio.to_thread(_is_person, own)
            asked = msgspec.json.decode(line, type=ControlRequest).ask
            if is_allowed and asked in ("link", "waiting"):
                writer.write(msgspec.json.encode(running() if asked == "link" else waiting()) + b"\n")
                await writer.drain()
        writer.close()

    return await asyncio.start_unix_server(answer, sock=channel, limit=_MAX_BYTES)


def _is_person(channel: socket.socket) -> bool:
    """Returns whether the other end is a process of this user and not of an agent."""
    other = sockets.peer(channel)
    return sockets.is_own(channel) and (other is None or supervisor(other.pid) is None)
