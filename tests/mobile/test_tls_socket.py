"""Tests that one thread may read an encrypted socket while another writes."""

import contextlib
import socket
import ssl
import threading
from datetime import UTC, datetime

import pytest

from chorus.mobile.tls_socket import for_two_threads
from chorus.show.server.network.certificate_authority import make_certificate_authority, make_server_certificate
from chorus.show.server.network.host import NetworkHost

HOST = NetworkHost("127.0.0.1")
PATIENCE_S = 20.0
LARGE = b"x" * 3_000_000


class Calls:
    """The calls of OpenSSL for one connection, and whether two of them ever ran at the same time."""

    def __init__(self, connection):
        self._connection = connection
        self._running = threading.Lock()
        self.overlapped = False

    def read(self, *arguments):
        return self._call(self._connection.read, *arguments)

    def write(self, *arguments):
        return self._call(self._connection.write, *arguments)

    def __getattr__(self, name):
        return getattr(self._connection, name)

    def _call(self, call, *arguments):
        if not self._running.acquire(blocking=False):
            self.overlapped = True
            return call(*arguments)
        try:
            return call(*arguments)
        finally:
            self._running.release()


@pytest.fixture
def echo(tmp_path):
    """Yields the address of a server that sends back what it is sent, and a context that trusts it."""
    root, key = make_certificate_authority(HOST, datetime.now(UTC))
    pair = make_server_certificate(key, HOST, datetime.now(UTC))
    (tmp_path / "root").write_bytes(root)
    (tmp_path / "chain").write_bytes(pair.certificates)
    (tmp_path / "key").write_bytes(pair.key)
    served = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    served.load_cert_chain(tmp_path / "chain", tmp_path / "key")
    with socket.create_server((HOST.address, 0)) as listener:
        threading.Thread(target=_serve, args=(listener, served), daemon=True).start()
        yield listener.getsockname(), ssl.create_default_context(cafile=str(tmp_path / "root"))


def _serve(listener, context):
    with contextlib.suppress(OSError):
        while True:
            connection, _ = listener.accept()
            with context.wrap_socket(connection, server_side=True) as secured:
                while piece := secured.recv(1 << 16):
                    secured.sendall(piece)


def connected(address, context):
    plain = socket.create_connection(address, PATIENCE_S)
    return context.wrap_socket(plain, server_hostname=HOST.address)


def overlaps(secured):
    """Returns whether the two threads that read and write were ever in OpenSSL at the same time."""
    calls = secured._sslobj = Calls(secured._sslobj)
    received = bytearray()

    def read():
        while len(received) < len(LARGE):
            received.extend(secured.recv(1 << 16))

    reader = threading.Thread(target=read)
    reader.start()
    secured.sendall(LARGE)
    reader.join(PATIENCE_S)
    assert received == LARGE
    return calls.overlapped


def test_reading_and_writing_take_turns(echo):
    """Two threads are never in OpenSSL at the same time, and everything that was written arrives."""
    address, context = echo
    with connected(address, for_two_threads(context)) as secured:
        assert not overlaps(secured)


def test_a_reader_that_waits_does_not_hold_up_a_writer(echo):
    """What is written while another thread waits for an answer is sent at once."""
    address, context = echo
    with connected(address, for_two_threads(context)) as secured:
        heard = []
        reader = threading.Thread(target=lambda: heard.append(secured.recv(100)))
        reader.start()
        reader.join(0.1)
        assert not heard
        secured.sendall(b"hello")
        reader.join(PATIENCE_S)
        assert heard == [b"hello"]


def test_a_reader_waits_as_long_as_its_timeout(echo):
    """A timeout ends the wait, also one that is set after the handshake."""
    address, context = echo
    with connected(address, for_two_threads(context)) as secured:
        secured.settimeout(0.05)
        assert secured.gettimeout() == 0.05
        with pytest.raises(TimeoutError):
            secured.recv(100)


def test_a_reader_ends_when_another_thread_closes_the_socket(echo):
    """A thread that waits for an answer does not wait for ever."""
    address, context = echo
    secured = connected(address, for_two_threads(context))
    ended = threading.Event()

    def read():
        with contextlib.suppress(OSError):
            secured.recv(100)
        ended.set()

    threading.Thread(target=read, daemon=True).start()
    assert not ended.wait(0.1)
    secured.shutdown(socket.SHUT_RDWR)
    secured.close()
    assert ended.wait(PATIENCE_S)
