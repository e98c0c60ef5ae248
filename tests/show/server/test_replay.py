"""Tests the replay of a conversation over a real connection: timeline, moments, states and missing moments."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from chorus.testing.builders import Session, tool_use
from tests.show.server.serving import Browser, Serving, serving, until


def _session() -> Session:
    """Returns a session with a prompt, an edit, an answer and a second prompt."""
    session = Session()
    session.user("Please fix the parser")
    session.assistant("I will edit it.", tool_use("Edit", {"file_path": "/w/parser.py"}, id="t1"), stop="tool_use")
    session.tool_result("t1", "edited")
    session.assistant("Done.", stop="end_turn")
    session.user("Thanks")
    return session


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Serving, Session]]:
    top = tmp_path_factory.mktemp("replay")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHORUS_HOME", str(top / "vault"))
        (top / "client").mkdir()
        with serving(top / "vault", top / "client") as server:
            session = _session()
            server.write(session)
            yield server, session


@pytest.fixture
def browser(played: tuple[Serving, Session]) -> Browser:
    return played[0].browser()


@pytest.fixture
def address(browser: Browser) -> str:
    listed = until(lambda: browser.get("/api/conversations").json.get("conversations"))
    return f"/api/conversations/{listed[0]['name']}"


def _shown(row: dict[str, Any], now: str) -> list[tuple[str, bool]]:
    """Returns what a page shows of a row at a moment: the type of each piece, and whether it is an open call."""
    if row["moments"]["shown"] > now:
        return []
    return [
        (piece["type"], piece["type"] == "call" and (moment["ended"] is None or moment["ended"] > now))
        for piece, moment in zip(row["row"]["pieces"], row["moments"]["pieces"], strict=True)
        if moment["shown"] <= now
    ]


def test_a_timeline_has_lanes_marks_and_moments(browser: Browser, address: str) -> None:
    """The marks name their moments, and the moments come in chunks with the state before and the changes in them."""
    timeline = browser.get(f"{address}/replay").json
    chunk = browser.get(f"{address}/replay/moments?first={timeline['moments'] - 1}").json

    assert [(mark["kind"], mark["label"]) for mark in timeline["marks"]] == [
        ("prompt", "Please fix the parser"),
        ("edit", "Edit /w/parser.py"),
        ("prompt", "Thanks"),
    ]
    assert [lane["kind"] for lane in timeline["lanes"]] == ["main", "person"]
    assert chunk["first"] == 0 and len(chunk["ids"]) == timeline["moments"]
    assert chunk["ids"] == sorted(chunk["ids"]) and chunk["at_ms"] == sorted(chunk["at_ms"])
    assert all(chunk["ids"][mark["moment"]] == mark["id"] for mark in timeline["marks"])
    assert timeline["version"] == chunk["version"]


def test_a_call_is_open_until_its_result_came(browser: Browser, address: str) -> None:
    """Rows say when they and their pieces appeared, and the state at a moment lists the same open call."""
    chunk = browser.get(f"{address}/replay/moments").json
    rows = browser.get(f"{address}/rows").json["rows"]
    edit = next(row for row in rows if len(row["row"].get("pieces", ())) == 2)
    seen = []
    for moment in chunk["ids"]:
        state = browser.get(f"{address}/replay/state?at={quote(moment)}").json
        assert state["moment"]["id"] == moment
        panel = state["panel"]
        seen.append((_shown(edit, moment), [call["id"] for call in panel["calls"]], panel["files"] != []))

    assert seen[0] == ([], [], False)
    assert ([("prose", False), ("call", True)], ["t1"], False) in seen
    assert seen[-1] == ([("prose", False), ("call", False)], [], True)


def test_steps_lead_to_prompts_edits_and_back(browser: Browser, address: str) -> None:
    """A step leads from a moment to the next or the previous moment of a kind."""
    timeline = browser.get(f"{address}/replay").json
    first, edit, second = (mark["id"] for mark in timeline["marks"])

    def step(at: str, to: str, **more: str) -> Any:
        return browser.get(
            f"{address}/replay/step?at={quote(at)}&to={to}" + "".join(f"&{key}={value}" for key, value in more.items())
        )

    assert step(first, "prompt").json["id"] == second
    assert step(first, "edit").json["id"] == edit
    assert step(second, "prompt", back="true").json["id"] == first
    assert step(second, "prompt").status == 404 and step(second, "prompt").kind == "no_moment"


@pytest.mark.parametrize(
    "at",
    ["", "nonsense", "1999-01-01T00:00:00Z", "2999-01-01", "2026-01-05T09:00:00.000Z!0!session!999999999999", "a!b"],
)
def test_a_moment_that_is_not_there_is_one_clear_error(browser: Browser, address: str, at: str) -> None:
    """For a missing moment, the answer says what is missing and when the conversation begins and ends."""
    answer = browser.get(f"{address}/replay/state?at={quote(at)}")

    assert (answer.status, answer.kind) == (404, "no_moment")
    assert "it lasts from 20" in answer.json["message"] and "\n" not in answer.json["message"]


def test_other_wrong_requests_are_refused(browser: Browser, address: str) -> None:
    """An unknown conversation, an unknown number of a moment and an unknown kind of step are refused."""
    assert browser.get("/api/conversations/a/b/c/replay").kind == "not_found"
    assert browser.get(f"{address}/replay/moments?first=99999").kind == "no_moment"
    assert browser.get(f"{address}/replay/moments?first=-1").kind == "bad_request"
    assert browser.get(f"{address}/replay/step?at=x&to=nothing").kind == "bad_request"


def test_a_growing_conversation_gets_more_moments(
    played: tuple[Serving, Session], browser: Browser, address: str
) -> None:
    """When a conversation grows, its moments keep their ids, and a new version shows that there are more."""
    server, session = played
    before = browser.get(f"{address}/replay/moments").json
    session.assistant("You are welcome.", stop="end_turn")
    server.write(session)
    after = until(
        lambda: (
            found if (found := browser.get(f"{address}/replay/moments").json)["version"] != before["version"] else None
        )
    )

    assert after["ids"][: len(before["ids"])] == before["ids"]
    assert len(after["ids"]) > len(before["ids"])
