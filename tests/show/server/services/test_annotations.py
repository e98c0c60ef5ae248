"""Tests the order and the facets of the list, and the annotations of conversations, over a real connection."""

import random

import pytest

from chorus.keep.archive.annotations import Annotations, Change
from chorus.testing.builders import Session
from chorus.testing.builders.lines import Clock
from tests.show.server.serving import Browser, Serving, serving, until

COUNT = 9
TIME = "2026-01-01T00:00:00.000Z"


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory):
    """A server with conversations of several lengths, two of most lengths, in two folders."""
    top = tmp_path_factory.mktemp("many")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHORUS_HOME", str(top / "vault"))
        for n in range(COUNT):
            start = f"2026-01-{10 + n % 4:02}T08:00:00.000Z"
            talk = Session(
                f"5e55{n:04}-0000-4000-8000-000000000000",
                cwd=f"/home/dev/{'shop' if n % 3 else 'zoo'}",
                clock=Clock(start),
            )
            for k in range(1 + n // 2):
                talk.user(f"question {k} of {n}")
                talk.assistant(f"answer {k}")
            path = top / "client" / "projects" / "-p" / f"{talk.id}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(bytes(talk))
        with serving(top / "vault", top / "client") as found:
            browser = found.browser()
            until(lambda: len(browser.get("/api/conversations").json.get("conversations", ())) == COUNT)
            yield found


@pytest.fixture
def reader(many: Serving) -> Browser:
    return many.browser()


def names(browser: Browser, query: str = "") -> list[str]:
    return [each["name"] for each in browser.get(f"/api/conversations?{query}").json["conversations"]]


@pytest.mark.parametrize("order", ["time", "cost", "tokens", "messages", "duration"])
@pytest.mark.parametrize("rising", ["", "&rising=1"])
def test_pages_of_any_order_are_the_list(reader: Browser, order, rising):
    """In every order, pages of any size together contain each conversation once, in the order of the whole list."""
    whole = names(reader, f"order={order}{rising}&limit=100")
    assert len(set(whole)) == COUNT
    for limit in (1, 2, 4):
        paged = [
            name
            for start in range(0, COUNT, limit)
            for name in names(reader, f"order={order}{rising}&start={start}&limit={limit}")
        ]
        assert paged == whole
    listed = reader.get(f"/api/conversations?order={order}{rising}&limit=100").json["conversations"]
    if order == "messages":
        values = [each["messages"] for each in listed]
        assert values == sorted(values, reverse=not rising)


def test_the_list_divides(reader: Browser):
    """The counts by workspace and status add up to the number of matches, and each term finds that many."""
    found = reader.get("/api/facets?q=").json
    assert found["total"] == COUNT == sum(each["count"] for each in found["workspaces"])
    assert {each["label"]: each["count"] for each in found["workspaces"]} == {"shop": 6, "zoo": 3}
    assert sum(each["count"] for each in found["statuses"]) == COUNT and not found["is_partial"]
    for each in (*found["workspaces"], *found["statuses"]):
        assert len(names(reader, f"q={each['term']}&limit=100")) == each["count"]


def test_what_is_said_comes_back_in_every_answer(many: Serving, reader: Browser):
    """Title, star, tags and note appear in every answer.

    An empty title restores the recorded one, and a title that is too long is refused.
    """
    name = names(reader)[0]
    own = reader.get(f"/api/conversations/{name}").json["summary"]["title"]
    said = {"title": "<b>Mine</b>\x1b", "is_starred": True, "tags": ["a", "#A", "b c"], "note": "remember"}
    assert reader.post(f"/api/conversations/{name}/annotation", said).status == 204
    summary = reader.get(f"/api/conversations/{name}").json["summary"]
    assert summary["title"] == "<b>Mine</b>\x1b" and summary["own_title"] == own and summary["tags"] == ["a", "b-c"]
    assert names(reader, "q=is:starred") == names(reader, "q=tag:b-c") == names(reader, "q=remember") == [name]
    assert [each["name"] for each in reader.get("/api/search?q=remember").json["described"]] == [name]
    assert reader.post(f"/api/conversations/{name}/annotation", {"title": "x" * 301}).status == 409
    assert reader.post(f"/api/conversations/{name}/annotation", {"nothing": 1}).status == 400
    assert reader.post(f"/api/conversations/{name}/annotation", {"title": 1}).status == 400
    assert reader.post("/api/conversations/no/such/one/annotation", {"is_starred": True}).status == 404
    everything = {"title": "", "is_starred": False, "tags": [], "note": ""}
    assert reader.post(f"/api/conversations/{name}/annotation", everything).status == 204
    assert reader.get(f"/api/conversations/{name}").json["summary"]["title"] == own
    Annotations(many.vault).change(name, Change(is_archived=True), time=TIME)
    assert name not in names(reader, "limit=100") and names(reader, "q=is:archived") == [name]
    assert reader.get("/api/facets?q=").json["archived"] == 1
    Annotations(many.vault).change(name, Change(is_archived=False), time=TIME)


def test_only_a_person_on_the_page_changes_something(many: Serving, reader: Browser):
    """Without a session, the header or the origin of the page, no annotation changes and nothing is forgotten."""
    name = names(reader)[0]
    for what, body in (("annotation", {"is_starred": True}), ("forget", {"lines": 1})):
        address = f"/api/conversations/{name}/{what}"
        assert Browser(many.port).post(address, body).status == 401
        assert reader.post(address, body, X_Chorus=None).status == 403
        assert reader.post(address, body, Origin="http://evil.example").status == 403
    assert not reader.get(f"/api/conversations/{name}").json["summary"]["is_starred"]


def test_what_went_on_since_is_not_forgotten(reader: Browser):
    """A request to forget names the number of lines that the person saw, and any other number changes nothing."""
    name = random.Random(1).choice(names(reader))
    leaving = reader.get(f"/api/conversations/{name}/leaving").json
    assert leaving["lines"] > 0 and leaving["size_bytes"] > 0 and len(leaving["sources"]) == 1
    assert reader.post(f"/api/conversations/{name}/forget", {"lines": leaving["lines"] + 1}).status == 409
    assert name in names(reader, "limit=100")
