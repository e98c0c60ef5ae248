"""Tests the route of the board and its frames on the live socket."""

import os
from datetime import UTC, datetime, timedelta

from chorus.core.protocol.launch import Launch
from chorus.core.records.times import wire_time
from chorus.steer.runs.run_folders import Ending
from chorus.testing.builders import tool_use
from chorus.testing.builders.lines import Clock
from tests.show.server.serving import Browser, serving, session_of, until
from tests.steer.clients import entries
from tests.support.runs import described, named


def columns(browser):
    """Returns the column of each conversation on the board."""
    answer = browser.get("/api/board")
    return {tile["id"]: tile["column"] for tile in answer.json["tiles"]} if answer.status == 200 else {}


def test_the_board_follows_records_and_clients(places):
    """A conversation is on the board as soon as it is recorded, and moves when its client says that it waits."""
    session = session_of("Build it.")
    session.assistant(tool_use("Bash", {"command": "make"}, id="c1"))
    with serving(*places) as server:
        browser = server.browser()
        server.write(session)
        until(lambda: columns(browser) == {session.id: "idle"})
        entries.put(server.folder, entries.entry(os.getpid(), session.id, status="waiting", waitingFor="an answer"))

        until(lambda: columns(browser) == {session.id: "needs you"})

        (tile,) = browser.get("/api/board").json["tiles"]
        assert tile["reasons"][0]["text"] == "waits: an answer"
        assert [call["text"] for call in tile["calls"]] == ["make"]


def test_a_run_that_was_stopped_an_hour_ago_needs_nobody(places):
    """What a stopped run asked last is no question any more, also when the page shows the run no longer."""
    now = datetime.now(UTC)
    session = session_of("Build it.", clock=Clock(wire_time(now - timedelta(hours=2))))
    session.assistant(tool_use("AskUserQuestion", {"questions": []}, id="c1"))
    with serving(*places) as server:
        browser = server.browser()
        server.write(session)
        until(lambda: columns(browser) == {session.id: "needs you"})
        ending = Ending(at=wire_time(now - timedelta(hours=1)), code=143, words="stopped")
        described(
            named(server.vault, "abc"),
            launch=Launch(session=session.id),
            sessions=[session.id],
            vault=str(server.vault),
            ending=ending,
        )

        until(lambda: columns(browser) == {session.id: "idle"})
        (tile,) = browser.get("/api/board").json["tiles"]
        (listed,) = browser.get("/api/conversations").json["conversations"]
        header = browser.get(f"/api/conversations/{listed['name']}").json["summary"]
        assert [each["status"] for each in (tile, listed, header)] == ["interrupted"] * 3


def test_a_frame_has_only_what_changed(places):
    """The socket says which state of the board is current, and then sends the tiles that changed."""
    first, second = session_of("one"), session_of("two", session_id="0" * 8 + "-0000-4000-8000-" + "0" * 12)
    with serving(*places) as server:
        browser = server.browser()
        server.write(first)
        server.write(second)
        until(lambda: len(columns(browser)) == 2)
        board = browser.get("/api/board").json
        with browser.live() as live:
            hello = live.until(lambda frame: frame["type"] == "board")
            second.user("more")
            second.assistant("Well.", stop="end_turn")
            server.write(second)
            change = live.until(lambda frame: frame["type"] == "board" and frame["since"] >= hello["revision"])

    assert (hello["since"], hello["put"]) == (hello["revision"], []) and hello["revision"] >= board["revision"]
    assert change["since"] == hello["revision"] and change["revision"] == change["since"] + 1
    assert [tile["id"] for tile in change["put"]] == [second.id]


def test_the_board_needs_a_login(places):
    """Nobody reads the board without a login."""
    with serving(*places) as server:
        assert Browser(server.port).get("/api/board").status == 401
