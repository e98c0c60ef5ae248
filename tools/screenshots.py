"""Pictures of every page of the web application, light and dark, wide and narrow, for people to look at.

`./dev screenshots [folder]` names the folder when it is done; without one it is build/screenshots.
"""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT)]

from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402 - the tool runs without an installed package

from tests.e2e.support import worlds  # noqa: E402
from tests.e2e.support.entering import log_in  # noqa: E402
from tests.e2e.support.serving import Serving  # noqa: E402
from tools import browser as browsers  # noqa: E402

THEMES = ("light", "dark")
SIZES = {"wide": {"width": 1440, "height": 900}, "phone": {"width": 390, "height": 844}}
STILL_MS = 400
"""How long a page is given to ask for its data and come to rest."""


def take(folder: Path) -> list[Path]:
    """Take all pictures into `folder`; gives their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    taken: list[Path] = []
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as place:
        browser = browsers.launch(playwright)
        for world, sessions in {"first-run": [], "": worlds.small()}.items():
            server = Serving(Path(place, world or "small"))
            server.write(*sessions)
            server.start()
            try:
                for page, look in _looks(browser, server):
                    for name, address in _pages(page, world).items():
                        taken.append(_shot(page, server.url + address, folder / f"{name}-{look}.png"))
            finally:
                server.kill()
        browser.close()
    return taken


def _looks(browser: Browser, server: Serving) -> Iterator[tuple[Page, str]]:
    """A page for each theme and size, logged in."""
    for theme in THEMES:
        for size, viewport in SIZES.items():
            look: dict[str, Any] = {"color_scheme": theme, "viewport": viewport, "device_scale_factor": 2}
            context = browsers.context(browser, server.url, browsers.DEAD, **look)
            page = context.new_page()
            log_in(page, server)
            yield page, f"{theme}-{size}"
            context.close()


def _pages(page: Page, world: str) -> dict[str, str]:
    """Every page of the application: a name for its pictures, and its address."""
    if world:
        return {world: "/", f"{world}-search": "/search"}
    listed = page.evaluate("async () => (await fetch('/api/conversations')).json()")["conversations"]
    transcripts = {f"transcript-{worlds.NAMES[each['id']]}": f"/c/{each['name']}" for each in listed}
    found = {"search": "/search?q=wind", "search-nothing": "/search?q=zeppelin", "search-wrong": "/search?q=%22open"}
    return {"conversations": "/", "filtered": "/?q=tide", "missing": "/c/no/such/conversation", **found, **transcripts}


def _shot(page: Page, url: str, path: Path) -> Path:
    page.goto(url)
    page.wait_for_timeout(STILL_MS)
    page.wait_for_function("!document.querySelector('[aria-busy=true]')")
    if "/c/" in url and "/no/such/" not in url:
        page.wait_for_selector("[data-row]")
    page.screenshot(path=path, animations="disabled")
    return path


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else ROOT / "build" / "screenshots"
    taken = take(folder.absolute())
    print(f"{len(taken)} pictures in {folder.absolute()}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
