"""Tests the security headers of every class of response."""

import socket

import pytest

from chorus.show.server.edge.headers import with_security_headers
from tests.show.server.serving import Browser, Serving, until

ALWAYS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' blob:; "
    "connect-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; object-src 'none'; "
    "require-trusted-types-for 'script'; trusted-types chorus"
)
API = ALWAYS | {"content-security-policy": POLICY, "cache-control": "no-store", "content-type": "application/json"}
PAGE = ALWAYS | {"content-security-policy": POLICY, "content-type": "text/html; charset=utf-8"}
BLOB = ALWAYS | {
    "content-security-policy": "sandbox; default-src 'none'",
    "cache-control": "no-store",
    "content-type": "application/octet-stream",
}
OF_THE_ANSWER = {"date", "content-length", "connection", "set-cookie", "content-disposition"}


def _headers(answer) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name not in OF_THE_ANSWER}


def test_every_class_of_response_has_its_headers(server: Serving, browser: Browser):
    """B3: pages, answers, refusals and files have exactly the expected headers."""
    name = until(lambda: browser.get("/api/conversations").json.get("conversations"))[0]["name"]
    record = f"/api/conversations/{name}/record?stream=session&at=0"
    nobody = Browser(server.port)

    of_the_api = {
        "an answer": browser.get("/api/status"),
        "a record": browser.get(record),
        "no such address": browser.get("/api/nowhere"),
        "an invalid parameter": browser.get("/api/conversations?limit=x"),
        "nobody": nobody.get("/api/status"),
        "another host": nobody.get("/", Host="evil.example"),
        "no such page": nobody.get("/nowhere"),
        "another origin": nobody.post("/api/login", {"token": "x"}, Origin="http://evil.example"),
        "a change": browser.post("/api/ticket"),
    }
    assert {name: _headers(answer) for name, answer in of_the_api.items()} == dict.fromkeys(of_the_api, API)
    assert _headers(browser.get(f"{record}&download=1")) == BLOB
    page = _headers(nobody.get("/"))
    assert page.pop("cache-control") in ("no-store", "no-cache")
    assert page == PAGE
    out = browser.post("/api/logout")
    assert (out.status, out.body) == (204, b"")
    assert {name: out.headers[name] for name in ALWAYS} == ALWAYS
    print(f"B3: {len(of_the_api) + 3} classes of responses, all with exactly their headers")


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET / HTTP/1.1\r\nhost\r\n\r\n", b"400"),
        (b"GET http://127.0.0.1/ HTTP/1.1\r\nHost: evil\r\n\r\n", b"400"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nx: " + b"a" * (40 << 10), b"431"),
    ],
)
def test_what_is_no_request_is_answered_with_the_same_headers(server: Serving, request_, status):
    """B3: an invalid request has the same headers, although it is refused before it reaches the application."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(request_)
        answer = b""
        while chunk := connection.recv(65_536):
            answer += chunk
    head = answer.partition(b"\r\n\r\n")[0].lower()
    assert head.split()[1] == status
    for name, value in (ALWAYS | {"content-security-policy": POLICY, "cache-control": "no-store"}).items():
        assert f"{name}: {value}".encode() in head


def test_a_refused_socket_is_answered_with_the_same_headers(server: Serving):
    """B3: a refused socket has the same headers, because it is a normal request until it is accepted."""
    nobody = Browser(server.port)
    upgrade = {
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
    }
    for origin, status in ((nobody.origin, 401), ("http://evil.example", 403)):
        answer = nobody.send("GET", "/api/live", None, {**upgrade, "Origin": origin})
        assert answer.status == status
        assert _headers(answer) == API


_HANDSHAKE = {"Upgrade": "websocket", "Connection": "Upgrade"}
_KEY = {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}


@pytest.mark.parametrize(
    "handshake",
    [
        _HANDSHAKE,
        _HANDSHAKE | {"Sec-WebSocket-Key": "short", "Sec-WebSocket-Version": "13"},
        _HANDSHAKE | {"Sec-WebSocket-Key": "\xff" * 24, "Sec-WebSocket-Version": "13"},
        _HANDSHAKE | _KEY,
        _HANDSHAKE | _KEY | {"Sec-WebSocket-Version": "12"},
        _HANDSHAKE | _KEY | {"Sec-WebSocket-Version": "13", "Sec-WebSocket-Protocol": "a,,\x80"},
        _HANDSHAKE | _KEY | {"Sec-WebSocket-Version": "13", "Upgrade": "WebSocket, h2c"},
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "BREW"])
def test_a_malformed_handshake_is_answered_with_the_same_headers(server: Serving, browser: Browser, handshake, method):
    """B3: a malformed handshake gets the same headers from every part of the server that can refuse it."""
    answer = browser.send(method, "/api/live", None, {**handshake, "Origin": browser.origin})
    assert answer.status >= 400
    found = {name: answer.headers.get(name) for name in ALWAYS}
    assert found == ALWAYS
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["content-security-policy"] == POLICY
    assert "server" not in answer.headers


def test_nothing_lets_another_origin_read():
    """The security headers replace those of the application, so no header lets another origin read a response."""
    found = with_security_headers(
        [
            (b"Access-Control-Allow-Origin", b"*"),
            (b"Server", b"somebody"),
            (b"X-Content-Type-Options", b"sniff"),
            (b"Cross-Origin-Resource-Policy", b"cross-origin"),
            (b"Cache-Control", b"no-cache"),
        ]
    )
    assert sorted(name for name, _ in found) == sorted(
        [*map(str.encode, ALWAYS), b"content-security-policy", b"cache-control"]
    )
    assert dict(found)[b"x-content-type-options"] == b"nosniff"
    assert dict(found)[b"cache-control"] == b"no-cache"
