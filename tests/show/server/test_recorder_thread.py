"""Tests that the recorder in the server reports a problem as long as it lasts, and never gives up."""

import pytest

from chorus.errors import ChorusError, VaultUnwritable
from chorus.find.indexing.index_keeper import IndexKeeper
from chorus.keep.sources.sync import Sync
from chorus.show.recorder import indexing
from chorus.show.server import recorder_thread
from tests.show.server.serving import serving, session_of, until


def _trouble(browser):
    return browser.get("/api/status").json["trouble"]


def test_a_full_disk_is_reported_until_there_is_room(places, monkeypatch):
    """Lines that could not be stored are stored later, and the status shows the problem until then."""
    full = True

    def with_room(act):
        def acting(self, *arguments, **more):
            if full:
                raise VaultUnwritable("no room")
            return act(self, *arguments, **more)

        return acting

    with serving(*places) as server:
        session = session_of("first")
        server.write(session)
        browser = server.browser()
        until(lambda: browser.get("/api/conversations").json.get("conversations"))
        for name in ("look", "run"):
            monkeypatch.setattr(Sync, name, with_room(getattr(Sync, name)))
        session.user("while there is no room")
        server.write(session)
        assert until(lambda: _trouble(browser)) == "no room; will try again"
        full = False
        session.user("now there is")
        server.write(session)
        until(lambda: _trouble(browser) is None)
        until(lambda: browser.get("/api/search?q=while").json["hits"])


def test_an_index_that_cannot_be_written_is_tried_again(places, monkeypatch):
    """While the index cannot be written, sessions are stored, and they are found when it works again."""
    failed: list[str] = []

    def failing_once(act):
        def acting(self, *arguments, **more):
            if not failed:
                failed.append(act.__name__)
                raise ChorusError("no room for an index")
            return act(self, *arguments, **more)

        return acting

    monkeypatch.setattr(indexing, "AGAIN_S", 0.0)
    monkeypatch.setattr("chorus.keep.sources.watcher.SWEEP_S", 0.2)
    with serving(*places) as server:
        session = session_of("first")
        server.write(session)
        browser = server.browser()
        until(lambda: browser.get("/api/conversations").json.get("conversations"))
        for act in (IndexKeeper.take, IndexKeeper.catch_up):
            monkeypatch.setattr(IndexKeeper, act.__name__, failing_once(act))
        session.user("unfound")
        server.write(session)
        until(lambda: browser.get("/api/search?q=unfound").json["hits"])
        until(lambda: _trouble(browser) is None)
    assert failed


def test_a_first_pass_that_fails_is_tried_again(places, monkeypatch):
    """The server answers while the first pass fails, and its status says what is wrong."""
    monkeypatch.setattr(recorder_thread, "AGAIN_S", 0.1)
    fails = True
    run = Sync.run

    def running(self, *arguments):
        if fails:
            raise VaultUnwritable("the disk is full")
        return run(self, *arguments)

    monkeypatch.setattr(Sync, "run", running)
    with serving(*places) as server:
        browser = server.browser()
        status = until(lambda: (found := browser.get("/api/status").json)["state"] == "failed" and found)
        assert status["trouble"].startswith("the disk is full")
        fails = False
        status = until(lambda: (found := browser.get("/api/status").json)["state"] == "watching" and found)
        assert status["trouble"] is None


@pytest.mark.parametrize("error", [RuntimeError("secret words"), MemoryError()])
def test_an_unexpected_error_is_reported_without_its_words(places, monkeypatch, error):
    """The server reports an unexpected error without its text and continues."""

    def failing(self, *arguments):
        raise error

    monkeypatch.setattr(Sync, "run", failing)
    with serving(*places) as server:
        browser = server.browser()
        trouble = until(lambda: _trouble(browser))
        assert "secret" not in trouble and "log" in trouble
        assert browser.get("/").status == 200


def test_where_nothing_can_be_watched_it_looks_now_and_then(places, monkeypatch):
    """If no folder can be watched, the recorder polls, and the status says so permanently."""

    def watch(*_, **__):
        raise OSError("no watches left")

    monkeypatch.setattr("watchfiles._rust_notify.RustNotify", watch)
    monkeypatch.setattr("chorus.keep.sources.watcher.POLL_S", 0.1)
    with serving(*places) as server:
        session = session_of("first")
        server.write(session)
        browser = server.browser()
        until(lambda: browser.get("/api/conversations").json.get("conversations"))
        assert "no watches left" in until(lambda: _trouble(browser))
        session.user("found by looking")
        server.write(session)
        until(lambda: browser.get("/api/search?q=looking").json["hits"])
        assert "no watches left" in _trouble(browser)


def test_damage_of_the_vault_is_reported(places):
    """A cut stream that was recorded again is listed as mended, and one that no source has any more as lost."""
    with serving(*places) as server:
        kept, gone = session_of("still there"), session_of("gone", session_id="77777777-0000-4000-8000-000000000000")
        server.write(kept)
        lost = server.write(gone)
        browser = server.browser()
        until(lambda: len(browser.get("/api/conversations").json.get("conversations", ())) == 2)
        assert browser.get("/api/status").json["mended"] == browser.get("/api/status").json["lost"] == []
        files = {path.stem: path for path in server.vault.glob("conversations/*/*/*.jsonl")}
    lost.unlink()
    for path in files.values():
        path.write_bytes(path.read_bytes().rpartition(b"\n")[0].rpartition(b"\n")[0] + b"\n")
    with serving(*places) as server:
        browser = server.browser()
        until(lambda: browser.get("/api/status").json["mended"])
        status = browser.get("/api/status").json

    assert len(status["mended"]) == 1 and kept.id in status["mended"][0]
    assert len(status["lost"]) == 1 and gone.id in status["lost"][0]
