"""Where the server listens: on loopback, and nowhere else."""

import errno
import ipaddress
import socket

from chorus.errors import ChorusError

ADDRESSES = {"127.0.0.1": "127.0.0.1", "localhost": "127.0.0.1", "::1": "::1", "[::1]": "::1"}
"""What may be asked for → the address that is bound. Never a name: it may mean another address tomorrow."""
_NEAR = 20
"""Ports that are tried, where a person named none."""
_SEND_BUFFER_BYTES = 256 << 10
"""What the system holds for a reader that is slow; the rest is ours to count."""


def address_of(host: str) -> str:
    """The loopback address that `host` means; `ChorusError` for anything else, with the reason."""
    found = ADDRESSES.get(host.strip().lower())
    if found is None:
        raise ChorusError(f"{host!r}: {_reason(host)}; --host takes 127.0.0.1, localhost or ::1")
    return found


def _reason(host: str) -> str:
    if _is_everywhere(host):
        return "this would listen on every network of this machine, and whoever reaches it could ask for your sessions"
    return "Chorus listens on this machine alone, since whoever reaches it could ask for your sessions"


def _is_everywhere(host: str) -> bool:
    plain = host.strip().strip("[]")
    if plain in ("", "*"):
        return True
    try:
        found = ipaddress.ip_address(plain)
    except ValueError:
        try:
            found = ipaddress.ip_address(socket.inet_aton(plain))
        except (OSError, UnicodeError):
            return False
    mapped = getattr(found, "ipv4_mapped", None)
    return found.is_unspecified or (mapped is not None and mapped.is_unspecified)


class PortTaken(ChorusError):  # noqa: N818 - as the others are called
    """Another program listens on the port."""


def bind_near(host: str, port: int) -> socket.socket:
    """A listening socket on the port, or on the first of the next ones that nobody listens on."""
    for near in range(port, port + _NEAR):
        try:
            return bind(host, near)
        except PortTaken:
            continue
    return bind(host, port)


def bind(host: str, port: int) -> socket.socket:
    """A listening socket of our own; `ChorusError` when the port is not to be had, `PortTaken` if another has it."""
    address = address_of(host)
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        listener = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise ChorusError(f"{address}: {error.strerror or error}; --host 127.0.0.1 works everywhere") from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER_BYTES)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind((address, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        failure = PortTaken if error.errno == errno.EADDRINUSE else ChorusError
        raise failure(
            f"port {port} of {address}: {error.strerror or error}; something else may have it: "
            f"`chorus serve --port {port + 1 if port else 7718}` takes another"
        ) from error
    assert ipaddress.ip_address(listener.getsockname()[0]).is_loopback
    return listener


def address_text(listener: socket.socket) -> str:
    """The address as a browser takes it."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
