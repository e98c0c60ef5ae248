"""Tests A4: a page of another origin, in a browser that is logged in, reads nothing from Chorus and changes nothing."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.support import worlds
from tests.e2e.support.entering import log_in
from tests.e2e.support.foreign import DRILL, IN_A_SANDBOX, PAGE, elsewhere
from tests.e2e.support.lasting import served
from tests.e2e.support.opening import listed
from tools import browser as browsers

serving = served(lambda server: server.write(*worlds.small()))
SECRET = "Tide table: round half up"
READ = {"secret", "read", "open", "loaded"}


@pytest.fixture(scope="module")
def other_port():
    with elsewhere() as port:
        yield port


@pytest.fixture
def visitor(browser, contexts, serving, nowhere, other_port):
    """A page of the browser that is logged in, which may also open the other origin."""
    if not serving.cookies:
        log_in(contexts.make().new_page(), serving)
    hosts = ",".join(f"{host}:{port}" for host in ("127.0.0.1", "localhost") for port in (serving.port, other_port))
    context = browser.new_context(proxy={"server": nowhere.url, "bypass": hosts}, locale="en-US")
    context.add_cookies(serving.cookies)
    yield context.new_page()
    context.close()


def is_logged_in(page: Page, serving) -> bool:
    page.goto(serving.url + "/")
    expect(listed(page).first.or_(page.get_by_role("heading", name="Not logged in"))).to_be_visible()
    return page.get_by_role("heading", name="Not logged in").count() == 0


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_another_origin_reads_nothing_and_changes_nothing(visitor, serving, other_port, host):
    """From another port of the same or another host name, 21 ways to read, post, frame and listen all fail."""
    visitor.goto(f"http://{host}:{other_port}/")
    got = visitor.evaluate(DRILL, {"target": serving.url, "secret": SECRET})

    assert len(got) == 21
    assert {name: came for name, came in got.items() if came in READ} == {}
    assert is_logged_in(visitor, serving), "somebody else logged the visitor out"


def test_the_own_origin_can(visitor, serving):
    """As a control, a page of Chorus itself can read in these ways, and a post with the mark logs out."""
    assert is_logged_in(visitor, serving)
    got = visitor.evaluate(DRILL, {"target": serving.url, "secret": SECRET})

    assert got["get with cookies"] == "secret"
    assert got["old request"] == "secret"
    assert got["get of the shell"] == "read"
    assert got["post of text"] == "status 403"
    assert got["post with the mark"] == "read"
    assert not is_logged_in(visitor, serving)
    serving.cookies, serving.link = [], serving.new_link()


def test_a_page_without_an_origin_reads_nothing(visitor, serving, other_port):
    """The same ways fail from a sandboxed frame, whose origin is `null`."""
    visitor.goto(f"http://127.0.0.1:{other_port}/")
    got = visitor.evaluate(IN_A_SANDBOX, {"drill": DRILL, "target": serving.url, "secret": SECRET})

    assert len(got) == 21
    assert {name: came for name, came in got.items() if came in READ} == {}
    assert is_logged_in(visitor, serving), "somebody else logged the visitor out"


REBOUND = "rebound.test"
"""A name that somebody else owns, and that leads to this machine once its page has been loaded."""


@pytest.fixture(scope="module")
def misled(playwright):
    """A browser in which the name `REBOUND` resolves to this machine."""
    # New browsers block requests from public pages to this machine by themselves; older and other browsers do not.
    flags = (f"--host-resolver-rules=MAP {REBOUND} 127.0.0.1", "--disable-features=LocalNetworkAccessChecks")
    running = browsers.launch(playwright, *flags)
    yield running
    running.close()


@pytest.mark.parametrize(("host", "came"), [(REBOUND, "status 421"), ("localhost", "secret")])
def test_a_name_that_was_turned_here_reads_nothing(misled, visitor, serving, nowhere, host, came):
    """A page whose host name now resolves to Chorus shares its origin and still reads nothing.

    As a control, `localhost` can read.
    """
    context = misled.new_context(proxy={"server": nowhere.url, "bypass": f"{host}:{serving.port}"}, locale="en-US")
    page = context.new_page()
    # The page gets a session cookie of its own, because a browser would not send ours to that name.
    context.add_cookies([{**each, "domain": host} for each in serving.cookies])
    target = f"http://{host}:{serving.port}"
    page.route(f"{target}/bait", lambda route: route.fulfill(body=PAGE, content_type="text/html"))
    page.goto(f"{target}/bait")
    got = page.evaluate(DRILL, {"target": target, "secret": SECRET})
    context.close()

    assert got["get with cookies"] == came
    assert len(got) == 21
    if host == REBOUND:
        assert {name: each for name, each in got.items() if each in READ} == {}
        assert is_logged_in(visitor, serving), "somebody else logged the visitor out"
    else:
        serving.cookies, serving.link = [], serving.new_link()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_the_socket_knows_its_own(visitor, serving, other_port, host):
    """A page of Chorus can open the socket; for a page of another origin it is refused before it opens."""
    opened = """(target) => new Promise((done) => {
      const socket = new WebSocket(`${target.replace(/^http/, 'ws')}/api/live`)
      socket.onopen = () => done('open')
      socket.onerror = () => done('refused')
    })"""
    visitor.goto(serving.url + "/")
    expect(listed(visitor).first).to_be_visible()
    assert visitor.evaluate(opened, serving.url) == "open"

    visitor.goto(f"http://{host}:{other_port}/")
    assert visitor.evaluate(opened, serving.url) == "refused"
    assert visitor.evaluate(opened, serving.url.replace("127.0.0.1", "localhost")) == "refused"
