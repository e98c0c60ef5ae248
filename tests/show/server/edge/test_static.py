"""Tests that the server sends the page and its assets to everybody, and only files from its list."""

import pytest

from chorus.show.server.edge.static import pages
from tests.show.server.outside import Counting, Outside, own


@pytest.fixture
def outside(tmp_path):
    bundle = tmp_path / "app"
    (bundle / "assets").mkdir(parents=True)
    (bundle / "index.html").write_text("<!doctype html>shell")
    (bundle / "assets" / "index-Ab12_-xY.js").write_text("run()")
    (bundle / "assets" / "plain.css").write_text("a{}")
    (bundle / "bundle.sha256").write_text("digest")
    (bundle / "link.js").symlink_to(tmp_path / "secret.js")
    (tmp_path / "secret.js").write_text("secret")
    found = Outside(Counting(), tmp_path)
    found.edge._pages = pages(bundle)
    return found


def _body(outside: Outside, path: str, method: str = "GET") -> tuple[int, bytes]:
    status = outside.ask("http", method, path, own("http", method))
    return status, outside.sent[1]["body"]


def test_every_page_of_the_application_is_the_shell(outside):
    """Every page address gets the same HTML file, because the application reads the address itself."""
    for path in ("/", "/search", "/approvals", "/new", "/settings", "/c/w/main/0", "/c/", "/blame/w", "/index.html"):
        assert _body(outside, path) == (200, b"<!doctype html>shell")
        assert outside.headers[b"cache-control"] == b"no-cache"
    assert _body(outside, "/", "HEAD") == (200, b"")
    assert outside.headers[b"content-length"] == b"20"


def test_assets_have_their_type_and_are_kept_for_ever_if_their_name_says_what_they_are(outside):
    """Assets have their media type, and only an asset with a digest in its name is cached for ever."""
    assert _body(outside, "/assets/index-Ab12_-xY.js") == (200, b"run()")
    assert outside.headers[b"cache-control"] == b"public, max-age=31536000, immutable"
    assert outside.headers[b"content-type"] == b"text/javascript; charset=utf-8"
    assert _body(outside, "/assets/plain.css") == (200, b"a{}")
    assert outside.headers[b"cache-control"] == b"no-cache"


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.js",
        "/assets/../../secret.js",
        "/assets/%2e%2e/secret.js",
        "//etc/passwd",
        "/etc/passwd",
        "/link.js",
        "/bundle.sha256",
        "/assets",
        "/assets/",
        "/assets/index-Ab12_-xY.js/",
        "/assets/index-Ab12_-xY.js\x00",
        "/apix",
        "/.git/config",
        "/static.py",
    ],
)
def test_nothing_else_is_a_file(outside, path):
    """The server looks paths up in a list and never on the disk, so every other path is not found."""
    assert outside.ask("http", "GET", path, own("http", "GET")) == 404
    assert b"secret" not in outside.sent[1]["body"]


def test_what_is_changed_later_is_not_served(outside, tmp_path):
    """The server sends the pages and scripts from its start, whatever another program writes in their place."""
    app = tmp_path / "app"
    (app / "assets" / "index-Ab12_-xY.js").write_text("sign()")
    (app / "assets" / "another-Ab12_-xY.js").write_text("sign()")
    (app / "index.html").write_text("<!doctype html><script src=/assets/another-Ab12_-xY.js></script>")

    assert _body(outside, "/") == (200, b"<!doctype html>shell")
    assert _body(outside, "/assets/index-Ab12_-xY.js") == (200, b"run()")
    assert outside.ask("http", "GET", "/assets/another-Ab12_-xY.js", own("http", "GET")) == 404


def test_without_a_bundle_the_page_says_what_to_do(tmp_path):
    """Without a built page, the server sends a page that names the command and needs neither script nor style."""
    outside = Outside(Counting(), tmp_path)
    status, body = _body(outside, "/")
    assert status == 200
    assert b"./dev serve" in body and b"<script" not in body and b"style" not in body
    assert outside.ask("http", "GET", "/assets/x.js", own("http", "GET")) == 404
