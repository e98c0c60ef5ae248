"""Tests that Chromium draws the corpora of the unit tests under the policy of the server."""

import mimetypes
from urllib.request import urlopen

import pytest
from playwright.sync_api import Page, Route

from chorus.show.server.edge.headers import POLICY
from tests.e2e.conftest import reading
from tests.e2e.support.scripts import built_corpora
from tests.e2e.support.serving import Serving

PAGE = (
    "<!doctype html><link rel=icon href=/corpora/icon.svg><body><script type=module src=/corpora/corpora.js></script>"
)
PATIENCE_MS = 60_000

serving = pytest.fixture(reading)


def open_corpora(page: Page, serving: Serving, script: str | None = None) -> list[str]:
    """Draws the corpora in a page with the headers of the application, and returns what went wrong."""
    folder = built_corpora()
    with urlopen(serving.url + "/") as application:
        headers = {name: value for name, value in application.headers.items() if name.lower() != "content-length"}

    def give(route: Route) -> None:
        path = route.request.url.removeprefix(f"{serving.url}/corpora/")
        if path == "":
            route.fulfill(body=PAGE, headers=headers)
        elif path == "icon.svg":
            route.fulfill(body="<svg xmlns='http://www.w3.org/2000/svg'/>", content_type="image/svg+xml")
        elif path == "corpora.js" and script is not None:
            route.fulfill(body=script, content_type="text/javascript")
        else:
            route.fulfill(path=folder / path, content_type=mimetypes.guess_type(path)[0])

    page.route(f"{serving.url}/corpora/**", give)
    answer = page.goto("/corpora/")
    assert answer is not None
    assert answer.header_value("content-security-policy") == POLICY.decode()
    found = page.locator("#found")
    found.wait_for(state="attached", timeout=PATIENCE_MS)
    return (found.text_content() or "").splitlines()


def test_the_policy_is_in_force(entered, serving, contexts):
    """As a control, a script that sets HTML in that page is refused."""
    contexts.watch_of(entered).expect("TrustedHTML")
    script = """
      const found = document.createElement("pre")
      found.id = "found"
      try { document.createElement("i").innerHTML = "&copy;" } catch (error) { found.textContent = String(error) }
      document.body.append(found)
    """

    assert any("TrustedHTML" in line for line in open_corpora(entered, serving, script))


def test_every_corpus_is_drawn_under_the_policy(entered, serving, contexts):
    """Hostile texts in every field and Markdown of every kind are drawn without a failure or a refusal."""
    contexts.watch_of(entered).expect("/api/")
    found = open_corpora(entered, serving)

    assert found == [], "\n".join(found[:20])
    assert int(entered.locator("#found").get_attribute("data-drawn")) > 30
