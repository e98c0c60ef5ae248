"""What a person waits for: a new line on the screen, opening a long conversation, loading the application."""

import gzip
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from bench.keeping import watcher_lags
from bench.measure import Figure
from chorus.keep.vault.keys import workspace_id
from chorus.show.server.edge.static import BUNDLE
from chorus.testing.builders import Session
from chorus.testing.builders.lines import Clock, Ids
from tests.e2e.support.entering import log_in
from tests.e2e.support.serving import Serving
from tools import browser as browsers

if TYPE_CHECKING:
    from playwright.sync_api import Page

PAINT_TARGET_S, FEW, MANY = 1.0, 200, 50_000
LISTED = 10_000
_FIRST_PAGE = 100
"""How many conversations the application requests at once."""
_LINES = 100
_PATIENCE_MS = 300_000
_WATCH = """() => {
  window.seen = {}
  const look = (node) => {
    for (const [, mark] of (node.textContent ?? "").matchAll(/mark=(\\d+);/g))
      window.seen[mark] ??= performance.timeOrigin + performance.now()
  }
  new MutationObserver((changes) => {
    for (const change of changes) for (const node of change.addedNodes) look(node)
  }).observe(document.body, { childList: true, subtree: true })
}"""
_PAINTED = """(sought) => new Promise((resolve) => {
  const look = () => {
    const row = document.querySelector(sought)
    if (row && row.getBoundingClientRect().height > 0) requestAnimationFrame(() => resolve(performance.now()))
    else requestAnimationFrame(look)
  }
  look()
})"""
_NOW = "() => performance.now()"


def on_screen(lines: int = _LINES) -> Figure:
    """Compares the delay from a written line to its row in a browser with the delay of the watcher alone."""
    alone = watcher_lags(lines)
    with _opened(FEW) as (page, serving, talk, path):
        page.goto(_address(serving, talk))
        page.wait_for_selector("[data-row]", timeout=_PATIENCE_MS)
        page.evaluate(_WATCH)
        written: dict[str, float] = {}
        for n in range(lines):
            data = [talk.user(f"line mark={n};")]
            written[str(n)] = serving.append(path, data) * 1000
            page.wait_for_function("(n) => n in window.seen", arg=str(n), timeout=_PATIENCE_MS)
            time.sleep(0.02)
        seen = page.evaluate("() => window.seen")
    lags = sorted(seen[n] - at for n, at in written.items())
    p50, p99 = lags[len(lags) // 2], lags[int(len(lags) * 0.99)]
    detail = f"p50/p99: watcher {alone[0]:.0f}/{alone[1]:.0f} ms, on the screen {p50:.0f}/{p99:.0f} ms"
    return Figure("a live line on the screen against the watcher's own delay", p99 / alone[1], "", None, detail)


def first_paint(messages: int = MANY) -> Figure:
    """Measures the time from entering the address of a long conversation until its first rows are drawn; the detail has
    a short one."""
    short, long = _paint(FEW), _paint(messages)
    detail = f"{messages:,} messages; {short:.2f} s with {FEW}; the first look at it after a start of the server"
    return Figure("a long conversation opened, s", long, f"≤ {PAINT_TARGET_S:g}", long <= PAINT_TARGET_S, detail)


def long_list(conversations: int = LISTED) -> Iterator[Figure]:
    """Measures a list of many conversations: opening it, filtering it, and loading more than the first part."""
    days = timedelta(days=300) / conversations
    began = datetime.now(UTC) - timedelta(days=301)
    talks = [_short_talk(n, began + n * days) for n in range(conversations)]
    sought, further = talks[conversations // 3], talks[-_FIRST_PAGE - 1]
    with _served(talks) as (page, serving):
        opened = _timed_paint(page, serving.url, "[data-conversation]")
        field = page.get_by_role("combobox", name="Filter conversations")
        begun = page.evaluate(_NOW)
        field.fill(f"harbour{conversations // 3}")
        narrowed = page.evaluate(_PAINTED, f'[data-conversation$="{sought.id}"]') - begun
        field.fill("")
        page.wait_for_selector(f'[data-conversation$="{talks[-1].id}"]', timeout=_PATIENCE_MS)
        field.blur()
        begun = page.evaluate(_NOW)
        page.keyboard.press("End")
        went_on = page.evaluate(_PAINTED, f'[data-conversation$="{further.id}"]') - begun
    for name, value in {"opened": opened, "narrowed": narrowed / 1000, "read on": went_on / 1000}.items():
        is_met = value <= PAINT_TARGET_S
        yield Figure(f"a list {name}, s", value, f"≤ {PAINT_TARGET_S:g}", is_met, f"{conversations:,} conversations")


def bundle_size() -> Figure:
    """Returns the compressed size of what the browser loads before it can draw, and of the rest."""
    shell = (BUNDLE / "index.html").read_text()
    assets = sorted((BUNDLE / "assets").iterdir())
    first = sum(_packed(path) for path in assets if path.name in shell)
    rest = sum(_packed(path) for path in assets if path.name not in shell)
    detail = f"packed; {rest / 1e3:.0f} kB more as they are needed"
    return Figure("the application, kB", first / 1e3, "", None, detail)


def _packed(path: Path) -> int:
    return len(gzip.compress(path.read_bytes()))


def _paint(messages: int) -> float:
    with _opened(messages) as (page, serving, talk, _):
        return _timed_paint(page, _address(serving, talk), "[data-row]")


def _timed_paint(page: "Page", address: str, sought: str) -> float:
    """Returns the seconds from entering an address until the first element that matches is drawn."""
    page.goto("about:blank")
    page.goto(address, wait_until="commit")
    return float(page.evaluate(_PAINTED, sought)) / 1000


def _address(serving: Serving, talk: Session) -> str:
    return f"{serving.url}/c/{workspace_id(talk.cwd)}/main/{talk.id}"


def _short_talk(number: int, began: datetime) -> Session:
    session_id = f"1157{number:04x}-0000-4000-8000-{number:012x}"
    cwd, branch = f"/home/dev/project{number % 60}", f"branch{number % 7}"
    talk = Session(session_id, cwd=cwd, branch=branch, clock=Clock(began.isoformat()), ids=Ids(session_id))
    talk.user(f"Look at harbour{number}, " + "please " * (number % 12))
    talk.assistant(f"Harbour {number} is in order.")
    return talk


@contextmanager
def _opened(messages: int) -> "Iterator[tuple[Page, Serving, Session, Path]]":
    """Yields a browser that is logged in to a server with one conversation, and the file of that conversation."""
    began = datetime.now(UTC) - timedelta(seconds=messages + 60)
    talk = Session(clock=Clock(began.isoformat()))
    for n in range(messages // 2):
        talk.user(f"prompt {n} " + "word " * 60)
        talk.assistant(f"answer {n} " + "word " * 200)
    with _served([talk]) as (page, serving):
        (path,) = (serving.claude / "projects").rglob(f"{talk.id}.jsonl")
        yield page, serving, talk, path


@contextmanager
def _served(talks: list[Session]) -> "Iterator[tuple[Page, Serving]]":
    """Yields a browser that is logged in to a server with these conversations."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        serving = Serving(Path(folder))
        serving.write(*talks)
        serving.start(patience_s=_PATIENCE_MS / 1000)
        running = browsers.launch(playwright)
        try:
            page = browsers.context(running, serving.url, browsers.DEAD).new_page()
            log_in(page, serving)
            yield page, serving
        finally:
            running.close()
            serving.kill()
