"""Tests that conversations show what the registry says about their clients, and that changes are sent."""

import sys

import pytest

from tests.show.server.serving import serving, session_of, until
from tests.steer.clients.entries import entry, put

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="the registry entries in these tests are those of Linux clients"
)


def test_a_session_that_waits_says_so_everywhere(places):
    """The list, the head of the transcript and an open socket show what a session waits for."""
    with serving(*places) as server:
        session = session_of()
        server.write(session)
        browser = server.browser()
        (listed,) = until(lambda: browser.get("/api/conversations").json.get("conversations"))
        assert listed["running"] is None

        with browser.live() as live:
            assert live.until(lambda frame: frame["type"] == "running")["sessions"] == []
            path = put(server.folder, entry(session=session.id, status="waiting", waitingFor="permission prompt"))
            (told,) = live.until(lambda frame: frame["type"] == "running" and frame["sessions"])["sessions"]
            assert (told["session"], told["status"], told["waiting_for"]) == (
                session.id,
                "waiting",
                "permission prompt",
            )
            assert browser.get("/api/conversations").json["conversations"][0]["running"] == told
            assert browser.get(f"/api/conversations/{listed['name']}").json["summary"]["running"] == told

            with browser.live() as late:
                assert late.until(lambda frame: frame["type"] == "running")["sessions"] == [told]

            path.unlink()
            assert live.until(lambda frame: frame["type"] == "running")["sessions"] == []
        assert browser.get("/api/conversations").json["conversations"][0]["running"] is None


def test_what_changes_in_the_record_keeps_the_word_of_the_client(places):
    """A message about a changed conversation includes the present status of its client."""
    with serving(*places) as server:
        session = session_of()
        put(server.folder, entry(session=session.id, status="busy"))
        browser = server.browser()
        with browser.live() as live:
            live.until(lambda frame: frame["type"] == "running" and frame["sessions"])
            server.write(session)
            frame = live.until(lambda frame: frame["type"] == "changed" and frame["conversations"])
            assert frame["conversations"][0]["running"]["status"] == "busy"
