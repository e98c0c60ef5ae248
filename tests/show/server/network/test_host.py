"""Tests which address `--lan` means: one of a network of the person, never everywhere and never the internet."""

import pytest

from chorus.errors import ChorusError
from chorus.show.server.edge.binding import bind_network
from chorus.show.server.network.host import NetworkHost, network_host, routed
from tests.show.server.edge.test_binding import WILDCARDS
from tests.show.server.lan import LAN, needs_lan

NAMES = {
    "laptop.local": ["192.168.1.5"],
    "laptop": ["127.0.1.1"],
    "both.local": ["127.0.1.1", "192.168.1.5", "fd00::5"],
    "two.local": ["192.168.1.5", "10.0.0.5"],
    "six.local": ["fd00::5", "fe80::1%eth0"],
    "public.example": ["93.184.216.34"],
    "": ["127.0.1.1", "10.0.0.5"],
}
GOOD = {
    "192.168.1.5": NetworkHost("192.168.1.5"),
    "10.0.0.1": NetworkHost("10.0.0.1"),
    "100.100.1.2": NetworkHost("100.100.1.2"),
    "[fd00::5]": NetworkHost("fd00::5"),
    "FD00:0:0::5": NetworkHost("fd00::5"),
    "Laptop.local": NetworkHost("192.168.1.5", "laptop.local"),
    "both.local": NetworkHost("192.168.1.5", "both.local"),
    "six.local": NetworkHost("fd00::5", "six.local"),
}
BAD = {
    "127.0.0.1": "served in any case",
    "::1": "served in any case",
    "8.8.8.8": "internet",
    "2001:4860:4860::8888": "internet",
    "fe80::1": "link-local",
    "::ffff:192.168.1.5": "write 192.168.1.5",
    "224.0.0.1": "one computer",
    "255.255.255.255": "one computer",
    "192.168.1": "no address and no name",
    "0xc0a80105": "no address and no name",
    "3232235781": "no address and no name",
    "a b": "no address and no name",
    "-x.local": "no address and no name",
    "laptop.local:7717": "no address and no name",
    "https://laptop.local": "no address and no name",
    "*.local": "no address and no name",
    "laptop": "means 127.0.1.1 here",
    "nobody.local": "has no address here",
    "public.example": "means 93.184.216.34 here",
    "two.local": "several addresses, 192.168.1.5, 10.0.0.5",
}


def _host(given: str, route: str | None = "192.168.1.5") -> NetworkHost:
    return network_host(given, resolve=lambda name: NAMES.get(name, []), route=lambda: route)


@pytest.mark.parametrize("given", [each for each in WILDCARDS if each.strip()])
def test_a6_no_spelling_of_everywhere_is_taken(given):
    """A6: every spelling of "all addresses" is refused in one line, for the network as for loopback."""
    with pytest.raises(ChorusError, match="every network") as refused:
        _host(given)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "0", ""])
def test_a6_everywhere_is_not_bound(address):
    """A6: the function that binds refuses "all addresses" as well, whoever calls it."""
    with pytest.raises(ChorusError, match="every network"):
        bind_network(address, 0)


@pytest.mark.parametrize(("given", "host"), GOOD.items())
def test_an_address_of_a_private_network_is_taken(given, host):
    """Private and tailnet addresses are taken, and names that mean exactly one of them."""
    assert _host(given) == host


@pytest.mark.parametrize(("given", "reason"), BAD.items())
def test_what_is_not_one_address_of_a_private_network_is_refused(given, reason):
    """Addresses of the internet, unusual spellings, and names that are unclear are refused with the reason."""
    with pytest.raises(ChorusError, match=reason) as refused:
        _host(given)
    assert "\n" not in str(refused.value)


def test_without_a_name_it_is_the_address_of_the_default_route():
    """`--lan` alone means the address that the default route uses; if there is none, the candidates are listed."""
    assert _host("") == NetworkHost("192.168.1.5")
    for route in (None, "93.184.216.34"):
        with pytest.raises(ChorusError, match=r"--lan ADDRESS.*it has 10\.0\.0\.5"):
            _host("", route)


def test_the_default_route_is_asked_without_sending():
    """The address of the default route is one of this computer, or there is none."""
    found = routed()
    if found is not None:
        bind_network(found, 0).close()


@pytest.mark.parametrize(
    ("host", "text"),
    [
        (NetworkHost("192.168.1.5"), "192.168.1.5"),
        (NetworkHost("fd00::5"), "[fd00::5]"),
        (NetworkHost("192.168.1.5", "laptop.local"), "laptop.local"),
    ],
)
def test_a_host_has_one_host_header(host, text):
    """Devices use the name if there is one, else the address; browsers leave out port 443."""
    assert (host.host_header(7717), host.host_header(443)) == (f"{text}:7717", text)


def test_an_address_that_the_computer_does_not_have_is_said_so():
    """The error says that the address is not there, before anything is served."""
    with pytest.raises(ChorusError, match=r"192\.0\.2\.1: this computer does not have this address"):
        bind_network("192.0.2.1", 0)


@needs_lan
def test_a_port_of_the_network_that_is_taken_is_said_so():
    """The error names port and address, as on loopback."""
    with bind_network(LAN.address, 0) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(ChorusError, match=f"port {port} of {LAN.address}"):
            bind_network(LAN.address, port)
