"""Watches what a page does during a test: its errors, and every request that it makes."""

import re
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, WebError, WebSocket, expect

from tools import browser as browsers

PATIENCE_MS = 10_000
LOCAL = {"blob", "data", "about"}
"""Schemes that never reach the network."""


class Contexts:
    """The browser contexts of one test, each with a watch."""

    def __init__(self, browser: Browser, origin: str, elsewhere: str, settings: dict[str, Any]) -> None:
        self._browser, self._origin, self._elsewhere, self._settings = browser, origin, elsewhere, settings
        self._made: list[tuple[BrowserContext, Watch]] = []
        self._joined: list[BrowserContext] = []
        expect.set_options(timeout=PATIENCE_MS)

    def make(self, **more: Any) -> BrowserContext:
        """Returns a new context, as another person on another machine would have."""
        context = browsers.context(self._browser, self._origin, self._elsewhere, **self._settings | more)
        context.set_default_timeout(PATIENCE_MS)
        self._made.append((context, Watch(context, self._origin)))
        return context

    def join(self, context: BrowserContext) -> BrowserContext:
        """Watches an existing context, which remains after the test while its pages are closed."""
        self._joined.append(context)
        self._made.append((context, Watch(context, self._origin)))
        return context

    @property
    def watches(self) -> "list[Watch]":
        return [watch for _, watch in self._made]

    def watch_of(self, page: Page) -> "Watch":
        return next(watch for context, watch in self._made if context == page.context)

    def close(self) -> None:
        for context, _ in self._made:
            if context in self._joined:
                for page in context.pages:
                    page.close()
            else:
                context.close()


class Watch:
    """Everything that happened in the pages of one context."""

    def __init__(self, context: BrowserContext, origin: str) -> None:
        self.origin = origin
        self.errors: list[str] = []
        """Errors and warnings on the console, and exceptions that nobody caught."""
        self.requests: list[Request] = []
        self.sockets: list[WebSocket] = []
        self._expected: list[re.Pattern[str]] = [re.compile("Service Worker registration blocked by Playwright")]
        context.on("console", self._console)
        context.on("weberror", self._failed)
        context.on("request", self._asked)
        context.on("page", self._page)

    def expect(self, pattern: str) -> None:
        """Marks errors that match as expected, both earlier and later ones."""
        self._expected.append(re.compile(pattern))

    def unexpected(self) -> list[str]:
        return [error for error in self.errors if not any(each.search(error) for each in self._expected)]

    def off_origin(self) -> list[str]:
        """Returns the addresses outside the server's own origin that a page requested."""
        asked = [request.url for request in self.requests] + [socket.url for socket in self.sockets]
        return [url for url in asked if urlsplit(url).scheme not in LOCAL and not self._is_own(url)]

    def _is_own(self, url: str) -> bool:
        return re.sub(r"^ws", "http", url).startswith(self.origin + "/")

    def _page(self, page: Page) -> None:
        page.on("websocket", self._socket)

    # Playwright sets attributes on the functions that it is given, which `list.append` does not allow.
    def _asked(self, request: Request) -> None:
        self.requests.append(request)

    def _socket(self, socket: WebSocket) -> None:
        self.sockets.append(socket)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning", "assert"}:
            self.errors.append(f"{message.type}: {message.text} ({message.location['url']})")

    def _failed(self, error: WebError) -> None:
        self.errors.append(f"uncaught: {error.error}")
