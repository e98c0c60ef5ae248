"""Tests of T2: a neighbour in the same network listens, replays, guesses and stands in between, and gets nothing.

Old versions of TLS, plain HTTP and rebinding are in `tests/show/server/network/test_listening.py`.
"""

import contextlib
import http.client
import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
import textwrap
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from chorus.show.server.network.certificate_authority import make_certificate_authority, make_server_certificate
from tests.security.neighbour import between
from tests.show.server.lan import LAN, LanPhone, needs_lan
from tests.show.server.pairing_steps import claim_of, offered, paired
from tests.show.server.serving import PATIENCE_S, Browser, serving, session_of, until

CANARY = "the canary of the harbour sings at noon"
REPLAYS = 100
GUESSES = 1_000
MAX_EVALUATED = 14
"""Two in a minute and twelve in an hour, as for login links."""


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A server with one conversation that phones reach."""
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "vault"))
    with serving(tmp_path / "vault", tmp_path / "client", lan=LAN) as server:
        server.write(session_of(CANARY))
        browser = server.browser()
        until(lambda: browser.get("/api/conversations").json.get("conversations"))
        yield server


def read_everything(phone: Browser) -> bytes:
    """Reads as a page does: the list, a transcript, and the live socket."""
    listed = phone.get("/api/conversations")
    name = listed.json["conversations"][0]["name"]
    rows = phone.get(f"/api/conversations/{name}/rows")
    with phone.live() as live:
        live.until(lambda frame: frame["type"] == "welcome")
    return listed.body + rows.body


@needs_lan
def test_t2_a_neighbour_hears_no_secret_and_no_content(home):
    """T2: while a phone pairs, reads and follows, the wire carries no secret, no content and no address of a page.

    The same neighbour on the way to loopback, which is not encrypted, hears all of it.
    """
    computer = home.browser()
    for is_tls in (True, False):
        target = home.network.listener.getsockname()[:2] if is_tls else ("127.0.0.1", home.port)
        with between(target) as neighbour:
            phone = LanPhone(home, neighbour.address) if is_tls else _Plain(home.port, neighbour.address)
            secret = offered(computer, "read")
            claimed = phone.post("/api/pair", claim_of(secret, "read", name=f"heard {is_tls}")).json
            computer.post("/api/devices/pairing/answer", {"code": claimed["code"], "is_confirmed": True})
            assert phone.post("/api/pair/finish", {"claim": claimed["claim"]}).json == {"is_paired": True}
            assert phone.cookie is not None
            assert CANARY.encode() in read_everything(phone)
            secrets = [secret, claimed["claim"], claimed["code"], phone.cookie.partition("=")[2]]
            known = [each.encode() for each in (*secrets, CANARY, "/api/", "Cookie", "chorus_", "Sec-WebSocket")]
            heard = [each for each in known if each in neighbour.heard]
            assert len(neighbour.heard) > 4_000
            assert heard == ([] if is_tls else known)


class _Plain(Browser):
    """A browser without encryption whose way leads through a neighbour."""

    def __init__(self, port: int, through: tuple[str, int]) -> None:
        super().__init__(port)
        self._through = through

    def connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(*self._through, timeout=PATIENCE_S)

    def socket(self, path: str = "/api/live", **options):
        return super().socket(path, sock=socket.create_connection(self._through, timeout=PATIENCE_S), **options)


@needs_lan
def test_t2_what_was_heard_cannot_be_replayed(home):
    """T2: the recorded bytes of a pairing, sent again a hundred times, log nobody in and are not answered."""
    computer, target = home.browser(), home.network.listener.getsockname()[:2]
    with between(target) as neighbour:
        paired(computer, LanPhone(home, neighbour.address), "read", name="replayed")
        recorded = [bytes(each) for each in neighbour.sent if each]
    before = (home.vault / "state" / "logins.json").read_bytes()
    offered(computer, "read")
    answered = b""
    for number in range(REPLAYS):
        with socket.create_connection(target, timeout=PATIENCE_S) as again, contextlib.suppress(OSError):
            again.sendall(recorded[number % len(recorded)])
            again.shutdown(socket.SHUT_WR)
            while piece := again.recv(1 << 16):
                answered += piece
    assert b"HTTP/1.1" not in answered
    assert (home.vault / "state" / "logins.json").read_bytes() == before
    assert len(computer.get("/api/devices").json["devices"]) == 1
    assert computer.get("/api/devices").json["pairing"]["state"] == "offered"
    print(f"T2: {REPLAYS} replays of {len(recorded)} connections, 0 answered")


@needs_lan
def test_t2_a_neighbour_cannot_answer_in_place_of_the_server(home, tmp_path):
    """T2: a phone that trusts our root refuses a neighbour with a certificate of another authority of the same name."""
    pair = make_server_certificate(make_certificate_authority(LAN, datetime.now(UTC))[1], LAN, datetime.now(UTC))
    (tmp_path / "chain").write_bytes(pair.certificates)
    (tmp_path / "key").write_bytes(pair.key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "chain", tmp_path / "key")
    with socket.create_server(("127.0.0.3", 0)) as listener:
        phone = LanPhone(home, listener.getsockname()[:2])
        thread = threading.Thread(target=_answer_once, args=(listener, context), daemon=True)
        thread.start()
        with pytest.raises(ssl.SSLCertVerificationError, match="CERTIFICATE_VERIFY_FAILED"):
            phone.get("/")
        thread.join(PATIENCE_S)
    assert LanPhone(home).get("/").status == 200


def _answer_once(listener: socket.socket, context: ssl.SSLContext) -> None:
    with contextlib.suppress(OSError):
        connection, _ = listener.accept()
        with context.wrap_socket(connection, server_side=True):
            pass


@needs_lan
def test_t2_guesses_over_the_network_are_bounded(home):
    """T2, A9: of a thousand guesses of pairing codes at most 14 are examined, of login links none; others notice
    nothing."""
    computer, phone, stranger = home.browser(), LanPhone(home), LanPhone(home)
    paired(computer, phone, "read", name="undisturbed")
    offered(computer, "read")
    evaluated = refused = 0
    with contextlib.closing(stranger.connection()) as line:
        for number in range(GUESSES):
            head = {"Host": stranger.origin.removeprefix("https://"), "Origin": stranger.origin, "X-Chorus": "1"}
            body = json.dumps(claim_of(f"guess {number}", "read", name="stranger"))
            line.request("POST", "/api/pair", body, head | {"Content-Type": "application/json"})
            answer = line.getresponse()
            answer.read()
            evaluated += answer.status == 401
            refused += answer.status == 429
    assert evaluated <= MAX_EVALUATED
    assert evaluated + refused == GUESSES
    for number in range(20):
        assert stranger.post("/api/login", {"token": f"guess {number}"}).status == 403
        assert stranger.post("/api/pair/finish", {"claim": f"guess {number}"}).status in (401, 429)
    assert phone.get("/api/status").status == 200
    assert home.browser().get("/api/status").status == 200
    assert stranger.cookie is None
    print(f"T2: {GUESSES} guesses, {evaluated} examined")


NEIGHBOUR = """
import socket, ssl, sys
port = int(sys.argv[1])
context = ssl.create_default_context(cafile=sys.argv[2])
found = {}
for name, address in (("lan", "10.213.7.1"), ("loopback", "127.0.0.1"), ("other", "10.213.8.1")):
    try:
        with socket.create_connection((address, port), timeout=5) as plain:
            with context.wrap_socket(plain, server_hostname=address) as secured:
                secured.sendall(b"GET /api/status HTTP/1.1\\r\\nHost: %s:%d\\r\\nConnection: close\\r\\n\\r\\n"
                                % (address.encode(), port))
                found[name] = secured.recv(12).decode()
    except OSError as error:
        found[name] = type(error).__name__
print(found)
"""


def _cannot_make_networks() -> str | None:
    if sys.platform != "linux" or os.geteuid() != 0 or shutil.which("ip") is None:
        return "only root on Linux can make networks"
    done = subprocess.run(["unshare", "--net", "true"], capture_output=True, check=False)
    return None if done.returncode == 0 else "this system does not allow network namespaces"


@pytest.mark.skipif(_cannot_make_networks() is not None, reason=_cannot_make_networks() or "")
def test_t2_a_neighbour_in_a_network_of_its_own_reaches_one_address(tmp_path):
    """T2: from another machine (a network namespace) `chorus serve --lan` answers at the one address, with 401."""
    script = f"""
        set -e
        ip link set lo up
        unshare --net sleep 600 & other=$!
        trap 'kill $other $server 2>/dev/null' EXIT
        sleep 0.5
        ip link add near type veth peer name far
        ip addr add 10.213.7.1/24 dev near; ip addr add 10.213.8.1/24 dev near; ip link set near up
        ip link set far netns $other
        alias_of="nsenter --net=/proc/$other/ns/net"
        $alias_of ip addr add 10.213.7.2/24 dev far; $alias_of ip link set far up; $alias_of ip link set lo up
        $alias_of ip route add 10.213.8.0/24 dev far
        {sys.executable} -m chorus serve --no-open --port 7717 --lan 10.213.7.1 >out 2>&1 & server=$!
        for _ in $(seq 300); do grep -q Ctrl-C out && break; sleep 0.2; done
        cat out
        $alias_of {sys.executable} neighbour.py 7717 vault/state/tls/10.213.7.1/root.pem
    """
    (tmp_path / "neighbour.py").write_text(NEIGHBOUR)
    environment = os.environ | {"CHORUS_HOME": str(tmp_path / "vault"), "CLAUDE_CONFIG_DIR": str(tmp_path / "client")}
    done = subprocess.run(
        ["unshare", "--net", "sh", "-c", textwrap.dedent(script)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert "'lan': 'HTTP/1.1 401'" in done.stdout, done
    assert "'loopback': 'ConnectionRefusedError'" in done.stdout
    assert "'other': 'ConnectionRefusedError'" in done.stdout
    assert Path(tmp_path / "vault" / "state" / "tls").is_dir()
