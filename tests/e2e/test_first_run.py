"""Tests that the first visit explains what Chorus does, where it looked and what to do."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.support import worlds
from tests.e2e.support.entering import log_in
from tests.e2e.support.opening import listed


@pytest.fixture
def serving(empty):
    """A server on a machine without any session; each test starts it itself."""
    return empty


def test_without_sessions_it_says_where_it_looked(contexts, serving):
    """Without sessions the page names the folder it looked in and what to do, and a new session then appears."""
    serving.start()
    page = contexts.make().new_page()
    log_in(page, serving)
    expect(page.get_by_role("heading", name="No sessions found")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text(str(serving.claude))
    expect(page.get_by_role("main")).to_contain_text(re.compile("Start claude in any project"))
    serving.write(worlds.at_work())

    expect(listed(page)).to_have_count(1)
    expect(listed(page)).to_contain_text("Make the harbour lights blink in step.")


def test_the_first_visit_shows_what_was_found(contexts, serving):
    """The first visit says how many sessions were found, where, and what is at risk, until a person dismisses it."""
    serving.write(*worlds.small())
    serving.start()
    page = contexts.make().new_page()
    log_in(page, serving)
    welcome = page.get_by_role("complementary", name="Welcome")
    expect(welcome).to_contain_text("5 sessions")
    expect(welcome).to_contain_text(str(serving.claude))
    expect(welcome).to_contain_text(re.compile(r"deletes|clean-up|risk", re.IGNORECASE))
    expect(listed(page)).to_have_count(5)
    welcome.get_by_role("button", name="Dismiss").click()
    expect(welcome).to_have_count(0)

    page.reload()
    expect(listed(page)).to_have_count(5)
    expect(welcome).to_have_count(0)


def test_a_folder_without_sessions_is_named(contexts, serving):
    """If all recorded sessions came from elsewhere, the page says that the watched folder has no session yet."""
    serving.write(*worlds.small())
    serving.start()
    page = contexts.make().new_page()
    log_in(page, serving)
    status = page.evaluate("async () => (await fetch('/api/status')).json()")
    watched = [{**folder, "sessions": 0, "size_bytes": 0} for folder in status["watched"]]
    page.route("**/api/status", lambda route: route.fulfill(json={**status, "watched": watched}))
    page.reload()

    welcome = page.get_by_role("complementary", name="Welcome")
    expect(welcome).to_contain_text(f"No session yet in {serving.claude}, which is watched from now on.")


def test_the_first_pass_shows_how_far_it_is(contexts, serving):
    """During the first pass the page shows what was found, what is at risk, where it is stored, and the progress."""
    serving.write(*worlds.small())
    serving.start()
    page = contexts.make().new_page()
    log_in(page, serving)
    asked = "async (path) => (await fetch(path)).json()"
    half = {"state": "keeping", "conversations": 0, "done_bytes": 400_000, "total_bytes": 1_000_000}
    status = {**page.evaluate(asked, "/api/status"), **half}
    nothing = {**page.evaluate(asked, "/api/conversations"), "conversations": []}
    page.route("**/api/status", lambda route: route.fulfill(json=status))
    page.route("**/api/conversations?*", lambda route: route.fulfill(json=nothing))
    page.route_web_socket("**/api/live", lambda socket: None)
    page.reload()

    main = page.get_by_role("main")
    expect(main.get_by_role("heading", name="Recording your sessions")).to_be_visible()
    expect(main.get_by_role("progressbar", name="Recording sessions")).to_have_attribute("aria-valuenow", "40")
    for words in ("400.0 kB of 1.0 MB", "5 sessions found", "At risk", str(serving.vault)):
        expect(main).to_contain_text(words)


def test_how_far_it_is_is_seen_before_there_is_an_index(contexts, serving):
    """The list and the search show the progress of the first pass even before there is an index."""
    serving.write(*worlds.small())
    serving.start()
    page = contexts.make().new_page()
    contexts.watches[-1].expect("503")
    log_in(page, serving)
    asked = "async (path) => (await fetch(path)).json()"
    status = page.evaluate(asked, "/api/status")
    status |= {"state": "keeping", "conversations": 0, "done_bytes": 400_000, "total_bytes": 1_000_000}
    building = {"kind": "index_building", "message": "The index is being made.", "at": None}
    page.route("**/api/status", lambda route: route.fulfill(json=status))
    for path in ("**/api/conversations?*", "**/api/search?*"):
        page.route(path, lambda route: route.fulfill(json=building, status=503))
    page.route_web_socket("**/api/live", lambda socket: None)

    for place in ("/", "/search?q=hello"):
        page.goto(serving.url + place)
        main = page.get_by_role("main")
        expect(main.get_by_role("progressbar", name="Recording sessions")).to_have_attribute("aria-valuenow", "40")
        expect(main).to_contain_text("400.0 kB of 1.0 MB")


def test_a_visitor_without_a_login_learns_how_to_log_in(contexts, serving):
    """Without a login the page only says how to get a link; a used link fails with a message, and a new one works."""
    serving.write(*worlds.small())
    used = serving.start()
    first = contexts.make().new_page()
    log_in(first, serving)
    context = contexts.make()
    watch = contexts.watches[-1]
    watch.expect("401|403|429")
    page = context.new_page()
    page.goto(serving.url + "/")
    expect(page.get_by_role("heading", name="Not logged in")).to_be_visible()
    expect(page.get_by_text("chorus open")).to_be_visible()
    page.goto("about:blank")
    page.goto(used)
    expect(page.get_by_role("heading", name="That link did not work")).to_be_visible()
    assert "#" not in page.url

    page.goto("about:blank")
    page.goto(serving.new_link())
    expect(listed(page)).to_have_count(5)
