"""How this user's commands reach a running server: a lock and a socket in the vault's `state/`, open to this user only.

The lock shows whether a server runs; a file such as `serve.json` cannot, because a killed server leaves it behind.
A process of this user may ask over the socket for a login link, for the browsers that wait to become approvers, for the
pairing of a device, and for the certificate that a phone has to trust. Processes of agents may not: a login allows
starting and steering runs.
"""

import asyncio
import contextlib
import os
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import Struct

from chorus.base import sockets
from chorus.base.processes import supervisor
from chorus.errors import ChorusError
from chorus.keep.vault import safe_files
from chorus.show.wire import Enrolment, PairingOffer, PairingShown
from chorus.steer.approvals.devices.signed_devices import AccessScope

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
    """A request to the control socket."""

    ask: Literal["link", "waiting", "pair", "pairing", "answer", "trust"]
    scope: AccessScope = "read"
    """What a device is to be allowed, for `pair`."""
    code: str = ""
    """The code that the device shows, for `answer`."""
    is_confirmed: bool = False


class Done(Struct, frozen=True):
    """What became of a request that changes something."""

    refusal: str = ""
    """Why nothing was done; empty if it was done."""


class TrustShown(Struct, frozen=True):
    """What a phone has to trust."""

    address: str
    """The address for phones; empty if the server does not listen on a network."""
    certificate: bytes
    """The certificate (DER); empty if phones trust it already."""


Answers = Mapping[str, Callable[[ControlRequest], Any]]
"""What answers a request, by its `ask`. Called in a thread."""


class Running(Struct, frozen=True):
    """A running server: its process, its address and a token that logs in once."""

    pid: int
    address: str
    token: str
    network: str = ""
    """The address for phones, if the server listens on a network."""

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
    return _request(state, ControlRequest("link"), Running)


def waiting(state: Path) -> tuple[Enrolment, ...] | None:
    """Returns the browsers that wait to be admitted as approvers, or None when no server answers."""
    return _request(state, ControlRequest("waiting"), tuple[Enrolment, ...])


def offer_pairing(state: Path, scope: AccessScope) -> PairingOffer | None:
    """Begins to pair a device; returns None when no server answers."""
    return _request(state, ControlRequest("pair", scope=scope), PairingOffer)


def pairing(state: Path) -> PairingShown | None:
    """Returns the pairing that is under way, or None when no server answers."""
    return _request(state, ControlRequest("pairing"), PairingShown)


def answer_pairing(state: Path, code: str, *, is_confirmed: bool) -> Done | None:
    """Admits or refuses the device that shows this code; returns None when no server answers."""
    return _request(state, ControlRequest("answer", code=code, is_confirmed=is_confirmed), Done)


def trust(state: Path) -> TrustShown | None:
    """Returns what a phone has to trust, or None when no server answers."""
    return _request(state, ControlRequest("trust"), TrustShown)


def _request(state: Path, request: ControlRequest, answers: type[_Answer]) -> _Answer | None:
    try:
        with contextlib.closing(sockets.connected(state, NAME)) as channel:
            channel.settimeout(_PATIENCE_S)
            if not sockets.is_own(channel):
                return None
            channel.sendall(msgspec.json.encode(request) + b"\n")
            with channel.makefile("rb") as answer:
                return msgspec.json.decode(answer.readline(_MAX_ANSWER_BYTES), type=answers)
    except (OSError, msgspec.MsgspecError):
        return None


async def listen(state: Path, answers: Answers) -> asyncio.Server:
    """Answers requests until the returned server is closed. Replaces a socket that an earlier server left behind."""
    channel = sockets.bound(state, NAME)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, TimeoutError, msgspec.MsgspecError, ValueError):
            line = await asyncio.wait_for(reader.readline(), _PATIENCE_S)
            own = writer.get_extra_info("socket")
            is_allowed = own is not None and await asyncio.to_thread(_is_person, own)
            asked = msgspec.json.decode(line, type=ControlRequest)
            if is_allowed and asked.ask in answers:
                found = await asyncio.to_thread(answers[asked.ask], asked)
                writer.write(msgspec.json.encode(found) + b"\n")
                await writer.drain()
        writer.close()

    return await asyncio.start_unix_server(answer, sock=channel, limit=_MAX_BYTES)


def _is_person(channel: socket.socket) -> bool:
    """Returns whether the other end is a process of this user and not of an agent."""
    other = sockets.peer(channel)
    return sockets.is_own(channel) and (other is None or supervisor(other.pid) is None)
