"""Takes screenshots of every page of the web application, light and dark, wide and narrow.

`./dev screenshots [folder [SOURCE…]]` prints the folder at the end; the default is build/screenshots. With sources,
such as a client's folder, the pages show what these contain, from a temporary vault; else sessions made up for this.
"""

import json
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT)]

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright  # noqa: E402 - the tool runs without an installed package

from chorus.keep.vault.keys import workspace_id  # noqa: E402
from chorus.steer.runs.run_folders import Runs  # noqa: E402
from tests.e2e.support import worlds  # noqa: E402
from tests.e2e.support.entering import log_in  # noqa: E402
from tests.e2e.support.pages import every_page  # noqa: E402
from tests.e2e.support.serving import Serving  # noqa: E402
from tests.support import actor  # noqa: E402
from tests.support.running import end, program  # noqa: E402
from tools import browser as browsers  # noqa: E402
from tools.walk.world import sync  # noqa: E402

THEMES = ("light", "dark")
SIZES: dict[str, dict[str, Any]] = {
    "wide": {"viewport": {"width": 1440, "height": 900}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}
TRANSCRIPT = re.compile(r"/c/[^/]+/[^/]+/[^/]+$")
STILL_MS = 400
"""How long to wait until a page has loaded its data and does not change any more."""
AGENTS = {
    "composer": ("work on the lights", "Then the foghorn, too."),
    "asking": ("ask before you scrape", ""),
    "question": ("question me about the paint", ""),
    "plan": ("plan the painting", ""),
    "idle": ("Which buoys are out of place?", ""),
    "ended": ("fail", ""),
}
"""Agents: their first message, and a message that waits."""
TOLD = """async ([place, prompt, later]) => {
  const headers = { 'X-Chorus': '1', 'Content-Type': 'application/json' }
  const told = (path, body) => fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  const run = await (await told('/api/runs', { place, message: { text: prompt } })).json()
  if (later) await told(`/api/runs/${run.id}/messages`, { text: later })
  return `/c/${run.conversation}`
}"""


def take(folder: Path, sources: Sequence[Path] = ()) -> list[Path]:
    """Takes all screenshots into `folder`; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    taken: list[Path] = []
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as place:
        browser = browsers.launch(playwright)
        if sources:
            given = Serving(Path(place, "given"))
            sync(given, sources)
            taken += _take_world(browser, given, folder, {})
        else:
            for world, sessions in {"first-run": [], "": worlds.small()}.items():
                server = Serving(Path(place, world or "small"))
                server.write(*sessions)
                workplace = _set_up(server, Path(place))
                first = {world: "/", f"{world}-search": "/search"} if world else {}
                taken += _take_world(browser, server, folder, first, workplace)
        browser.close()
    return taken


def _take_world(
    browser: Browser, server: Serving, folder: Path, first: dict[str, str], workplace: str = ""
) -> list[Path]:
    """Takes the pages of one server: those of `first`, else all; starts agents if there is a workspace for them."""
    server.start()
    taken: list[Path] = []
    at_work: dict[str, str] = {}
    try:
        for page, look in _looks(browser, server):
            if workplace and not first and not at_work:
                at_work = _set_to_work(page, workplace)
            for name, address in (first or every_page(page) | at_work).items():
                taken.append(_shot(page, server.url + address, folder / f"{name}-{look}.png"))
            if not first:
                taken += _shots_of_pairing(browser, page, server, folder, look)
    finally:
        for run, _ in Runs(server.vault).living():
            end(run)
        server.kill()
    return taken


def _shots_of_pairing(browser: Browser, page: Page, server: Serving, folder: Path, look: str) -> list[Path]:
    """Takes both screens of a pairing, which is refused at the end."""
    taken: list[Path] = []

    def shot(of: Page, name: str) -> None:
        of.wait_for_timeout(STILL_MS)
        taken.append(folder / f"{name}-{look}.png")
        of.screenshot(path=taken[-1], animations="disabled")

    context = _context(browser, server, look)
    phone = context.new_page()
    page.goto(server.url + "/settings")
    page.get_by_role("button", name="Pair a phone").click()
    shot(page, "settings-pair-scope")
    page.get_by_role("button", name="Show the QR code").click()
    shot(page, "settings-pair-code")
    phone.goto(page.get_by_role("dialog").locator("code").inner_text())
    shot(phone, "pair-name")
    phone.get_by_role("button", name="Pair this phone").click()
    phone.get_by_label("Code", exact=True).wait_for()
    shot(phone, "pair-code")
    page.get_by_role("button", name="Refuse").wait_for()
    shot(page, "settings-pair-confirm")
    page.get_by_role("button", name="Refuse").click()
    phone.get_by_role("alert").wait_for()
    shot(phone, "pair-refused")
    context.close()
    return taken


def _set_up(server: Serving, place: Path) -> str:
    """Configures a workspace and a scripted client; returns the id of the workspace."""
    work = (place / "harbour").resolve()
    work.mkdir(exist_ok=True)
    client = program(place / "claude", Path(actor.__file__).read_text(encoding="utf-8"))
    agents = [{"name": "ada", "model": "opus", "mode": "plan"}]
    settings = {"client": client, "workspaces": [{"id": workspace_id(str(work)), "path": str(work), "agents": agents}]}
    server.vault.mkdir(mode=0o700, parents=True)
    (server.vault / "config.json").write_text(json.dumps(settings))
    return workspace_id(str(work))


def _set_to_work(page: Page, workplace: str) -> dict[str, str]:
    """Starts agents; returns the pages that show them."""
    begun = {name: page.evaluate(TOLD, [workplace, *told]) for name, told in AGENTS.items()}
    page.wait_for_timeout(10 * STILL_MS)
    return {f"transcript-{name}": address for name, address in begun.items()}


def _looks(browser: Browser, server: Serving) -> Iterator[tuple[Page, str]]:
    """Yields a logged-in page for each theme and size."""
    for look in (f"{theme}-{size}" for theme in THEMES for size in SIZES):
        context = _context(browser, server, look)
        page = context.new_page()
        log_in(page, server)
        yield page, look
        context.close()


def _context(browser: Browser, server: Serving, look: str) -> BrowserContext:
    theme, size = look.split("-")
    return browsers.context(
        browser, server.url, browsers.DEAD, color_scheme=theme, device_scale_factor=2, **SIZES[size]
    )


def _shot(page: Page, url: str, path: Path) -> Path:
    page.goto(url)
    page.wait_for_timeout(STILL_MS)
    page.wait_for_function("!document.querySelector('[aria-busy=true]')")
    if TRANSCRIPT.search(url) and "/no/such/" not in url:
        page.wait_for_selector("[data-row]")
        page.wait_for_selector(".composer")
    page.screenshot(path=path, animations="disabled")
    return path


def main(arguments: list[str]) -> int:
    if any(each.startswith("-") for each in arguments):
        print(__doc__)
        return 0
    folder = Path(arguments[0]) if arguments else ROOT / "build" / "screenshots"
    taken = take(folder.absolute(), [Path(each).resolve() for each in arguments[1:]])
    print(f"{len(taken)} pictures in {folder.absolute()}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
