"""Logs a browser in."""

from playwright.sync_api import Page

from tests.e2e.support.serving import Serving

BLANK = "<!doctype html><link rel=icon href=data:,>"


def log_in(page: Page, serving: Serving) -> None:
    """Opens the application as a logged-in person, with the login link the first time and with its cookie after that.

    The server limits the number of logins to stop guessing, so tests share a login.
    """
    if serving.cookies:
        page.context.add_cookies(serving.cookies)
        page.goto(serving.url + "/")
        return
    page.goto(serving.link)
    page.wait_for_url(lambda url: "#" not in url)
    page.get_by_role("navigation", name="Pages").wait_for()
    serving.cookies = page.context.cookies()
    assert serving.cookies, "the link gave no login"


def let_in(page: Page, serving: Serving) -> None:
    """Logs in and opens an empty page of the server's origin, from which a test can send requests to the server."""
    if not serving.cookies:
        log_in(page, serving)
    else:
        page.context.add_cookies(serving.cookies)
    blank = serving.url + "/blank"
    page.route(blank, lambda route: route.fulfill(body=BLANK, content_type="text/html"))
    page.goto(blank)
    page.unroute(blank)
