"""Tests that requests leave this machine only to public addresses over HTTPS, and within limits."""

import asyncio
import ipaddress

import pytest

from chorus.base.outgoing import MAX_HEAD_BYTES, Outgoing, checked, is_public
from chorus.errors import AddressRefused, Unreachable


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0", "100.64.0.1"),
        *("224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fd00::1", "ff02::1", "::ffff:127.0.0.1"),
        *("2002:7f00:1::", "::ffff:10.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::a00:1", "::10.0.0.1"),
        *("fec0::1", "192.0.0.8", "192.88.99.1", "3fff::1", "5f00::1", "100:0:0:1::1"),
    ],
)
def test_addresses_of_this_network_are_not_public(address):
    """This machine, its network and its cloud's data service are never reached, however they are written."""
    assert not is_public(ipaddress.ip_address(address))


def test_public_addresses():
    """Machines on the internet are reached."""
    for address in ("8.8.8.8", "2606:4700::1111", "64:ff9b::8.8.8.8"):
        assert is_public(ipaddress.ip_address(address)), address


@pytest.mark.parametrize(
    "url",
    [
        *("http://push.example.org/", "file:///etc/passwd", "https://", "https://user@push.example.org/", "//x/y", ""),
        *("https://push.example.org:0/", "https://push.example.org:99999/", "https://[::1/", "https://a/ b"),
        *("https://a/\r\nX: y", "https://a/" + "x" * 3_000, "https://bücher.example/"),
    ],
)
def test_only_https_addresses_are_taken(url):
    """Other schemes, users, line ends and addresses without end are refused."""
    with pytest.raises(AddressRefused):
        checked(url)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "2130706433"])
def test_this_machine_is_not_reached(host):
    """A subscription cannot make Chorus talk to a service on this machine, also not by a name that leads here."""
    with pytest.raises((AddressRefused, Unreachable)) as error:
        asyncio.run(Outgoing().post(f"https://{host}:9/", {}, b""))
    assert isinstance(error.value, AddressRefused) or "gaierror" in str(error.value)


@pytest.mark.parametrize(
    "said",
    [b"", b"SSH-2.0-x\r\n\r\n", b"HTTP/1.1 abc\r\n\r\n", b"HTTP/1.1 100 Go\r\n\r\n" * 9, b"x" * (2 * MAX_HEAD_BYTES)],
)
def test_answers_that_are_no_http_are_an_error(said):
    """For any bytes of the other side, the result is an answer or an error, and only a bounded head is read."""
    from chorus.base import outgoing

    async def read():
        reader = asyncio.StreamReader(limit=MAX_HEAD_BYTES)
        reader.feed_data(said)
        reader.feed_eof()
        return await outgoing._answer(reader)

    with pytest.raises((ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError)):
        asyncio.run(read())
