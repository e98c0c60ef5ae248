"""Tests that an open page reports when the server ends, and continues without a gap when it returns."""

from playwright.sync_api import expect

from tests.e2e.support import worlds
from tests.e2e.support.growing import going_on, path_of
from tests.e2e.support.opening import listed, open_session

LOST = r"net::ERR_(CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE|SOCKET)|WebSocket connection"


def mark(page):
    """Returns the element with the state of the connection."""
    return page.get_by_role("banner").get_by_role("status")


def test_a_killed_server_comes_back_and_nothing_is_missing_or_twice(page, serving, watch):
    """Lines written before, during and after the absence of the server appear once and in order.

    The login remains valid.
    """
    watch.expect(LOST)
    messages = open_session(page, worlds.LIVE)
    expect(mark(page)).to_have_text("Live")
    page.evaluate("window.untouched = true")
    path = path_of(serving, worlds.LIVE)
    session = going_on(serving, worlds.LIVE)
    words = [f"Lamp {number} is lit." for number in range(1, 8)]
    serving.append(path, session.assistant(*words[:2]))
    expect(messages.get_by_text(words[1])).to_be_visible()
    serving.kill()
    expect(mark(page)).not_to_have_text("Live")
    expect(page.get_by_role("banner")).to_contain_text("Reconnecting")
    serving.append(path, session.assistant(*words[2:5]))
    serving.start()

    expect(mark(page)).to_have_text("Live", timeout=30_000)
    expect(messages.get_by_text(words[4])).to_be_visible()
    serving.append(path, session.assistant(*words[5:], stop="end_turn"))
    expect(messages.get_by_text(words[6])).to_be_visible()
    said = messages.inner_text()
    assert [said.count(each) for each in words] == [1] * 7
    assert sorted(words, key=said.index) == words
    assert page.evaluate("window.untouched") is True
    page.reload()
    expect(messages.get_by_text(words[6])).to_be_visible()


def test_after_a_long_wait_the_page_says_what_to_do(page, serving, watch):
    """If the server does not answer for a while, the page says how to start it; then the list is up to date again."""
    watch.expect(LOST)
    expect(listed(page)).to_have_count(5)
    expect(mark(page)).to_have_text("Live")
    serving.stop()
    notice = page.get_by_text("Chorus does not answer.")
    expect(notice).to_be_visible(timeout=30_000)
    serving.append(path_of(serving, worlds.EDITS), [going_on(serving, worlds.EDITS).user("Now in metres, please.")])
    serving.start()

    expect(notice).to_have_count(0, timeout=30_000)
    expect(page.locator(f'[data-conversation$="{worlds.EDITS}"]')).to_contain_text("Thinking")
    expect(listed(page)).to_have_count(5)
