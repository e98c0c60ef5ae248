"""Tests the page that shows two chosen conversations next to each other."""

import re

from playwright.sync_api import expect

from chorus.testing.builders import Session
from chorus.testing.builders.lines import Clock, Ids
from tests.e2e.support import worlds
from tests.e2e.support.lasting import served
from tests.e2e.support.opening import open_session

FORK = "e2e00009-0000-4000-8000-000000000001"


def lay_out(server):
    source = worlds.with_edits()
    fork = Session(FORK, cwd=source.cwd, clock=Clock("2026-10-01T10:00:00.000Z"), ids=Ids(FORK))
    for line in source.lines:
        fork.add({**line, "sessionId": FORK})
    fork.title("The fork")
    fork.user("And now <b>metres</b>")
    fork.assistant("Metres it is.", stop="end_turn")
    server.write(source, fork)


serving = served(lay_out)


def test_a_fork_is_compared_with_its_source(page, axe):
    """The menu of a conversation leads to the comparison: the common history once, then the fork's own part."""
    open_session(page, worlds.EDITS)
    page.get_by_role("button", name="Rename, tag, note, archive, delete").click()
    page.get_by_role("link", name="Compare with …").click()
    page.get_by_role("link", name=re.compile("The fork")).click()
    expect(page).to_have_url(re.compile(r"/compare\?a=.*&b="))
    steps = page.get_by_role("table", name="The steps of both conversations")
    expect(steps.get_by_text("Here they part")).to_be_visible()
    expect(steps.get_by_text("And now <b>metres</b>")).to_be_visible()
    expect(steps.get_by_text("The tide table rounds wrongly")).to_have_count(0)
    page.get_by_role("button", name=re.compile("^Show .* steps in both")).click()
    expect(steps.get_by_text("The tide table rounds wrongly")).to_have_count(1)
    assert axe(page) == []
    steps.get_by_role("link", name=re.compile("Metres it is")).click()

    expect(page).to_have_url(re.compile(rf"/c/.*{FORK}\?at="))
    expect(page.get_by_label("Transcript", exact=True).get_by_text("Metres it is.")).to_be_visible()


def test_what_cannot_be_compared_is_said(page, watch):
    """Without a conversation the page says how to choose one, and with an unknown one that it cannot compare."""
    page.goto("/compare")
    expect(page.get_by_role("heading", name="No conversation was chosen")).to_be_visible()
    watch.expect("404.*/api/compare")
    page.goto("/compare?a=a/b/c&b=a/b/c")
    expect(page.get_by_role("heading", name="These conversations cannot be compared")).to_be_visible()
