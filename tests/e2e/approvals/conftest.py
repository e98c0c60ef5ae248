"""Fixtures: one server for all tests that only ask and answer, and one browser that is an approver there."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext

from tests.e2e.approvals.cards import become_approver
from tests.e2e.support import worlds
from tests.e2e.support.asking import Agent
from tests.e2e.support.entering import log_in
from tests.e2e.support.lasting import served
from tests.e2e.support.serving import Serving
from tests.e2e.support.sink import Sink
from tests.e2e.support.watching import Contexts

asked = served(lambda server: server.write(*worlds.small()), "package")
"""The server; between the tests nothing waits there."""


@pytest.fixture
def serving(asked: Serving) -> Serving:
    return asked


@pytest.fixture(scope="package")
def laptop(browser: Browser, asked: Serving, nowhere: Sink) -> Iterator[BrowserContext]:
    """A browser that is an approver. A module that tests its decisions uses it as its `person`."""
    made = Contexts(browser, asked.url, nowhere.url, {})
    context = made.make()
    page = context.new_page()
    log_in(page, asked)
    become_approver(page)
    page.close()
    yield context
    made.close()


@pytest.fixture
def agent(serving: Serving) -> Iterator[Agent]:
    asking = Agent(serving)
    yield asking
    asking.leave()
