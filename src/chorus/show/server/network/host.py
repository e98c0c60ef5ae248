"""Where the encrypted listener listens: one address of this computer, in a network of the person, never everywhere."""

import contextlib
import ipaddress
import re
import socket
from collections.abc import Callable

from msgspec import Struct

from chorus.errors import ChorusError
from chorus.show.server.edge.binding import ADDRESSES, is_unspecified

_LABEL = r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
_NAME = re.compile(rf"{_LABEL}(\.{_LABEL})*")
_LONGEST_NAME = 253
_ELSEWHERE = ("192.0.2.1", 9)
"""An address that nobody has. A datagram socket that names it learns which own address is used; nothing is sent."""


class NetworkHost(Struct, frozen=True):
    """The address that is listened on, and the name that devices use; the name is empty if they use the address."""

    address: str
    name: str = ""

    @property
    def text(self) -> str:
        """The host as an address of a page has it."""
        return self.name or (f"[{self.address}]" if ":" in self.address else self.address)

    def host_header(self, port: int) -> str:
        """Returns the one value of the Host header that the listener accepts."""
        return self.text if port == 443 else f"{self.text}:{port}"


def resolved(name: str) -> list[str]:
    """Returns the addresses of a name, or of this computer for an empty one; none if there are none."""
    with contextlib.suppress(OSError, UnicodeError):
        found = socket.getaddrinfo(name or socket.gethostname(), None, type=socket.SOCK_STREAM)
        return list(dict.fromkeys(str(each[4][0]) for each in found))
    return []


def routed() -> str | None:
    """Returns the own address that the default route uses; None if there is no such route."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(_ELSEWHERE)
        return str(probe.getsockname()[0])
    return None


def network_host(
    given: str, *, resolve: Callable[[str], list[str]] = resolved, route: Callable[[], str | None] = routed
) -> NetworkHost:
    """Returns the host that `--lan` names; if it names none, the address of the default route. Raises ChorusError."""
    host = given.strip().lower()
    if not host:
        return _of_route(route(), resolve)
    if is_unspecified(host):
        raise ChorusError(f"--lan {given}: this would listen on every network of this machine; name one address of it")
    plain = host.removeprefix("[").removesuffix("]")
    with contextlib.suppress(ValueError):
        address = ipaddress.ip_address(plain)
        if (reason := _objection(address)) is not None:
            raise ChorusError(f"--lan {given}: {reason}")
        return NetworkHost(str(address))
    if not _is_name(host):
        raise ChorusError(f"--lan {given}: this is no address and no name of a computer")
    return NetworkHost(_address_of_name(host, resolve(host)), host)


def _of_route(address: str | None, resolve: Callable[[str], list[str]]) -> NetworkHost:
    if address is not None and _is_usable(address):
        return NetworkHost(address)
    found = ", ".join(each for each in resolve("") if _is_usable(each) and not ipaddress.ip_address(each).is_loopback)
    raise ChorusError(
        "--lan: this computer has no address of a private network on its default route; "
        f"name one: `chorus serve --lan ADDRESS`{f' (it has {found})' if found else ''}"
    )


def _address_of_name(name: str, found: list[str]) -> str:
    outside = [each for each in found if not _is_loopback(each)]
    usable = [each for each in outside if _is_usable(each)]
    chosen = [each for each in usable if ":" not in each] or usable
    if len(chosen) == 1:
        return chosen[0]
    if chosen:
        raise ChorusError(f"--lan {name}: this name has several addresses, {', '.join(chosen)}; name one of them")
    means = f"means {', '.join(found)} here" if found else "has no address here"
    raise ChorusError(f"--lan {name}: this name {means}, and not one of a private network; name an address instead")


def _is_name(host: str) -> bool:
    """Returns whether this is a name, and no unusual spelling of an address, which another program reads otherwise."""
    with contextlib.suppress(OSError):
        socket.inet_aton(host)
        return False
    return len(host) <= _LONGEST_NAME and bool(_NAME.fullmatch(host)) and not host.rpartition(".")[2].isdigit()


def _is_loopback(text: str) -> bool:
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(text).is_loopback
    return False


def _is_usable(text: str) -> bool:
    with contextlib.suppress(ValueError):
        return _objection(ipaddress.ip_address(text)) is None
    return False


def _objection(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> str | None:
    """Returns why nobody should listen on an address for a phone; None if one may."""
    if str(address) in ADDRESSES.values():
        return "this is the address that only this computer reaches, which is served in any case"
    mapped = getattr(address, "ipv4_mapped", None)
    if mapped is not None:
        return f"write {mapped} instead"
    if address.is_unspecified or address.is_multicast or address.is_reserved:
        return "this is not the address of one computer"
    if isinstance(address, ipaddress.IPv6Address) and (address.is_link_local or address.scope_id):
        return "browsers cannot open link-local addresses"
    if address.is_global:
        return "everybody on the internet may reach this address; name one of a private network or of a tailnet"
    return None
