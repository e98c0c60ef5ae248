"""A push service on this machine: real TLS, a browser's keys, and answers that a test chooses."""

import asyncio
import contextlib
import json
import ssl
import threading
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import http_ece
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from chorus.base.outgoing import Outgoing
from chorus.show.server.push.devices import Subscription
from chorus.show.server.push.encryption import public_key

SECRET = b"0123456789abcdef"


class PushService:
    """Answers each message with the next status of `answers`, then with 201."""

    def __init__(self, folder: Path) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.answers: list[str] = []
        self.heads: list[dict[str, str]] = []
        self.texts: list[dict[str, Any]] = []
        self.address = ""
        self._certificate = _certificate(folder)
        self._own_key = folder / "push.key"

    def outgoing(self, **more: Any) -> Outgoing:
        """Returns a way out that trusts this service, although it is on this machine."""
        return Outgoing(
            may_reach=lambda address: address == ip_address("127.0.0.1"),
            tls=lambda: ssl.create_default_context(cafile=str(self._certificate)),
            **more,
        )

    def subscription(self) -> Subscription:
        private = self.key.private_numbers().private_value.to_bytes(32)
        return Subscription(self.address, public_key(private), SECRET)

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator["PushService"]:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(self._certificate, self._own_key)
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=tls)
        self.address = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/to/device"
        try:
            yield self
        finally:
            server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        found = dict(line.split(": ", 1) for line in head[1:] if line)
        body = await reader.readexactly(int(found["Content-Length"]))
        text = http_ece.decrypt(body, private_key=self.key, auth_secret=SECRET, version="aes128gcm")
        self.heads.append(found)
        self.texts.append(json.loads(text))
        status = self.answers.pop(0) if self.answers else "201 Created"
        if status == "silence":
            # Until the sender gives up.
            await reader.read()
        if status in ("hang up", "silence"):
            writer.close()
            return
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n".encode())
        await writer.drain()
        writer.close()


class PushThread:
    """A push service in a thread of its own, for tests of a whole server."""

    def __init__(self, folder: Path) -> None:
        self.service = PushService(folder)
        self._loop = asyncio.new_event_loop()
        self._is_open = threading.Event()
        self._end = asyncio.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._run(),), daemon=True)

    def __enter__(self) -> PushService:
        self._thread.start()
        assert self._is_open.wait(30)
        return self.service

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(30)
        self._loop.close()

    async def _run(self) -> None:
        async with self.service.open():
            self._is_open.set()
            await self._end.wait()


async def until(is_so: Callable[[], bool]) -> None:
    """Waits for a condition, with a generous limit."""
    async with asyncio.timeout(60):
        while not is_so():  # noqa: ASYNC110 - what is waited for happens in other tasks, which know no tests
            await asyncio.sleep(0.01)


def _certificate(folder: Path) -> Path:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "push service of a test")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "push.pem"
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "push.key").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return path
