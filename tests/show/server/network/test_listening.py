"""Tests the encrypted listener: what it speaks, what it does not answer, and who is not let in."""

import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator

import pytest

from chorus.show.server.network import door
from chorus.show.server.network.certificate_facts import der
from chorus.show.server.network.trust_page import CERTIFICATE, PAGE
from tests.show.server.lan import LAN, LanPhone, needs_lan
from tests.show.server.pairing_steps import paired
from tests.show.server.serving import PATIENCE_S, Browser, Serving, serving, until

pytestmark = needs_lan

STRANGERS = 100
"""Twice as many connections as may be without a handshake."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server with an encrypted listener that all tests here use."""
    top = tmp_path_factory.mktemp("lan")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHORUS_HOME", str(top / "vault"))
        with serving(top / "vault", top / "client", lan=LAN) as found:
            yield found


@pytest.fixture
def phone(home: Serving) -> LanPhone:
    return LanPhone(home)


def raw(home: Serving, data: bytes) -> bytes:
    """Returns what the listener answers to bytes without encryption."""
    with socket.create_connection(home.network.listener.getsockname()[:2], timeout=PATIENCE_S) as plain:
        plain.sendall(data)
        found = b""
        try:
            while piece := plain.recv(4_096):
                found += piece
        except ConnectionError:
            pass
        return found


def test_a_phone_is_paired_over_the_network_and_reads(home, phone):
    """A phone that trusts the root pairs, logs in with a cookie of the strict kind, reads, and opens a socket."""
    assert phone.get("/").status == 200
    assert phone.get("/api/status").status == 401
    answer = paired(home.browser(), phone, "read", name="on the sofa")
    kept = answer.headers["set-cookie"]
    assert kept.startswith("__Host-chorus_")
    assert {"Path=/", "Secure", "HttpOnly", "SameSite=Strict"} <= {each.strip() for each in kept.split(";")}
    assert phone.get("/api/status").status == 200
    with phone.live() as live:
        live.until(lambda frame: frame["type"] == "welcome")


def test_loopback_stays_as_it_is(home):
    """Links of the computer still begin with http and loopback, and no header asks for encryption everywhere."""
    assert home.address.startswith("http://127.0.0.1:")
    computer = home.browser()
    assert computer.get("/api/status").status == 200
    assert "strict-transport-security" not in computer.get("/").headers


def test_a_link_of_the_computer_does_not_log_in_over_the_network(home, phone):
    """A login link does not work over the network, even if somebody saw it: only paired devices get in."""
    assert phone.post("/api/login", {"token": home.link()}).status == 403
    computer = home.browser()
    assert computer.cookie is not None
    secret = computer.cookie.partition("=")[2]
    for name in (f"__Host-chorus_{home.port}", f"chorus_{home.port}"):
        phone.cookie = f"{name}={secret}"
        assert phone.get("/api/status").status == 401


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1:{port}", "localhost:{port}", "127.0.0.2", "127.0.0.2:1", "127.0.0.2.:{port}", "rebound.example:{port}",
     "127.0.0.1:{own}", "localhost:{own}", "127.0.0.3:{port}", "127.2:{port}",
     "2130706434:{port}", "[::ffff:127.0.0.2]:{port}", "user@127.0.0.2:{port}"],
)  # fmt: skip
def test_t2_rebinding_on_the_network_is_refused(home, phone, host):
    """T2: the listener answers to its one name; another name that leads here gets 421 for pages and API."""
    for path in ("/", "/api/status", "/trust"):
        assert phone.get(path, Host=host.format(port=phone.port, own=home.port)).status == 421
    own = phone.origin.removeprefix("https://")
    assert Browser(home.port).get("/", Host=own).status == 421


@pytest.mark.parametrize(
    "origin",
    ["http://127.0.0.2:{port}", "https://127.0.0.2", "https://127.0.0.2:1", "null", "https://127.0.0.1:{port}",
     "https://127.0.0.2:{port}.evil.example", None],
)  # fmt: skip
def test_only_pages_of_the_listener_itself_may_ask(home, phone, origin):
    """A page of another origin, also of the same host without encryption, cannot post."""
    given = origin and origin.format(port=phone.port)
    assert phone.post("/api/pair", {}, Origin=given).status == 403


def test_plain_http_gets_nothing(home):
    """T2: whoever speaks without encryption to the listener gets no answer of the server."""
    own = home.network.host_header.encode()
    for data in (b"GET / HTTP/1.1\r\nHost: " + own + b"\r\n\r\n", b"\r\n\r\n", b"SSH-2.0-x\r\n", bytes(64)):
        said = raw(home, data)
        assert b"HTTP" not in said
        assert len(said) <= 7, "an alert of TLS at most"


def spoken(address: tuple[str, int], version: ssl.TLSVersion) -> str | None:
    """Returns the version that a client which speaks only this one agrees on; None if there is no connection."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = context.maximum_version = version
    try:
        with (
            socket.create_connection(address, timeout=PATIENCE_S) as plain,
            context.wrap_socket(plain) as secured,
        ):
            return secured.version()
    except (ssl.SSLError, ConnectionError):
        return None


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
def test_t2_old_versions_of_tls_are_refused(home):
    """T2: TLS 1.2 and 1.3 are spoken, 1.0 and 1.1 are not, although this client would."""
    address = home.network.listener.getsockname()[:2]
    assert spoken(address, ssl.TLSVersion.TLSv1_3) == "TLSv1.3"
    assert spoken(address, ssl.TLSVersion.TLSv1_2) == "TLSv1.2"
    for old in (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1):
        assert spoken(address, old) is None


@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no `openssl` on this system")
def test_openssl_agrees(home, tmp_path):
    """`openssl s_client` verifies chain and address; there is no compression, and renegotiation is refused."""
    root = tmp_path / "root.pem"
    root.write_text(ssl.DER_cert_to_PEM_cert(home.network.root))

    def asked(*more: str, said: str = "Q\n") -> str:
        call = ["openssl", "s_client", "-connect", home.network.host_header, "-CAfile", str(root), *more]
        done = subprocess.run(call, input=said, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        return done.stdout + done.stderr

    good = asked("-verify_ip", LAN.address, "-verify_return_error", "-tls1_2")
    assert "Verification: OK" in good
    assert "Compression: NONE" in good
    assert "X25519" in good or "ECDH" in good
    assert "IP address mismatch" in asked("-verify_ip", "127.0.0.1")
    assert "renegotiation" in asked("-tls1_2", said="R\n").partition("RENEGOTIATING")[2]
    assert "Cipher is (NONE)" in asked("-tls1_1", "-cipher", "ALL:@SECLEVEL=0")


def test_the_certificate_is_public_and_the_page_shows_no_fingerprint(home, phone):
    """Anybody may fetch the root, which is what the terminal shows; the page cannot vouch for it, and does not try."""
    answer = phone.get(CERTIFICATE)
    assert answer.headers["content-type"] == "application/x-x509-ca-cert"
    assert answer.body == home.network.root
    page = phone.get(PAGE)
    assert page.status == 200
    assert b"chorus phone trust" in page.body
    assert b"PRIVATE" not in answer.body + page.body
    assert home.network.root.hex()[:8] not in page.body.decode()
    for path in ("/trust/", "/trust/issuer.key", "/trust/..%2f", "/trust/server.key"):
        assert phone.get(path).status == 404
    root = (home.vault / "state" / "tls" / LAN.address / "root.pem").read_bytes()
    assert der(root) == answer.body


def test_a_renewed_certificate_is_used_without_a_restart(home):
    """After a renewal, new connections show the new certificate."""
    folder = home.vault / "state" / "tls" / LAN.address

    def shown() -> bytes | None:
        with LanPhone(home).connected() as secured:
            return secured.getpeercert(binary_form=True)

    first = shown()
    (folder / "server.pem").unlink()
    home.network.renew()
    assert shown() not in (first, None)
    key = (folder / "issuer.key").read_bytes()
    (folder / "issuer.key").write_bytes(b"damaged")
    (folder / "server.pem").unlink()
    home.network.renew()
    assert shown() is not None
    (folder / "issuer.key").write_bytes(key)
    home.network.renew()


def test_t2_connections_without_a_handshake_keep_nobody_out(home, phone, monkeypatch):
    """T2: a neighbour who opens connections and says nothing loses the oldest ones; a phone still gets in."""
    # So that none of them ends because of its time.
    monkeypatch.setattr(door, "HANDSHAKE_S", 3_600.0)
    address = home.network.listener.getsockname()[:2]
    idle = [socket.create_connection(address, timeout=PATIENCE_S) for _ in range(STRANGERS)]
    try:
        assert phone.get("/").status == 200

        def oldest_is_closed() -> bool:
            idle[0].setblocking(False)
            try:
                return idle[0].recv(1) == b""
            except BlockingIOError:
                return False
            except ConnectionError:
                return True

        until(oldest_is_closed)
        assert phone.get("/").status == 200
    finally:
        for each in idle:
            each.close()


def test_a_server_ends_while_strangers_are_connected(places):
    """Open connections, with and without a handshake, do not delay the end of the server."""
    with serving(*places, lan=LAN) as server:
        address = server.network.listener.getsockname()[:2]
        idle = socket.create_connection(address, timeout=PATIENCE_S)
        open_one = LanPhone(server).connected()
    idle.close()
    open_one.close()
