"""The owner's own way to a running server: a lock and a socket in the vault's `state/`, which only this user reaches.

The lock tells whether a server lives, which a note never does. Who can open the socket may ask it for a link, and which
browsers wait to be admitted as approvers; agents at work may not: a link logs in to start and steer runs.
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
"""The folder of the vault."""
NAME = "serve.sock"
_LOCK = "serve.lock"
_MAX_BYTES = 4_096
_MAX_ANSWER_BYTES = 64 << 10
_PATIENCE_S = 5.0


class Asked(Struct, frozen=True):
    """What may be asked."""

    ask: str


class Running(Struct, frozen=True):
    """A server that answered: where it is, and a link that logs in once."""

    pid: int
    address: str
    token: str

    @property
    def link(self) -> str:
        """To be shown on the owner's terminal, and nowhere else. What follows the # is never sent to a server."""
        return f"{self.address}/#t={self.token}"


@contextlib.contextmanager
def sole_server(vault: Path) -> Iterator[bool]:
    """Whether this process may serve the vault now: who does holds a lock that ends with it, however it ends."""
    state = vault / STATE
    try:
        safe_files.make_folders(vault, state)
        fd = safe_files.open_file(state / _LOCK, os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise ChorusError(f"{state}: {error.strerror or error}") from error
    try:
        yield safe_files.try_lock(fd)
    finally:
        os.close(fd)


def running_server(vault: Path, patience_s: float = 5.0) -> Running | None:
    """The server of the vault, with a new link; one that is just starting is waited for."""
    end = time.monotonic() + patience_s
    while True:
        found = ask(vault / STATE)
        if found is not None or time.monotonic() > end:
            return found
        time.sleep(0.05)


def ask(state: Path) -> Running | None:
    """A new link of the server that runs on this vault; None when none answers."""
    return _asked(state, "link", Running)


def waiting(state: Path) -> tuple[Enrolment, ...] | None:
    """The browsers that wait to be admitted as approvers; None when no server answers."""
    return _asked(state, "waiting", tuple[Enrolment, ...])


def _asked(state: Path, what: str, answers: type[_Answer]) -> _Answer | None:
    try:
        with contextlib.closing(sockets.connected(state, NAME)) as channel:
            channel.settimeout(_PATIENCE_S)
            if not sockets.is_own(channel):
                return None
            channel.sendall(msgspec.json.encode(Asked(what)) + b"\n")
            with channel.makefile("rb") as answer:
                return msgspec.json.decode(answer.readline(_MAX_ANSWER_BYTES), type=answers)
    except (OSError, msgspec.MsgspecError):
        return None


async def listen(
    state: Path, running: Callable[[], Running], waiting: Callable[[], tuple[Enrolment, ...]] = tuple
) -> asyncio.Server:
    """Answer whoever asks, until the server given back is closed. What lay there before is nobody's any more."""
    channel = sockets.bound(state, NAME)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, TimeoutError, msgspec.MsgspecError, ValueError):
            line = await asyncio.wait_for(reader.readline(), _PATIENCE_S)
            own = writer.get_extra_info("socket")
            is_let_in = own is not None and await asyncio.to_thread(_is_persons, own)
            asked = msgspec.json.decode(line, type=Asked).ask
            if is_let_in and asked in ("link", "waiting"):
                writer.write(msgspec.json.encode(running() if asked == "link" else waiting()) + b"\n")
                await writer.drain()
        writer.close()

    return await asyncio.start_unix_server(answer, sock=channel, limit=_MAX_BYTES)


def _is_persons(channel: socket.socket) -> bool:
    """Whether this user is at the other end, and no agent."""
    other = sockets.peer(channel)
    return sockets.is_own(channel) and (other is None or supervisor(other.pid) is None)
