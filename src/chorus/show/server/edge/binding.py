"""Binds the server's listening sockets: a plain one to a loopback address and to no other, and an encrypted one to one
address of a network, if a person asks for it."""

import errno
import ipaddress
import socket

from chorus.errors import ChorusError

ADDRESSES = {"127.0.0.1": "127.0.0.1", "localhost": "127.0.0.1", "::1": "::1", "[::1]": "::1"}
"""Accepted values of --host → the address to bind. The bound address is never a name, which may be resolved
differently later."""
_NEAR = 20
"""How many ports are tried when the user did not choose one."""
_SEND_BUFFER_BYTES = 256 << 10
"""The kernel's send buffer for a slow reader. Everything beyond it waits in our own queues, which have limits."""


def address_of(host: str) -> str:
    """Returns the loopback address for `host`; raises `ChorusError` with the reason for any other host."""
    found = ADDRESSES.get(host.strip().lower())
    if found is None:
        raise ChorusError(f"{host!r}: {_reason(host)}; --host takes 127.0.0.1, localhost or ::1")
    return found


def _reason(host: str) -> str:
    if is_unspecified(host):
        return "this would listen on every network of this machine, and anyone who reaches it could read your sessions"
    return (
        "Chorus listens on this machine only, because anyone who reaches it could read your sessions "
        "(`--lan` adds an encrypted address for paired phones)"
    )


def is_unspecified(host: str) -> bool:
    """Returns whether `host` is any spelling of "all addresses"."""
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
    """Returns a listening socket on `port`, or on the first free port of the next ones."""
    for near in range(port, port + _NEAR):
        try:
            return bind(host, near)
        except PortTaken:
            continue
    return bind(host, port)


def bind(host: str, port: int) -> socket.socket:
    """Returns a new listening socket; raises `PortTaken` if the port is in use, `ChorusError` for other failures."""
    address = address_of(host)
    listener = _listening(address, port, no_family=f"{address}: {{}}; --host 127.0.0.1 works everywhere")
    assert ipaddress.ip_address(listener.getsockname()[0]).is_loopback
    return listener


def bind_network(address: str, port: int) -> socket.socket:
    """Returns a new listening socket on one address of a network, for encrypted connections only.

    Raises like `bind`.
    """
    if is_unspecified(address):
        raise ChorusError(f"{address!r}: {_reason(address)}")
    return _listening(address, port, no_family=f"{address}: {{}}; name another address: `chorus serve --lan ADDRESS`")


def _listening(address: str, port: int, *, no_family: str) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        listener = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise ChorusError(no_family.format(error.strerror or error)) from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER_BYTES)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind((address, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRNOTAVAIL:
            raise ChorusError(f"{address}: this computer does not have this address now") from error
        failure = PortTaken if error.errno == errno.EADDRINUSE else ChorusError
        raise failure(
            f"port {port} of {address}: {error.strerror or error}; something else may have it: "
            f"`chorus serve --port {port + 1 if port else 7718}` takes another"
        ) from error
    return listener


def address_text(listener: socket.socket) -> str:
    """Returns the URL of the listening socket."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
