"""Tests the routes of the usage page over a real connection."""

import pytest

from tests.show.server.serving import Browser


def test_the_page_has_every_part(browser: Browser):
    """The answer has lines, totals and tools; each line has the query that leads to its conversations."""
    shown = browser.get("/api/usage?by=model").json
    assert shown["by"] == "model"
    assert shown["total"]["messages"] == sum(line["messages"] for line in shown["lines"])
    for line in shown["lines"]:
        assert browser.get(f"/api/conversations?q={line['query']}").json["conversations"]
    nothing = browser.get("/api/usage?q=zeppelin").json
    assert nothing["lines"] == []
    assert nothing["total"]["cost_usd"] is None


def test_a_table_is_saved_as_a_file(browser: Browser):
    """The file is downloaded and never displayed, so it cannot run in the origin of the page."""
    saved = browser.get("/api/usage/file?by=tool")
    assert saved.status == 200
    assert saved.headers["content-disposition"] == 'attachment; filename="usage-by-tool.csv"'
    assert saved.body.startswith(b"tool,calls,errors")
    assert browser.get("/api/usage/file?by=conversation").body.startswith(b"conversation,label,input")


@pytest.mark.parametrize(
    ("asked", "kind"),
    [
        ("q=usage:year%3D1", "bad_query"),
        ("q=(", "bad_query"),
        ("by=year", "bad_request"),
        ("since=someday", None),
        ("until=2026-99", None),
    ],
)
def test_what_cannot_be_asked_is_refused(browser: Browser, asked, kind):
    """A wrong query, grouping or day gets an answer that says so, and is not an error of the server."""
    for path in ("/api/usage", "/api/usage/file"):
        answer = browser.get(f"{path}?{asked}")
        assert 400 <= answer.status < 500
        assert kind is None or answer.json["kind"] == kind


def test_the_address_is_a_page(browser: Browser):
    """The address of the page can be opened and shared."""
    assert browser.get("/usage?by=model&since=30d").status == 200
