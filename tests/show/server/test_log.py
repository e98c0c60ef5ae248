"""What is written down: enough to find a fault, and nothing that anybody said."""

import json
import stat

import pytest
from litestar import get

from chorus.show.server import app, log
from tests.show.server.serving import Browser, serving, session_of, until

CANARY = "canaryword"


def test_neither_words_nor_queries_nor_tokens_are_logged(places, capfd):
    """A whole visit with one word in every place that somebody can fill; the log and the terminal know none of it."""
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


def test_an_error_nobody_foresaw_is_told_by_its_place(places, monkeypatch):
    """The wire says that it happened, the log where, neither what was said."""
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
    """Names of workspaces are nobody's business."""
    assert log.route(path) == shown


def test_every_route_can_be_told_from_the_log():
    """A route that is added is named there, too."""
    addresses = [path for handler in app.HANDLERS for path in handler.paths]

    assert [path for path in addresses if log.route(path) == "(elsewhere)"] == []


def test_the_log_does_not_grow_for_ever(tmp_path, monkeypatch):
    """It is turned over, and the old parts are as private as the new one."""
    monkeypatch.setattr(log, "_MAX_BYTES", 1_000)
    handlers = log.open_log(tmp_path, is_verbose=False)
    for number in range(200):
        log.logger.info("line %d", number)
    log.close_log(handlers)
    parts = list((tmp_path / "logs").iterdir())
    assert len(parts) == 4
    assert all(part.stat().st_size <= 1_000 and stat.S_IMODE(part.stat().st_mode) == 0o600 for part in parts)
