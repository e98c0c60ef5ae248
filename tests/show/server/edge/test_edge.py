"""Tests which requests pass the edge: every route, host, origin and method, and values that are almost right."""

from typing import cast

import pytest
from litestar import Litestar, WebSocket, get, post, websocket
from litestar.routes import ASGIRoute, HTTPRoute, WebSocketRoute

from chorus.show.server import app
from chorus.show.server.context import ServerContext
from chorus.show.server.edge import edge
from chorus.show.server.edge.asgi import App
from chorus.show.server.edge.limits import Limits
from tests.show.server.outside import HOST, ORIGIN, PORT, Counting, Outside, own

OPEN = {("POST", "/api/login"), ("POST", "/api/pair"), ("POST", "/api/pair/finish")}
"""What may be asked without a session: written down a second time, so that it cannot grow by accident."""
SCOPES = [
    ("http", "GET", "/"),
    ("http", "GET", "/assets/index-0123456789.js"),
    ("http", "GET", "/api/status"),
    ("http", "POST", "/api/ticket"),
    ("websocket", "", "/api/live"),
]
HOSTS = [b"127.0.0.1:7717", b"localhost:7717", b"[::1]:7717"]
FOREIGN_HOSTS = [
    b"",
    b"127.0.0.1",
    b"localhost",
    b"[::1]",
    b"::1",
    b"::1:7717",
    b"127.0.0.1:7718",
    b"127.0.0.1:77170",
    b"127.0.0.1:07717",
    b"127.0.0.1:7717.",
    b"127.0.0.1:",
    b"127.0.0.1.:7717",
    b"127.0.0.1.evil.example:7717",
    b"evil.example",
    b"evil.example:7717",
    b"evil.example:127.0.0.1:7717",
    b"127.0.0.1:7717@evil.example",
    b"evil.example@127.0.0.1:7717",
    b"evil.example#127.0.0.1:7717",
    b"127.0.0.1:7717, evil.example",
    b"127.0.0.1:7717 ",
    b" 127.0.0.1:7717",
    b"127.0.0.1:7717\t",
    b"0.0.0.0:7717",
    b"0:7717",
    b"127.1:7717",
    b"127.0.0.2:7717",
    b"2130706433:7717",
    b"0x7f000001:7717",
    b"0x7f.0.0.1:7717",
    b"0177.0.0.1:7717",
    b"localhost.:7717",
    b"localhost.localdomain:7717",
    b"LOCALHOST:7717",
    b"localhost:7717/",
    b"a.localhost:7717",
    b"[::]:7717",
    b"[::ffff:127.0.0.1]:7717",
    b"[0:0:0:0:0:0:0:1]:7717",
    b"[::1%25lo]:7717",
    b"xn--lcalhost-n6a:7717",
    b"127.0.0.1:7717\x00",
]
FOREIGN_ORIGINS = [
    b"",
    b"null",
    b"http://127.0.0.1",
    b"http://127.0.0.1:7718",
    b"http://127.0.0.1:717",
    b"http://127.0.0.1:77171",
    b"http://127.0.0.1:07717",
    b"https://127.0.0.1:7717",
    b"ws://127.0.0.1:7717",
    b"HTTP://127.0.0.1:7717",
    b"http://127.0.0.1:7717/",
    b"http://127.0.0.1:7717 ",
    b" http://127.0.0.1:7717",
    b"http://127.0.0.1:7717.",
    b"http://127.0.0.1:7717.evil.example",
    b"http://127.0.0.1:7717@evil.example",
    b"http://evil.example@127.0.0.1:7717",
    b"http://evil.example#http://127.0.0.1:7717",
    b"http://evil.example?http://127.0.0.1:7717",
    b"http://evil.example",
    b"https://evil.example:7717",
    b"http://evil.example:7717",
    b"http://127.0.0.1.evil.example:7717",
    b"http://localhost:7717",
    b"http://localhost",
    b"http://localhost:3000",
    b"http://[::1]:7717",
    b"http://127.0.0.2:7717",
    b"http://127.1:7717",
    b"http://2130706433:7717",
    b"http://0.0.0.0:7717",
    b"//127.0.0.1:7717",
    b"127.0.0.1:7717",
    b"file://",
    b"file:///tmp/page.html",
    b"chrome-extension://abcdefghijklmnop",
    b"vscode-webview://127.0.0.1:7717",
    b"about:blank",
    b"http://127.0.0.1:7717, http://evil.example",
    b"http://evil.example, http://127.0.0.1:7717",
    b"http://127.0.0.1:7717\x00",
]


def _nobody() -> ServerContext:
    raise AssertionError("nothing behind the edge was to be reached")


def _routes(api: Litestar) -> list[tuple[str, str, str]]:
    """Returns kind, method and address of every route."""
    found: list[tuple[str, str, str]] = []
    for route in api.routes:
        path = route.path_format.replace("{", "").replace("}", "")
        if isinstance(route, HTTPRoute):
            found += [("http", str(method), path) for method in sorted(route.methods)]
        elif isinstance(route, WebSocketRoute):
            found.append(("websocket", "", path))
        else:
            assert isinstance(route, ASGIRoute)
            found += [("http", "GET", path), ("websocket", "", path)]
    return found


@get("/api/new")
async def _new() -> str:
    return "a transcript"


@get("/newly")
async def _new_elsewhere() -> str:
    return "a transcript"


@post("/api/change")
async def _new_change() -> str:
    return "changed"


@websocket("/newly-socket")
async def _new_socket(socket: WebSocket) -> None:
    raise AssertionError("reached")


def test_every_route_needs_a_session(tmp_path):
    """A1: without a session every route answers 401, except the routes that this test lists."""
    api = app.make(_nobody)
    outside = Outside(cast("App", api), tmp_path)

    routes = [each for each in _routes(api) if each[1] != "OPTIONS" and each[1:] not in OPEN]
    assert len(routes) == len(app.HANDLERS) - len(OPEN)
    assert edge.OPEN == OPEN
    for kind, method, path in routes:
        for spelling in (path, path + "/", "/" + path, path + "%2f"):
            status = outside.ask(kind, method, spelling, own(kind, method))
            assert status == 401 or (spelling.startswith("//") and status in (404, 405)), spelling


def test_a_new_route_is_closed_until_somebody_opens_it(tmp_path):
    """A1: a new route of any kind, at any address, is closed by default."""
    api = app.make(_nobody, _new, _new_elsewhere, _new_change, _new_socket)
    outside = Outside(cast("App", api), tmp_path)

    new = [each for each in _routes(api) if each not in _routes(app.make(_nobody))]
    asked = {
        path: outside.ask(kind, method, path, own(kind, method)) for kind, method, path in new if method != "OPTIONS"
    }
    # An address outside the API is looked up among the pages, which have no such file.
    assert asked == {"/api/new": 401, "/newly": 404, "/api/change": 401, "/newly-socket": 401}


@pytest.mark.parametrize(("kind", "method", "path"), SCOPES)
def test_only_three_names_of_this_machine_are_answered(tmp_path, kind, method, path):
    """A2: requests of every kind with an unknown host are refused first, and the three known spellings pass."""
    behind = Counting()
    outside = Outside(behind, tmp_path)
    cookie = outside.log_in()

    for host in HOSTS:
        assert outside.ask(kind, method, path, own(kind, method, cookie, host=host)) != 421
    behind.reached.clear()
    for host in FOREIGN_HOSTS:
        assert outside.ask(kind, method, path, own(kind, method, cookie, host=host)) == 421, host
    nameless = own(kind, method, cookie)[1:]
    assert outside.ask(kind, method, path, nameless) == 421
    assert outside.ask(kind, method, path, [*nameless, (b"host", HOST), (b"host", HOST)]) == 421
    assert outside.ask(kind, method, path, [*nameless, (b"host", HOST), (b"host", b"evil.example")]) == 421
    assert outside.ask(kind, method, path, [*nameless, (b"x-forwarded-host", HOST)]) == 421
    assert behind.reached == []
    forwarded = own(kind, method, cookie, (b"x-forwarded-host", b"evil.example"), (b"forwarded", b"host=evil.example"))
    assert outside.ask(kind, method, path, forwarded) != 421


@pytest.mark.parametrize(
    ("kind", "method", "path"), [("websocket", "", "/api/live"), ("http", "POST", "/api/logout"), SCOPES[3]]
)
def test_only_the_server_s_own_pages_may_change_anything(tmp_path, kind, method, path):
    """A3: sockets and changes need the exact origin with its port, and nothing is accepted before this check."""
    behind = Counting()
    outside = Outside(behind, tmp_path)
    cookie = outside.log_in()
    head = [(b"host", HOST), (b"x-chorus", b"1"), cookie]

    for origin in FOREIGN_ORIGINS:
        assert outside.ask(kind, method, path, [*head, (b"origin", origin)]) == 403, origin
    assert outside.ask(kind, method, path, head) == 403
    assert outside.ask(kind, method, path, [*head, (b"authorization", b"Bearer x")]) == 403
    assert outside.ask(kind, method, path, [*head, (b"origin", ORIGIN), (b"origin", ORIGIN)]) == 403
    assert outside.ask(kind, method, path, [*head, (b"origin", ORIGIN), (b"origin", b"null")]) == 403
    assert outside.ask(kind, method, path, [*head, (b"referer", ORIGIN + b"/")]) == 403
    for site in (b"cross-site", b"same-site", b"none", b"", b"same-origin, cross-site", b"Same-Origin"):
        assert outside.ask(kind, method, path, [*head, (b"origin", ORIGIN), (b"sec-fetch-site", site)]) == 403
    assert behind.reached == []
    assert outside.ask(kind, method, path, [*head, (b"origin", ORIGIN)]) in (101, 200)
    assert outside.ask(kind, method, path, [*head, (b"origin", ORIGIN), (b"sec-fetch-site", b"same-origin")]) in (
        101,
        200,
    )
    assert behind.reached == [path, path]


TYPES = [
    b"application/json",
    b"text/plain",
    b"application/x-www-form-urlencoded",
    b"multipart/form-data; boundary=x",
    b"",
    b"application/json; charset=utf-8",
]


def test_no_foreign_page_changes_anything(tmp_path):
    """A5: every request of a foreign page is refused, even with our cookie, without side effect and CORS header."""
    behind = Counting()
    outside = Outside(behind, tmp_path)
    cookie = outside.log_in()
    changing = [path for kind, method, path in _routes(app.make(_nobody)) if method == "POST"]
    assert len(changing) == 34

    refused = 0
    for path in changing:
        for content in TYPES:
            for site in (b"cross-site", b"same-site", b"none", None):
                for origin in (b"http://evil.example", b"http://127.0.0.1:3000", b"null", None, ORIGIN):
                    for mark in ([], [(b"x-chorus", b"1")]):
                        if origin == ORIGIN and mark and site is None:
                            continue  # A page of Chorus sends this, from a browser without `Sec-Fetch-Site`.
                        head = [(b"host", HOST), (b"content-type", content), cookie, *mark]
                        head += [(b"sec-fetch-site", site)] if site is not None else []
                        head += [(b"origin", origin)] if origin is not None else []
                        assert outside.ask("http", "POST", path, head, b"{}") == 403
                        assert not any(name.startswith(b"access-control") for name in outside.headers)
                        refused += 1
    assert refused == len(changing) * 6 * (4 * 5 * 2 - 1)
    assert behind.reached == []


def test_other_methods_are_nobody_s(tmp_path):
    """A5: OPTIONS and all other methods are refused, and no answer lets another origin read it."""
    behind = Counting()
    outside = Outside(behind, tmp_path)
    cookie = outside.log_in()

    for method in ("OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "get", "POST ", "PROPFIND"):
        for path in ("/api/logout", "/api/status", "/"):
            head = own("http", method, cookie, (b"access-control-request-method", b"POST"))
            assert outside.ask("http", method, path, head) == 405
            assert not any(name.startswith(b"access-control") for name in outside.headers)
    assert outside.ask("http", "POST", "/", own("http", "POST", cookie)) == 405
    assert behind.reached == []
    assert outside.ask("http", "GET", "/api/status", own("http", "GET", cookie)) == 200
    assert not any(name.startswith(b"access-control") for name in outside.headers)


def test_reading_is_for_our_own_pages_too(tmp_path):
    """Reads from a foreign page are refused. A link to a page of Chorus can be followed, and reaches nothing."""
    behind = Counting()
    outside = Outside(behind, tmp_path)
    cookie = outside.log_in()
    visit = [(b"sec-fetch-mode", b"navigate"), (b"sec-fetch-dest", b"document")]

    def ask(path: str, site: bytes, *more: tuple[bytes, bytes]) -> int:
        return outside.ask("http", "GET", path, [(b"host", HOST), (b"sec-fetch-site", site), cookie, *more])

    for site in (b"cross-site", b"same-site"):
        assert ask("/api/status", site) == 403
        assert ask("/api/status", site, *visit) == 403
        assert ask("/assets/x.js", site) == 403
        assert ask("/", site) == 403
        assert ask("/", site, (b"sec-fetch-mode", b"navigate"), (b"sec-fetch-dest", b"iframe")) == 403
        assert ask("/", site, *visit) == 200
    assert ask("/api/status", b"same-origin", (b"origin", b"http://evil.example")) == 403
    assert behind.reached == []
    assert ask("/api/status", b"none") == 200


def test_what_is_too_large_is_refused(tmp_path):
    """Heads over 16 KiB and bodies over 2 MB are refused, with or without a stated length."""
    behind = Counting()
    outside = Outside(behind, tmp_path, Limits(body_bytes=1_000, message_bytes=8_000))
    head = own("http", "POST", outside.log_in())

    assert outside.ask("http", "POST", "/api/ticket", [*head, (b"x", b"a" * (16 << 10))]) == 431
    assert outside.ask("http", "POST", "/api/ticket", [*head, (b"content-length", b"1001")], b"x" * 1_001) == 413
    assert outside.ask("http", "POST", "/api/ticket", [*head, (b"content-length", b"9" * 5_000)]) == 413
    assert outside.ask("http", "POST", "/api/ticket", [*head, (b"content-length", b"-1")]) == 413
    assert behind.reached == []
    assert outside.ask("http", "POST", "/api/ticket", head, b"x" * 1_001) == 413
    larger = [*head, (b"content-length", b"1001")]
    assert outside.ask("http", "POST", "/api/runs", larger, b"x" * 1_001) != 413, "it may bring a picture"
    assert outside.ask("http", "POST", "/api/runs", [*head, (b"content-length", b"9000")], b"x" * 9_000) == 413
    assert outside.ask("http", "POST", "/api/ticket", [*head, (b"content-length", b"1000")], b"x" * 1_000) == 200


def test_a_session_cannot_be_declared(tmp_path):
    """A10: only the secret of a session proves a session, and nothing else in a request does."""
    behind = Counting()
    outside = Outside(behind, tmp_path)
    _, good = outside.log_in()
    secret = good.partition(b"=")[2]

    for claim in (
        (b"chorus.login", b"admin"),
        (b"authorization", b"Bearer " + secret),
        (b"x-chorus-login", secret),
        (b"x-forwarded-user", b"root"),
        (b"cookie", b"chorus=" + secret),
        (b"cookie", b"chorus_7718=" + secret),
        (b"cookie", b"chorus_7717=" + secret[:-1]),
        (b"cookie", b"chorus_7717=" + secret + b"x"),
        (b"cookie", b"chorus_7717="),
        (b"cookie", b"CHORUS_7717=" + secret),
        (b"cookie", b"x=chorus_7717=" + secret),
        (b"cookie", b'chorus_7717="' + secret + b'"'),
    ):
        assert outside.ask("http", "GET", "/api/status", own("http", "GET", claim)) == 401, claim
    assert behind.reached == []
    both = b"chorus_7717=planted; chorus_7717=" + secret
    assert outside.ask("http", "GET", "/api/status", own("http", "GET", (b"cookie", both))) == 200


def test_what_fails_behind_the_edge_says_nothing(tmp_path):
    """An unexpected error becomes a `Problem` without the text of the error."""

    async def failing(scope, receive, send):
        raise RuntimeError("secret words of a transcript")

    outside = Outside(failing, tmp_path)
    assert outside.ask("http", "GET", "/api/status", own("http", "GET", outside.log_in())) == 500
    assert b"secret" not in outside.sent[1]["body"]
    assert outside.ask("websocket", "", "/api/live", own("websocket", "", outside.log_in())) == 500
    assert PORT == 7717
