"""Serves the web application's HTML page and its assets. They need no login, because they contain no data.

They are read once, when the server starts: a program of the same user that changes them later, such as an agent, does
not get its script into the person's browser, whose key may approve.
"""

import re
from pathlib import Path

from msgspec import Struct

from chorus.show.server.edge.asgi import App, Receive, Scope, Send
from chorus.show.server.errors import not_found

BUNDLE = Path(__file__).parents[1] / "app"
"""The folder of the built web application."""
SHELL = "index.html"
BUILD = "./dev serve"
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
    ".png": "image/png",
    ".ico": "image/x-icon",
}
"""Files with other suffixes are not served."""
_HASHED = re.compile(r"/assets/[^/]+-[A-Za-z0-9_-]{8,}\.[a-z0-9.]+")
_FOR_EVER = "public, max-age=31536000, immutable"
_PLAIN = """<!doctype html>
<meta charset="utf-8">
<title>Chorus</title>
<h1>The application was not built</h1>
<p>The server runs, and its API answers. In a checkout of the source, <code>{command}</code> builds the pages;
an installed Chorus brings them along.</p>
"""


class _File(Struct, frozen=True):
    body: bytes
    headers: tuple[tuple[bytes, bytes], ...]


def pages(bundle: Path = BUNDLE, *, command: str = BUILD) -> App:
    """Returns an ASGI application that serves the files of the bundle as they are now, and its HTML page for every
    address of the web application. No other file can be reached."""
    known = _files(bundle)

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        found = known.get(f"/{SHELL}" if is_page(path) else path)
        if found is not None:
            body, headers = found.body, list(found.headers)
        elif is_page(path):
            body = _PLAIN.format(command=command).encode()
            headers = [(b"content-type", b"text/html; charset=utf-8"), (b"cache-control", b"no-store")]
        else:
            raise not_found("There is nothing at this address.")
        headers.append((b"content-length", str(len(body)).encode()))
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})

    return answer


_PAGES = (
    "/",
    "/search",
    "/compare",
    "/board",
    "/now",
    "/approvals",
    "/rules",
    "/budgets",
    "/usage",
    "/new",
    "/settings",
    "/pair",
    f"/{SHELL}",
)


def is_page(path: str) -> bool:
    """Returns whether the web application handles this address itself."""
    return path in _PAGES or path.startswith(("/c/", "/blame/"))


def _files(bundle: Path) -> dict[str, _File]:
    found: dict[str, _File] = {}
    for path in sorted(bundle.rglob("*")):
        media_type = _TYPES.get(path.suffix)
        if media_type is not None and path.is_file() and not path.is_symlink():
            address = "/" + path.relative_to(bundle).as_posix()
            kept = _FOR_EVER if _HASHED.fullmatch(address) else "no-cache"
            headers = ((b"content-type", media_type.encode()), (b"cache-control", kept.encode()))
            found[address] = _File(path.read_bytes(), headers)
    return found
