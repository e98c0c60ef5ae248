"""Takes screenshots of every page of the web application, light and dark, wide and narrow.

`./dev screenshots [folder]` prints the folder at the end; the default is build/screenshots.
"""

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT)]

from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402 - the tool runs without an installed package

from chorus.keep.vault.keys import workspace_id  # noqa: E402
from chorus.steer.runs.run_folders import Runs  # noqa: E402
from tests.e2e.support import worlds  # noqa: E402
from tests.e2e.support.entering import log_in  # noqa: E402
from tests.e2e.support.serving import Serving  # noqa: E402
from tests.support import actor  # noqa: E402
from tests.support.running import end, program  # noqa: E402
from tools import browser as browsers  # noqa: E402

THEMES = ("light", "dark")
SIZES = {"wide": {"width": 1440, "height": 900}, "phone": {"width": 390, "height": 844}}
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


def take(folder: Path) -> list[Path]:
    """Takes all screenshots into `folder`; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    taken: list[Path] = []
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as place:
        browser = browsers.launch(playwright)
        for world, sessions in {"first-run": [], "": worlds.small()}.items():
            server = Serving(Path(place, world or "small"))
            server.write(*sessions)
            workplace = _set_up(server, Path(place))
            server.start()
            at_work: dict[str, str] = {}
            try:
                for page, look in _looks(browser, server):
                    if not world and not at_work:
                        at_work = _set_to_work(page, workplace)
                    for name, address in (_pages(page, world) | at_work).items():
                        taken.append(_shot(page, server.url + address, folder / f"{name}-{look}.png"))
            finally:
                for run, _ in Runs(server.vault).living():
                    end(run)
                server.kill()
        browser.close()
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
    talks = {f"transcript-{name}": address for name, address in begun.items()}
    steady = {name: f"/{name}" for name in ("new", "approvals", "settings", "board", "rules", "budgets", "usage")}
    return steady | talks


def _looks(browser: Browser, server: Serving) -> Iterator[tuple[Page, str]]:
    """Yields a logged-in page for each theme and size."""
    for theme in THEMES:
        for size, viewport in SIZES.items():
            look: dict[str, Any] = {"color_scheme": theme, "viewport": viewport, "device_scale_factor": 2}
            context = browsers.context(browser, server.url, browsers.DEAD, **look)
            page = context.new_page()
            log_in(page, server)
            yield page, f"{theme}-{size}"
            context.close()


def _pages(page: Page, world: str) -> dict[str, str]:
    """Returns every page of the application: a name for its screenshots → its address."""
    if world:
        return {world: "/", f"{world}-search": "/search"}
    listed = page.evaluate("async () => (await fetch('/api/conversations')).json()")["conversations"]
    known = [each for each in listed if each["id"] in worlds.NAMES]
    transcripts = {f"transcript-{worlds.NAMES[each['id']]}": f"/c/{each['name']}" for each in known}
    found = {"search": "/search?q=wind", "search-nothing": "/search?q=zeppelin", "search-wrong": "/search?q=%22open"}
    return {"conversations": "/", "filtered": "/?q=tide", "missing": "/c/no/such/conversation", **found, **transcripts}


def _shot(page: Page, url: str, path: Path) -> Path:
    page.goto(url)
    page.wait_for_timeout(STILL_MS)
    page.wait_for_function("!document.querySelector('[aria-busy=true]')")
    if "/c/" in url and "/no/such/" not in url:
        page.wait_for_selector("[data-row]")
        page.wait_for_selector(".composer")
    page.screenshot(path=path, animations="disabled")
    return path


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else ROOT / "build" / "screenshots"
    taken = take(folder.absolute())
    print(f"{len(taken)} pictures in {folder.absolute()}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
