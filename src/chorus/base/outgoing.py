"""The only door to other machines: one POST over HTTPS, to a public address, with limits of time and size.

The address is untrusted: whoever can register it could otherwise let Chorus reach machines behind the firewall. So the
name is resolved once, every address is checked, and the connection goes to an address that was checked. Redirections
are not followed, proxies of the environment are not used, and nothing of the answer is kept but its status.
"""

import asyncio
import contextlib
import ipaddress
import socket
import ssl
from collections.abc import Callable, Mapping
from urllib.parse import SplitResult, urlsplit

from msgspec import Struct

from chorus.errors import AddressRefused, Unreachable

PATIENCE_S = 20.0
MAX_ADDRESS_CHARS = 2_048
MAX_HEAD_BYTES = 16 << 10
_MAX_INTERIM = 4
"""How many interim answers (1xx) may come before the final one."""
_MAX_RETRY_S = 3_600.0

_UNICAST = ipaddress.ip_network("2000::/3")
"""The only addresses of IPv6 that are given out for machines on the internet."""
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
"""Addresses that a network without IPv4 uses for those of IPv4; these are the last 32 bits."""
_RESERVED = tuple(map(ipaddress.ip_network, ("192.0.0.0/24", "192.88.99.0/24", "3fff::/20")))
"""What some versions of Python take for addresses on the internet."""

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class HttpAnswer(Struct, frozen=True):
    """The status of an answer, and after how many seconds the other side asks to try again."""

    status: int
    retry_after_s: float | None = None


def is_public(address: Address) -> bool:
    """Returns whether an address belongs to a machine on the internet: not to this one, and to no private network."""
    if isinstance(address, ipaddress.IPv6Address):
        if address in _NAT64:
            return is_public(ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF))
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
        if address not in _UNICAST or (inner is not None and not is_public(inner)):
            return False
    return address.is_global and not address.is_multicast and not any(address in each for each in _RESERVED)


def checked(url: str) -> SplitResult:
    """Returns the parts of an address that may be reached: HTTPS, a host name, no user. Raises AddressRefused."""
    if len(url) <= MAX_ADDRESS_CHARS and url.isascii() and url.isprintable() and " " not in url:
        # An invalid port or address of IPv6 is a ValueError.
        with contextlib.suppress(ValueError):
            parts = urlsplit(url)
            if parts.scheme == "https" and parts.hostname and "@" not in parts.netloc and parts.port != 0:
                return parts
    raise AddressRefused("only addresses that begin with https:// and name a host are reached")


class Outgoing:
    """Sends requests to other machines."""

    def __init__(
        self,
        *,
        may_reach: Callable[[Address], bool] = is_public,
        tls: Callable[[], ssl.SSLContext] = ssl.create_default_context,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._may_reach = may_reach
        self._tls = tls
        self._patience_s = patience_s

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> HttpAnswer:
        """Sends one request and returns the status of the answer. Raises AddressRefused or Unreachable."""
        parts = checked(url)
        host, port = parts.hostname or "", parts.port or 443
        try:
            async with asyncio.timeout(self._patience_s):
                address = await self._resolved(host, port)
                reader, writer = await asyncio.open_connection(
                    address, port, ssl=self._tls(), server_hostname=host, limit=MAX_HEAD_BYTES
                )
                try:
                    writer.write(_head(parts, headers, len(body)) + body)
                    await writer.drain()
                    return await _answer(reader)
                finally:
                    writer.transport.abort()
        except TimeoutError:
            raise Unreachable(f"the other machine took longer than {self._patience_s:g} s") from None
        except (OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
            raise Unreachable(f"the other machine cannot be reached: {type(error).__name__}") from None

    async def _resolved(self, host: str, port: int) -> str:
        """Returns an address of the host. If one of its addresses is refused, so is the host."""
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = [str(each[4][0]).partition("%")[0] for each in found]
        if not addresses or not all(self._may_reach(ipaddress.ip_address(each)) for each in addresses):
            raise AddressRefused("this host has an address that is not on the internet")
        return addresses[0]


def _head(parts: SplitResult, headers: Mapping[str, str], length: int) -> bytes:
    target = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
    lines = [f"POST {target} HTTP/1.1", f"Host: {parts.netloc}", "Connection: close", f"Content-Length: {length}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    if any("\r" in line or "\n" in line for line in lines):
        raise AddressRefused("a header contains a line end")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


async def _answer(reader: asyncio.StreamReader) -> HttpAnswer:
    for _ in range(_MAX_INTERIM):
        first, *rest = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        version, _, after = first.partition(" ")
        status = after[:3]
        if not version.startswith("HTTP/1.") or len(status) != 3 or not (status.isascii() and status.isdigit()):
            raise ValueError("not an answer of HTTP")
        if not status.startswith("1"):
            return HttpAnswer(int(status), _retry_after(rest))
    raise ValueError("too many interim answers")


def _retry_after(lines: list[str]) -> float | None:
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip().lower() == "retry-after":
            # A date instead of a number is allowed, and rare; then our own delays hold.
            with contextlib.suppress(ValueError):
                return min(max(float(int(value.strip()[:20])), 0.0), _MAX_RETRY_S)
    return None
