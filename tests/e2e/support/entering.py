"""How a browser gets in."""

from playwright.sync_api import Page

from tests.e2e.support.serving import Serving

BLANK = "<!doctype html><link rel=icon href=data:,>"


def log_in(page: Page, serving: Serving) -> None:
    """Open the application as somebody who is logged in: by the link the first time, by its cookie after that.

    Logins are few by design, so that one who guesses does not get far; tests share theirs.
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
    """Log in, and open nothing: the page is an empty one of the server's origin, so that it can ask the server."""
    if not serving.cookies:
        log_in(page, serving)
    else:
        page.context.add_cookies(serving.cookies)
    blank = serving.url + "/blank"
    page.route(blank, lambda route: route.fulfill(body=BLANK, content_type="text/html"))
    page.goto(blank)
    page.unroute(blank)
