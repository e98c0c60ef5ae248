"""Reads every conversation in a real browser: all rows, threads and panels, with everything open."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from playwright.async_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    Response,
    async_playwright,
)
from playwright.async_api import Error as PlaywrightError

from tests.e2e.support.serving import Serving
from tools import browser as browsers
from tools.walk.findings import Section, Visit

HERE = Path(__file__).resolve().parent
READING = (HERE / "reading.js").read_text(encoding="utf-8")
ASKING = (HERE / "asking.js").read_text(encoding="utf-8")
LISTED = """async () => {
  const found = []
  for (;;) {
    const answer = await (await fetch(`/api/conversations?limit=100&start=${found.length}`)).json()
    if (answer.conversations.length === 0) return found
    found.push(...answer.conversations.map((each) => [each.name, each.id]))
  }
}"""
_PICTURE = "/image?"
IS_NO_PICTURE = """async (address) => {
  const asked = new URL(address)
  const nth = Number(asked.searchParams.get("nth") ?? 0)
  asked.searchParams.delete("nth")
  asked.pathname = asked.pathname.replace(/image$/, "record")
  const answer = await fetch(asked)
  if (!answer.ok) return false
  const sources = []
  const look = (value) => {
    if (value === null || typeof value !== "object") return
    if (value.type === "image" && typeof value.source === "object") sources.push(value.source ?? {})
    else Object.values(value).forEach(look)
  }
  look(JSON.parse((await answer.json()).text))
  const kinds = /^(?:iVBORw0KGgo|R0lGOD|UklGR|[/]9j[/])/
  return sources.length > nth && !kinds.test(sources[nth].data ?? "")
}"""
"""Returns whether the record that the address of a picture names has data there that is no picture of a known kind."""
TO_ITS_END = (
    "(selector) => document.querySelectorAll(selector).forEach((each) => { each.scrollTop = each.scrollHeight })"
)
ELSEWHERE = (
    *(
        "/",
        "/board",
        "/now",
        "/search",
        "/search?q=the",
        "/approvals",
        "/rules",
        "/budgets",
        "/usage",
        "/usage?by=model",
        "/compare",
        "/new",
    ),
    "/settings",
    "/c/no/such/conversation",
)
AT_ONCE = 2
"""How many pages are read at the same time: the browser and the server share the machine."""
VIEW = {"width": 1400, "height": 2400}
"""A tall window needs fewer steps for the same rows."""
QUIET_S = 120
"""If nothing new is seen or opened in a thread for this time, its end cannot be reached."""
MAX_CLICKS = 3_000
"""With more folds than this, a row is reported as endless."""
SHORT_MS = 15_000
PLAYER_MS = 60
"""How long the player gets to draw after a key."""


async def walk_pages(
    server: Serving,
    *,
    only: Iterable[str] | None = None,
    prepare: Callable[[BrowserContext], Awaitable[object]] | None = None,
) -> Section:
    """Reads all conversations of a running server, or those whose ids are in `only`.

    `prepare` is called with the browser's context before anything is opened in it.
    """
    section = Section("page")
    async with async_playwright() as playwright:
        browser = await _launch(playwright)
        context = await _entered(browser, server)
        if prepare is not None:
            await prepare(context)
        first = await context.new_page()
        watch = Watch(first, section)
        await _look_elsewhere(first, watch, section, server.url)
        listed = await first.evaluate(LISTED)
        await first.close()
        wanted = set(only) if only is not None else None
        names = [name for name, session in listed if wanted is None or session in wanted]
        queue: asyncio.Queue[str] = asyncio.Queue()
        for name in names:
            queue.put_nowait(name)
        await asyncio.gather(*(_worker(context, queue, section) for _ in range(AT_ONCE)))
        await browser.close()
    for line in server.complaints():
        section.found("server", "error in its log", line)
    return section


async def _launch(playwright: Any) -> Browser:
    chosen = browsers.chromium(Path(playwright.chromium.executable_path))
    return await playwright.chromium.launch(
        executable_path=chosen.program,
        args=list(browsers.FLAGS),
        env=browsers.environment(chosen),
        proxy={"server": browsers.DEAD},
    )


async def _entered(browser: Browser, server: Serving) -> BrowserContext:
    """Returns a browser context that is logged in and can access only the server."""
    # The walk sees what a person sees, also where the service worker answers.
    settings = browsers.context_settings(server.url, browsers.DEAD, viewport=VIEW, service_workers="allow")
    context = await browser.new_context(**settings)
    if server.cookies:
        await context.add_cookies(server.cookies)
        return context
    page = await context.new_page()
    await page.goto(server.link)
    await page.get_by_role("navigation", name="Pages").wait_for()
    await page.close()
    server.cookies = await context.cookies()
    return context


class Watch:
    """Reports the errors of a page together with the address that is being read."""

    def __init__(self, page: Page, section: Section) -> None:
        self.where = "before the first page"
        self._section = section
        self.expected: tuple[str, ...] = ()
        self.pictures: list[str] = []
        """Addresses of refused pictures. A refusal is correct for data that is no picture; this is checked later."""
        page.on("console", self._console)
        page.on("pageerror", self._uncaught)
        page.on("response", self._answered)
        page.on("requestfailed", self._failed)

    def _console(self, message: ConsoleMessage) -> None:
        if _PICTURE in message.location.get("url", ""):
            return
        if message.type in {"error", "warning", "assert"} and not self._is_expected(message.text):
            self._section.found(self.where, f"console {message.type}", message.text)

    def _uncaught(self, error: PlaywrightError) -> None:
        self._section.found(self.where, "uncaught error", str(error))

    def _answered(self, answer: Response) -> None:
        if answer.status == 404 and _PICTURE in answer.url:
            self.pictures.append(answer.url)
        elif answer.status >= 400 and not self._is_expected(str(answer.status)):
            self._section.found(self.where, f"request refused ({answer.status})", answer.url)

    def _failed(self, request: Request) -> None:
        # A request that the page itself aborted by navigating away is no failure.
        if request.failure and "ERR_ABORTED" not in request.failure:
            self._section.found(self.where, "request failed", f"{request.url}: {request.failure}")

    def _is_expected(self, text: str) -> bool:
        return any(each in text for each in self.expected)


async def _look_elsewhere(page: Page, watch: Watch, section: Section, origin: str) -> None:
    """Visits the other pages, and the dialogs that open on all pages."""
    for address in ELSEWHERE:
        watch.where, begun = address, time.monotonic()
        watch.expected = ("404",) if "no/such" in address else ()
        await page.goto(origin + address)
        await page.get_by_role("main").wait_for()
        await page.locator("[data-loading]").first.wait_for(state="hidden", timeout=SHORT_MS)
        await _failures(page, section, watch.where)
        section.visits.append(Visit(address, time.monotonic() - begun))
    watch.expected = ()
    await page.goto(origin + "/")
    await page.get_by_role("region", name="Conversations").wait_for()
    for keys in ("Control+k", "?"):
        watch.where = f"/ {keys}"
        await page.keyboard.press(keys)
        await page.get_by_role("dialog").first.wait_for(timeout=SHORT_MS)
        await _failures(page, section, watch.where)
        await page.keyboard.press("Escape")


async def _worker(context: BrowserContext, queue: "asyncio.Queue[str]", section: Section) -> None:
    page = await context.new_page()
    watch = Watch(page, section)
    while not queue.empty():
        name = queue.get_nowait()
        watch.where = name
        try:
            await _conversation(page, watch, section, name)
        except (PlaywrightError, TimeoutError) as error:
            section.found(watch.where, "walk ended", str(error))
            await page.close()
            page = await context.new_page()
            watch = Watch(page, section)
    await page.close()


async def _conversation(page: Page, watch: Watch, section: Section, name: str) -> None:
    """Reads all threads of a conversation and their branches, then its panels."""
    path = "/c/" + "/".join(quote(part, safe="") for part in name.split("/"))
    if page.url == "about:blank":
        await page.goto("/approvals")
    parts: Sequence[dict[str, Any]] = await page.evaluate(ASKING, quote(name))
    for part in parts:
        place = {key: part[key] for key in ("thread", "branch") if part[key]}
        watch.where = f"{name} {' '.join(f'{key} {value}' for key, value in place.items())}".rstrip()
        begun = time.monotonic()
        await page.goto(f"{path}?{urlencode(place)}" if place else path)
        counts = await _thread(page, section, watch.where, part["rows"])
        for address in watch.pictures:
            if not await page.evaluate(IS_NO_PICTURE, address):
                section.found(watch.where, "request refused (404)", address)
        watch.pictures.clear()
        if not place:
            await _panels(page, watch, section)
            await _player(page, watch, section)
            await _files(page, watch, section, path)
            await _changes(page, watch, section, path)
            await _blame(page, watch, section, name.partition("/")[0])
        section.visits.append(Visit(watch.where, time.monotonic() - begun, counts))


async def _thread(page: Page, section: Section, where: str, wanted: Sequence[str]) -> dict[str, int]:
    """Reads the current thread of the page; every row that the server has must be seen."""
    rows = page.locator(".message-scroller article")
    nothing = page.get_by_role("heading", name="No messages yet")
    await rows.first.or_(nothing).first.wait_for(timeout=4 * SHORT_MS)
    async with page.expect_response(lambda answer: "/rows?" in answer.url and "internal=" in answer.url):
        await page.keyboard.press("i")
    if not wanted:
        return {"threads": 1}
    await rows.first.wait_for(timeout=SHORT_MS)
    await page.keyboard.press("Shift+E")
    await page.keyboard.press("t")
    await page.keyboard.press("Home")
    await page.locator(".message-scroller .list-edge").wait_for(timeout=SHORT_MS)
    read = await page.evaluate(READING, {"seconds": QUIET_S, "mostClicks": MAX_CLICKS})
    for told in read["failed"]:
        section.found(where, "failed to draw", told)
    for row in read["endless"]:
        section.found(where, "folds without end", row)
    if not read["isEnd"]:
        seen = f"{len(read['seen'])} of {len(wanted)} rows were seen"
        section.found(where, "no end", f"{seen}, then nothing new for {QUIET_S} s")
    elif missing := [row for row in wanted if row not in read["seen"]]:
        section.found(where, "rows not shown", f"{len(missing)} of {len(wanted)}: {', '.join(missing[:5])}")
    if read["widest"] > 1:
        section.found(where, "wider than the page", f"by {read['widest']} px: {read['wide']}")
    await _records(page, section, where, sorted(set(read["seen"].values())))
    return {"threads": 1, "rows": len(read["seen"]), "folds": read["opened"]}


async def _records(page: Page, section: Section, where: str, types: Sequence[str]) -> None:
    """Opens the raw records of one row of each type."""
    await page.keyboard.press("End")
    for type_ in types:
        row = page.locator(f'.message-scroller [data-key] > article[data-type="{type_}"]').last
        if await row.count() == 0:
            continue
        await row.evaluate("(row) => row.click()")
        await page.keyboard.press("r")
        sheet = page.get_by_role("dialog", name="Raw record")
        if await sheet.count():
            await sheet.locator(".record-text, [role=alert]").first.or_(sheet.locator("header")).first.wait_for()
            await _failures(page, section, f"{where} raw record of {type_}")
            await page.keyboard.press("Escape")


async def _panels(page: Page, watch: Watch, section: Section) -> None:
    """Opens the session panel, scrolls the outline to its end, and searches for a word."""
    where = watch.where
    await page.keyboard.press("s")
    panel = page.get_by_label("Session", exact=True)
    await panel.wait_for(timeout=SHORT_MS)
    await _failures(page, section, f"{where} panels")
    await page.keyboard.press("s")
    await page.evaluate(TO_ITS_END, ".outline-list")
    await page.keyboard.press("/")
    await page.keyboard.type("the")
    await page.locator(".find-count").wait_for(timeout=SHORT_MS)
    await _failures(page, section, f"{where} find")
    await page.keyboard.press("Escape")


async def _player(page: Page, watch: Watch, section: Section) -> None:
    """Opens the player, steps from the beginning to some moments, and looks at the state there."""
    where = f"{watch.where} player"
    await page.keyboard.press("v")
    player = page.get_by_role("region", name="Player")
    await player.wait_for(timeout=4 * SHORT_MS)
    await page.wait_for_timeout(PLAYER_MS)
    for key in ("Home", "Shift+S", "a", "n", "ArrowRight", "5", "End"):
        await page.keyboard.press(key)
        await page.wait_for_timeout(PLAYER_MS)
        await _failures(page, section, f"{where} {key}")
    await page.keyboard.press("v")
    await player.wait_for(state="detached", timeout=SHORT_MS)


async def _files(page: Page, watch: Watch, section: Section, path: str) -> None:
    """Opens the files of a conversation, and the first of them."""
    where = f"{watch.where} files"
    await page.goto(f"{path}/files")
    await page.get_by_role("heading", name="Files", exact=True).wait_for(timeout=4 * SHORT_MS)
    await page.locator("[data-loading]").first.wait_for(state="hidden", timeout=4 * SHORT_MS)
    await _failures(page, section, where)
    first = page.get_by_role("main").locator("nav a, li a").first
    if await first.count():
        await first.click()
        await page.locator("[data-loading]").first.wait_for(state="hidden", timeout=4 * SHORT_MS)
        await _failures(page, section, f"{where}, the first one")


async def _changes(page: Page, watch: Watch, section: Section, path: str) -> None:
    """Opens what a conversation changed in files."""
    await page.goto(f"{path}/changes")
    await page.get_by_role("heading", name="Changes", exact=True).wait_for(timeout=4 * SHORT_MS)
    await page.locator("[data-loading]").first.wait_for(state="hidden", timeout=4 * SHORT_MS)
    await _failures(page, section, f"{watch.where} changes")


async def _blame(page: Page, watch: Watch, section: Section, workspace: str) -> None:
    """Opens the blame of the first file that *Changes* names, else the page on which a reader names a file."""
    # A file of a recorded session need not exist on this machine.
    watch.expected = ("404",)
    link = page.get_by_role("main").get_by_role("link", name="Blame").first
    if await link.count():
        await link.click()
    else:
        await page.goto(f"/blame/{quote(workspace, safe='')}")
    await page.get_by_role("heading", name="Blame", exact=True).wait_for(timeout=4 * SHORT_MS)
    await page.locator("[data-loading]").first.wait_for(state="hidden", timeout=4 * SHORT_MS)
    watch.expected = ()
    await _failures(page, section, f"{watch.where} blame")


async def _failures(page: Page, section: Section, where: str) -> None:
    for told in await page.locator("[data-failed]").all_text_contents():
        section.found(where, "failed to draw", told)
