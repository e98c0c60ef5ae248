"""The browser tests: a real Chromium against the real `chorus serve`."""

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


# The fixtures of this folder end with its last test: while Playwright runs, the thread has a running event loop, and
# no other test of the same worker could use asyncio.


@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="package")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """One Chromium for all browser tests; it can reach nothing but what a context lets it."""
    running = browsers.launch(playwright)
    yield running
    running.close()


@pytest.fixture(scope="package")
def nowhere() -> Iterator[Sink]:
    """Where requests end up that leave the origin."""
    with sink() as listening:
        yield listening


@pytest.fixture(scope="package")
def built() -> None:
    """The application as web/ has it now."""
    bundle.make_fresh(ROOT)


@pytest.fixture
def empty(tmp_path: Path, built: None) -> Iterator[Serving]:
    """A server of the test's own on a machine without any session; not started."""
    server = Serving(tmp_path)
    yield server
    server.kill()


@pytest.fixture
def fresh(empty: Serving) -> Serving:
    """A server of the test's own, with the small world of `worlds.small`, started."""
    empty.write(*worlds.small())
    empty.start()
    return empty


@pytest.fixture
def serving(fresh: Serving) -> Serving:
    """The server of a test, for a module to override: a start costs seconds, and most tests can share one."""
    return fresh


standing = served(lambda server: server.write(*worlds.small()), "package")
"""One server for all tests that only read. A module of such tests says `serving = pytest.fixture(reading)`."""


def reading(standing: Serving) -> Serving:
    """What a module of tests that only read takes as its `serving`."""
    return standing


@pytest.fixture
def settings() -> dict[str, Any]:
    """What contexts are made with (`viewport`, `color_scheme`…), for a test or module to override."""
    return {}


@pytest.fixture
def contexts(browser: Browser, serving: Serving, nowhere: Sink, settings: dict[str, Any]) -> Iterator[Contexts]:
    """Browser contexts that reach the server and nothing else; at its end, a test fails for what it did not expect."""
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
    """The browser of who looks at `page`, for a module to override."""
    return contexts.make()


@pytest.fixture
def opened(person: BrowserContext, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page that went nowhere yet."""
    page = person.new_page()
    yield page
    reports = request.node.stash.get(outcome_key, {})
    if "call" in reports and reports["call"].failed and not page.is_closed():
        PICTURES.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=PICTURES / f"{re.sub(r'[^A-Za-z0-9]+', '-', request.node.name)}.png")


@pytest.fixture
def page(opened: Page, serving: Serving) -> Page:
    """A page of somebody who has logged in, at the beginning."""
    log_in(opened, serving)
    return opened


@pytest.fixture
def entered(opened: Page, serving: Serving) -> Page:
    """A page of somebody who has logged in and opened nothing: what a module of tests takes that all open an address.

    It saves them the beginning, which costs as much as what they are about.
    """
    let_in(opened, serving)
    return opened


@pytest.fixture
def watch(page: Page, contexts: Contexts) -> Watch:
    """What `page` did: errors, requests, sockets; `expect` says which errors belong to the test."""
    return contexts.watch_of(page)


@pytest.fixture
def axe() -> Callable[[Page], list[str]]:
    """Serious and critical findings of axe-core on a page, a line each."""
    return accessibility.findings


@pytest.fixture
def screenshot(tmp_path: Path) -> Callable[[Page, str], Path]:
    """Takes a picture of a page at rest, for a person to look at; gives its path."""

    def take(page: Page, name: str) -> Path:
        path = tmp_path / f"{name}.png"
        page.screenshot(path=path, animations="disabled")
        return path

    return take
