"""Tests the harness itself: it notices what it promises to notice."""

from tests.e2e.support import accessibility
from tests.e2e.support.watching import Watch
from tools import browser as browsers

ORIGIN = "http://127.0.0.1:9"
"""Nobody is asked there: the pages of these tests are made up."""
POLICY = "default-src 'none'; script-src 'self'; require-trusted-types-for 'script'; trusted-types chorus"


def test_what_leaves_is_noticed(browser, nowhere):
    """The proxy sees a picture, a beacon, a prefetch and a socket to other hosts; the watch sees picture and socket."""
    context = browsers.context(browser, ORIGIN, nowhere.url)
    watch = Watch(context, ORIGIN)
    page = context.new_page()
    page.set_content(
        '<img src="http://img.invalid/x.png"><link rel=prefetch href="http://ahead.invalid/">'
        '<script>navigator.sendBeacon("http://beacon.invalid/"); new WebSocket("ws://socket.invalid/")</script>'
    )
    arrived, wanted = "", ("img.", "ahead.", "beacon.", "socket.")
    for _ in range(100):
        arrived += " ".join(nowhere.take())
        if all(name in arrived for name in wanted) and watch.sockets:
            break
        page.wait_for_timeout(50)
    context.close()

    assert [name for name in wanted if name not in arrived] == []
    assert {"http://img.invalid/x.png", "ws://socket.invalid/"} <= set(watch.off_origin())


def test_errors_are_noticed(browser, nowhere):
    """Uncaught exceptions and console errors are collected until the test says that it expects them."""
    context = browsers.context(browser, ORIGIN, nowhere.url)
    watch = Watch(context, ORIGIN)
    page = context.new_page()
    page.set_content("<script>console.error('lost'); setTimeout(() => { throw Error('adrift') })</script>")
    page.wait_for_timeout(100)
    context.close()

    logged, thrown = watch.unexpected()
    assert "error: lost" in logged
    assert "adrift" in thrown
    watch.expect("lost")
    watch.expect("adrift")
    assert watch.unexpected() == []


def test_what_keeps_people_out_is_noticed(browser, nowhere):
    """axe finds the faults of a page under the strictest policy, and the page does not see axe."""
    context = browsers.context(browser, ORIGIN, nowhere.url)
    page = context.new_page()
    html = '<!doctype html><html lang=en><title>x</title><main><img src="/x.png"><button></button></main>'
    headers = {"Content-Security-Policy": POLICY, "Content-Type": "text/html"}
    page.route("**/*", lambda route: route.fulfill(body=html, headers=headers))
    page.goto(ORIGIN + "/bad")

    found = accessibility.findings(page)
    seen = page.evaluate("typeof window.axe")
    context.close()

    assert {line.split()[0] for line in found} >= {"image-alt", "button-name"}
    assert seen == "undefined"
