"""Fixtures of the browser tests, which run a real Chromium against the real `chorus serve`."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, sync_playwright

from tests.e2e.support import accessibility, worlds
from tests.e2e.support.entering import let_in, log_in
from tests.e2e.support.lasting import served
from tests.e2e.support.serving import Serving
from tests.e2e.support.sink import Sink, sink
from tests.e2e.support.watching import Contexts, Watch
from tools import browser as browsers
from tools import bundle

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "build" / "e2e"
"""Where a test that failed leaves a picture of its page."""

outcome_key = pytest.StashKey[dict[str, pytest.TestReport]]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    report = yield
    item.stash.setdefault(outcome_key, {})[report.when] = report
    return report


# These fixtures have the scope of the package and end with its last test: while Playwright runs, the thread has a
# running event loop, and no other test of the same worker could use asyncio.


@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="package")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """One Chromium for all browser tests. It can reach only what a context allows."""
    running = browsers.launch(playwright)
    yield running
    running.close()


@pytest.fixture(scope="package")
def nowhere() -> Iterator[Sink]:
    """The sink in which all requests to other origins end."""
    with sink() as listening:
        yield listening


@pytest.fixture(scope="package")
def built() -> None:
    """Builds the application from the current state of web/."""
    bundle.make_fresh(ROOT)


@pytest.fixture
def empty(tmp_path: Path, built: None) -> Iterator[Serving]:
    """A server for one test, not started, on a machine without any session."""
    server = Serving(tmp_path)
    yield server
    server.kill()


@pytest.fixture
def fresh(empty: Serving) -> Serving:
    """A server for one test, started, with the sessions of `worlds.small`."""
    empty.write(*worlds.small())
    empty.start()
    return empty


@pytest.fixture
def serving(fresh: Serving) -> Serving:
    """The server of a test. A module overrides it, because a start takes seconds and most tests can share a server."""
    return fresh


standing = served(lambda server: server.write(*worlds.small()), "package")
"""One server for all tests that only read. A module of such tests says `serving = pytest.fixture(reading)`."""


def reading(standing: Serving) -> Serving:
    """Returns the shared server; a module whose tests only read uses this as its `serving`."""
    return standing


@pytest.fixture
def settings() -> dict[str, Any]:
    """The settings of new contexts (`viewport`, `color_scheme`…), for a test or module to override."""
    return {}


@pytest.fixture
def contexts(browser: Browser, serving: Serving, nowhere: Sink, settings: dict[str, Any]) -> Iterator[Contexts]:
    """Browser contexts that reach only the server; a test fails at its end after unexpected errors or requests."""
    nowhere.take()
    made = Contexts(browser, serving.url, nowhere.url, settings)
    yield made
    made.close()
    assert serving.complaints() == [], "the server complained"
    assert [error for watch in made.watches for error in watch.unexpected()] == [], "a page complained"
    assert [url for watch in made.watches for url in watch.off_origin()] == [], "a page asked for something elsewhere"
    assert nowhere.take() == [], "something left the origin"


@pytest.fixture
def person(contexts: Contexts) -> BrowserContext:
    """The browser context to which `page` belongs, for a module to override."""
    return contexts.make()


@pytest.fixture
def opened(person: BrowserContext, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page that has not opened any address yet."""
    page = person.new_page()
    yield page
    reports = request.node.stash.get(outcome_key, {})
    if "call" in reports and reports["call"].failed and not page.is_closed():
        PICTURES.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=PICTURES / f"{re.sub(r'[^A-Za-z0-9]+', '-', request.node.name)}.png")


@pytest.fixture
def page(opened: Page, serving: Serving) -> Page:
    """A page that is logged in and shows the first page of the application."""
    log_in(opened, serving)
    return opened


@pytest.fixture
def entered(opened: Page, serving: Serving) -> Page:
    """A page that is logged in and empty, for modules whose tests all open an address of their own.

    It saves them the first page, which takes as long as the test itself.
    """
    let_in(opened, serving)
    return opened


@pytest.fixture
def watch(page: Page, contexts: Contexts) -> Watch:
    """The errors, requests and sockets of `page`. With `expect`, a test names the errors that belong to it."""
    return contexts.watch_of(page)


@pytest.fixture
def axe() -> Callable[[Page], list[str]]:
    """Returns the serious and critical findings of axe-core on a page, one line each."""
    return accessibility.findings


@pytest.fixture
def screenshot(tmp_path: Path) -> Callable[[Page, str], Path]:
    """Takes a picture of a page at rest, for a person to look at, and returns its path."""

    def take(page: Page, name: str) -> Path:
        path = tmp_path / f"{name}.png"
        page.screenshot(path=path, animations="disabled")
        return path

    return take
