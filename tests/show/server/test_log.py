"""Tests that the log has enough to find a fault and nothing that a person or a model wrote."""

import json
import stat

import pytest
from litestar import get

from chorus.show.server import app, log
from tests.show.server.serving import Browser, serving, session_of, until

CANARY = "canaryword"


def test_neither_words_nor_queries_nor_tokens_are_logged(places, capfd):
    """A word that is used in every input of a visit appears neither in the log nor in the terminal."""
    vault, _ = places
    handlers = log.open_log(vault, is_verbose=True)
    session = session_of(f"{CANARY} in a prompt", cwd=f"/home/{CANARY}")
    session.title(f"{CANARY} in a title")
    try:
        with serving(*places) as server:
            server.write(session)
            token = server.link()
            browser = Browser(server.port)
            assert browser.post("/api/login", {"token": token}).status == 204
            name = until(lambda: browser.get("/api/conversations").json.get("conversations"))[0]["name"]
            assert CANARY in name
            for path in (
                f"/api/search?q={CANARY}",
                f"/api/search?q=({CANARY}",
                f"/api/conversations/{name}/rows",
                f"/api/conversations/{name}/rows?after={CANARY}",
                f"/api/{CANARY}",
                f"/{CANARY}",
                f"/api/complete?q={CANARY}",
            ):
                browser.get(path)
            browser.get("/api/status", Host=CANARY)
            browser.post("/api/login", {"token": CANARY})
            with browser.live(follow=[name]) as live:
                live.next()
                live.say(CANARY)
            page = browser.get("/").body
            cookie = (browser.cookie or "").partition("=")[2]
    finally:
        log.close_log(handlers)
    written = b"".join(path.read_bytes() for path in (vault / "logs").iterdir())
    said = "".join(capfd.readouterr())
    for secret in (CANARY, token, cookie):
        assert secret and secret.encode() not in written
        assert secret not in said
        assert secret.encode() not in page
    assert b"serving on port" in written
    for path in (vault / "logs").iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


@get("/api/failing")
async def _failing() -> None:
    raise ValueError(f"{CANARY} of a transcript")


def test_an_unexpected_error_is_logged_with_its_place(places, monkeypatch):
    """For an unexpected error, the answer says that it happened and the log says where, both without its text."""
    vault, _ = places
    handlers = log.open_log(vault, is_verbose=False)
    monkeypatch.setattr(app, "HANDLERS", [*app.HANDLERS, _failing])
    try:
        with serving(*places) as server:
            answer = server.browser().get("/api/failing")
    finally:
        log.close_log(handlers)
    assert (answer.status, answer.kind) == (500, "internal")
    assert CANARY not in json.dumps(answer.json) and "Traceback" not in answer.body.decode()
    written = (vault / "logs" / "serve.log").read_text()
    assert "GET (elsewhere): ValueError" in written and "test_log.py" in written and CANARY not in written


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/api/conversations/w/main/c/rows", "/api/conversations/…/rows"),
        ("/api/conversations/w/main/c", "/api/conversations/…"),
        ("/api/status", "/api/status"),
        ("/api/conversations", "/api/conversations"),
        ("/api/approvals/0123456789abcdef", "/api/approvals/…"),
        ("/api/runs/0123456789ab/messages", "/api/runs/…/messages"),
        ("/api/conversations/w/main/c/secret", "(elsewhere)"),
        ("/api/secret", "(elsewhere)"),
        ("/api/status/secret", "(elsewhere)"),
        ("/secret", "(elsewhere)"),
        ("", "(elsewhere)"),
    ],
)
def test_addresses_are_logged_by_their_kind(path, shown):
    """The log has the kind of an address and not the names in it, because names of workspaces are private."""
    assert log.route(path) == shown


def test_every_route_can_be_recognised_in_the_log():
    """The log names every route, so a new route must be added there."""
    addresses = [path for handler in app.HANDLERS for path in handler.paths]

    assert [path for path in addresses if log.route(path) == "(elsewhere)"] == []


def test_the_log_does_not_grow_for_ever(tmp_path, monkeypatch):
    """The log is rotated, and old parts are as private as the new one."""
    monkeypatch.setattr(log, "_MAX_BYTES", 1_000)
    handlers = log.open_log(tmp_path, is_verbose=False)
    for number in range(200):
        log.logger.info("line %d", number)
    log.close_log(handlers)
    parts = list((tmp_path / "logs").iterdir())
    assert len(parts) == 4
    assert all(part.stat().st_size <= 1_000 and stat.S_IMODE(part.stat().st_mode) == 0o600 for part in parts)
