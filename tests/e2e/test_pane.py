"""Tests the screen of a tmux pane on the page: a real pane, live, in its colours, and nothing can be typed there."""

import pytest
from playwright.sync_api import Page, expect

from chorus.testing.builders import Flat, Session
from tests.e2e.support.accessibility import findings
from tests.e2e.support.opening import open_session
from tests.steer.clients.entries import SESSION, entry, put
from tests.support.panes import missing, pane_server, until

PROGRAM = r"""
printf '\033[1;31mred\033[0m \033[30;42mgreen ground\033[0m \033[38;2;90;120;250mblue\033[0m <b>bold</b> 漢字\n'
while read -r line; do printf 'heard %s\n> ' "$line"; done
"""
COLOUR = "(each) => getComputedStyle(each).color"


@pytest.fixture
def tmux(monkeypatch):
    if (why := missing()) is not None:
        pytest.skip(why)
    with pane_server() as server:
        monkeypatch.setenv("TMUX_TMPDIR", str(server.folder))
        yield server


@pytest.fixture
def pane(tmux):
    return tmux.open("sh", "-c", PROGRAM, width=72, height=10, session="work")


@pytest.fixture
def serving(empty, tmux, pane):
    session = Session(SESSION)
    session.user("How high is the tide?")
    session.assistant("I look.")
    empty.write(session)
    put(empty.claude, entry(int(tmux.ask(pane, "pane_pid"))))
    empty.start()
    return empty


@pytest.fixture(params=["light", "dark"])
def settings(request):
    return {"color_scheme": request.param}


@pytest.fixture
def screen(page: Page, serving):
    """The screen of the pane in the session panel."""
    open_session(page, SESSION)
    page.keyboard.press("s")
    shown = page.get_by_role("group", name="Screen of the tmux pane work:0.0")
    expect(shown).to_be_visible()
    return shown


def place_of_cursor(screen) -> tuple[int, int]:
    """Returns the column and the row of the cursor."""
    found = screen.locator(".cursor").evaluate(
        "(each) => ['--at', '--from'].map((name) => each.style.getPropertyValue(name))"
    )
    return int(found[0]), int(found[1])


def test_the_screen_is_live_and_read_only(page, watch, screen, tmux, pane):
    """Colours, size and cursor are those of the pane, also after they change; keys on the page do not reach it."""
    expect(screen).to_contain_text("red green ground blue <b>bold</b> 漢字")
    red, plain = (screen.get_by_text(word).first.evaluate(COLOUR) for word in ("red", "bold"))
    assert red != plain
    assert (
        screen.get_by_text("green ground").evaluate("(each) => getComputedStyle(each).backgroundColor")
        != "rgba(0, 0, 0, 0)"
    )
    assert screen.get_by_text("blue", exact=True).evaluate(COLOUR) != plain
    expect(page.get_by_text("work:0.0 · 72 × 10 · read-only")).to_be_visible()
    assert place_of_cursor(screen) == (0, 1)

    tmux.type(pane, "the tide")
    expect(screen).to_contain_text("heard the tide")
    until(lambda: place_of_cursor(screen) == (2, 3))
    tmux.run("resize-window", "-t", pane, "-x", "60", "-y", "12")
    expect(page.get_by_text("work:0.0 · 60 × 12 · read-only")).to_be_visible()

    before = tmux.screen(pane)
    screen.click()
    page.keyboard.type("evil")
    page.keyboard.press("Enter")
    page.wait_for_timeout(1_500)
    assert tmux.screen(pane) == before
    assert screen.locator("input, textarea, [contenteditable]").count() == 0
    page.keyboard.press("Escape")
    assert findings(page) == []
    # The page may ask for the screen once more before it is told that the pane is gone.
    watch.expect(r"409 \(Conflict\) \(\S+/screen\)")
    tmux.run("kill-pane", "-t", pane)
    expect(screen).to_have_count(0)


def test_a_request_without_a_card_says_why(page, tmux):
    """The page of approvals names the pane of a request that it cannot answer, and the reason."""
    flat = Flat()
    flat.start("flat-1")
    flat.permission_request("Remove <b>everything</b>?")
    flat.permission_request("Remove the rest?")
    (tmux.folder / "data").write_bytes(bytes(flat))
    tmux.open("sh", "-c", f"cat {tmux.folder / 'data'}; read x", session="asks")
    page.goto("/approvals")

    line = page.get_by_role("listitem").filter(has_text="asks:0.0")
    expect(line).to_contain_text("There is no card for it: another request came right before it")
    assert findings(page) == []
