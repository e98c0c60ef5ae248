"""Tests the encrypted listener with a real Chromium that trusts the root of Chorus, as a phone does."""

import contextlib
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Playwright, expect

from chorus.show.server.network.certificate_authority import (
    KeyPair,
    make_certificate_authority,
    make_server_certificate,
)
from chorus.show.server.network.host import NetworkHost
from tests.e2e.support import worlds
from tests.e2e.support.phone import fits, phone
from tests.e2e.support.serving import Serving
from tests.show.server.lan import LAN, needs_lan
from tests.show.server.pairing_steps import paired
from tests.show.server.serving import Browser as Person
from tools import browser as browsers

pytestmark = [
    needs_lan,
    pytest.mark.skipif(shutil.which("certutil") is None, reason="there is no `certutil`, which trusts a certificate"),
]

ELSEWHERE = NetworkHost("127.0.0.3")
NAMED = NetworkHost("127.0.0.3", "bank.example")
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\nConnection: close\r\n\r\nhello\n"


@pytest.fixture
def serving(empty: Serving) -> Serving:
    """A server that listens on the network as well."""
    empty.write(*worlds.small())
    empty.start("--lan", LAN.address)
    return empty


def address(serving: Serving) -> str:
    return f"https://{LAN.address}:{serving.port}"


def authority(serving: Serving) -> Path:
    return serving.vault / "state" / "tls" / LAN.address


class Home:
    """The home of a Chromium, with the roots that it trusts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._places = [folder / ".pki" / "nssdb", folder / ".local" / "share" / "pki" / "nssdb"]
        for place in self._places:
            place.mkdir(parents=True)
            self._call("-N", "--empty-password", place=place)

    def trust(self, root: Path) -> None:
        for place in self._places:
            self._call("-A", "-n", root.stem, "-t", "C,,", "-i", str(root), place=place)

    def _call(self, *words: str, place: Path) -> None:
        subprocess.run(["certutil", "-d", f"sql:{place}", *words], check=True, capture_output=True, timeout=60)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "phone")


@contextlib.contextmanager
def chromium(playwright: Playwright, home: Home, *flags: str) -> Iterator[Browser]:
    running = browsers.launch(playwright, *flags, home=home.folder)
    try:
        yield running
    finally:
        running.close()


def visited(browser: Browser, origin: str) -> str:
    """Returns what Chromium says about a page: its text, or the name of the error."""
    context = browsers.context(browser, origin, browsers.DEAD)
    try:
        page = context.new_page()
        page.goto(origin + "/trust")
        return page.inner_text("body")
    except Error as error:
        return error.message.partition("net::")[2].partition(" ")[0] or error.message
    finally:
        context.close()


@contextlib.contextmanager
def answering(folder: Path, pair: KeyPair) -> Iterator[int]:
    """Serves one page at another address with this certificate, and yields the port."""
    folder.mkdir()
    (folder / "chain").write_bytes(pair.certificates)
    (folder / "key").write_bytes(pair.key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "chain", folder / "key")
    listener = socket.create_server((ELSEWHERE.address, 0))

    def answer() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with contextlib.suppress(OSError), context.wrap_socket(connection, server_side=True) as secured:
                secured.recv(4_096)
                secured.sendall(ANSWER)

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(30)


def test_chromium_trusts_the_host_after_a_person_did_and_no_other(serving, playwright, home, tmp_path):
    """Before, Chromium refuses; after, it opens the page; a certificate of the same authority for others is refused."""
    with chromium(playwright, home) as browser:
        assert visited(browser, address(serving)) == "ERR_CERT_AUTHORITY_INVALID"

    home.trust(authority(serving) / "root.pem")
    issuer = KeyPair(*(authority(serving).joinpath(name).read_bytes() for name in ("issuer.pem", "issuer.key")))
    now = datetime.now(UTC)
    foreign, open_root = tmp_path / "foreign", tmp_path / "open.pem"
    root, open_issuer = make_certificate_authority(ELSEWHERE, now)
    open_root.write_bytes(root)
    home.trust(open_root)
    with (
        chromium(playwright, home, f"--host-resolver-rules=MAP {NAMED.name} {NAMED.address}") as browser,
        answering(foreign, make_server_certificate(issuer, ELSEWHERE, now)) as stolen,
        answering(tmp_path / "named", make_server_certificate(issuer, NAMED, now)) as named,
        answering(tmp_path / "good", make_server_certificate(open_issuer, ELSEWHERE, now)) as good,
    ):
        assert "Trust this Chorus" in visited(browser, address(serving))
        assert visited(browser, f"https://{ELSEWHERE.address}:{stolen}").startswith("ERR_CERT_")
        assert visited(browser, f"https://{NAMED.name}:{named}").startswith("ERR_CERT_")
        # The same server with a certificate of its own authority is opened: only the constraints make the difference.
        assert visited(browser, f"https://{ELSEWHERE.address}:{good}") == "hello"


@pytest.fixture
def sofa(serving: Serving, playwright: Playwright, home: Home) -> Iterator[BrowserContext]:
    """The browser of a phone that trusts the root and is paired to read."""
    home.trust(authority(serving) / "root.pem")
    computer = Person(serving.port)
    assert computer.post("/api/login", {"token": serving.link.partition("#t=")[2]}).status == 204
    # It pairs through loopback in place of its own page: only its login matters here.
    device = Person(serving.port)
    paired(computer, device, "read", name="on the sofa")
    assert device.cookie is not None
    with chromium(playwright, home) as browser:
        settings = phone("light") | {"service_workers": "allow"}
        context = browsers.context(browser, address(serving), browsers.DEAD, **settings)
        secret = device.cookie.partition("=")[2]
        own = {"name": f"__Host-chorus_{serving.port}", "value": secret, "url": address(serving) + "/", "secure": True}
        context.add_cookies([own])
        yield context


def test_the_application_runs_over_the_network(serving, sofa, screenshot):
    """On a phone the application lists the sessions, follows them live, and its service worker is accepted."""
    page = sofa.new_page()
    page.goto("/")
    expect(page.get_by_role("navigation", name="Pages")).to_be_visible()
    expect(page.get_by_text("Tide table: round half up").first).to_be_visible()
    fits(page)
    assert page.evaluate("() => window.isSecureContext")
    state = page.evaluate("async () => (await navigator.serviceWorker.ready).active.state")
    assert state in ("activating", "activated")
    with page.expect_websocket() as opened:
        page.reload()
    assert opened.value.url.startswith("wss://")
    screenshot(page, "list over the network")
    assert serving.complaints() == []


def test_the_page_about_trust_fits_a_phone(serving, sofa, screenshot):
    """The page is readable without a style sheet, and its link leads to the certificate."""
    page = sofa.new_page()
    page.goto("/trust")
    fits(page)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the certificate").click()
    found = Path(download.value.path()).read_bytes()
    assert ssl.DER_cert_to_PEM_cert(found) == (authority(serving) / "root.pem").read_text()
    screenshot(page, "trust")
