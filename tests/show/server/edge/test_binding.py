"""Tests that the server listens only on loopback."""

import socket

import pytest

from chorus.errors import ChorusError
from chorus.show.server.edge.binding import address_of, address_text, bind, bind_near

WILDCARDS = ["0.0.0.0", "::", "[::]", "0", "0x0", "00", "0.0", "0x0.0.0.0", "::0", "0:0:0:0:0:0:0:0", "::ffff:0.0.0.0"]
WILDCARDS += ["*", "", " ", "::ffff:0:0", "0000.0000.0000.0000"]
ELSEWHERE = ["192.168.1.5", "10.0.0.1", "169.254.1.1", "fe80::1", "example.com", "myhost.local", "127.0.0.2", "127.1"]
ELSEWHERE += ["2130706433", "0x7f000001", "::ffff:127.0.0.1", "localhost.", "localhost.evil.example", "127.0.0.1:80"]


@pytest.mark.parametrize("host", WILDCARDS)
def test_no_spelling_of_everywhere_is_taken(host):
    """A6: every spelling of "all addresses" is refused with the reason, before a socket is opened."""
    with pytest.raises(ChorusError, match="every network") as refused:
        bind(host, 0)
    assert "127.0.0.1" in str(refused.value)


@pytest.mark.parametrize("host", ELSEWHERE)
def test_no_other_address_is_taken(host):
    """A6: other addresses of the machine, names, and unusual spellings of loopback are refused."""
    with pytest.raises(ChorusError, match="this machine only"):
        bind(host, 0)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST", "::1", "[::1]"])
def test_loopback_is_bound_by_its_address(host):
    """The server binds loopback by address and resolves no name, because a name may mean another address later."""
    try:
        listener = bind(host, 0)
    except ChorusError:
        assert address_of(host) == "::1" and not socket.has_dualstack_ipv6()
        return
    with listener:
        found = listener.getsockname()
        assert found[0] == address_of(host)
        assert address_text(listener) == (
            f"http://[::1]:{found[1]}" if ":" in found[0] else f"http://127.0.0.1:{found[1]}"
        )


def test_a_port_that_is_taken_is_said_so():
    """The error for a used port names the port and suggests another one."""
    with bind("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(ChorusError, match=f"port {port} .*--port {port + 1}"):
            bind("127.0.0.1", port)


def test_the_next_free_port_is_taken():
    """If a person named no port, the server skips used ports."""
    with bind("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        with bind_near("127.0.0.1", port) as near:
            assert port < near.getsockname()[1] < port + 20
