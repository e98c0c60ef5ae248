"""Samples what a transcript shows, frame by frame, while a person scrolls."""

from typing import Any

from playwright.sync_api import Page

WATCH = """() => {
  const box = document.querySelector('.message-scroller')
  const frame = box.getBoundingClientRect()
  const seen = window.__seen = { frames: 0, blank: 0, rows: 0, hours: new Set(), places: [], isOver: false }
  const look = () => {
    if (seen.isOver) return
    const rows = box.querySelectorAll('article[data-row]')
    const inView = [...rows].filter((row) => {
      const at = row.getBoundingClientRect()
      return at.bottom > frame.top + 8 && at.top < frame.bottom - 8 && row.textContent.trim() !== ''
    })
    seen.frames += 1
    seen.rows = Math.max(seen.rows, rows.length)
    if (inView.length === 0) {
      seen.blank += 1
      seen.places.push(Math.round(box.scrollTop))
    }
    for (const row of inView) for (const [, hour] of row.textContent.matchAll(/hour (\\d+)/gi)) seen.hours.add(hour)
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}"""
OVER = "() => { const seen = window.__seen; seen.isOver = true; return { ...seen, hours: seen.hours.size } }"
FRAME = "() => new Promise((done) => requestAnimationFrame(done))"


def sampled(page: Page, *, steps: int, by: int) -> dict[str, Any]:
    """Turns the wheel `steps` times by `by` pixels, and returns what the frames showed meanwhile.

    The result has the number of frames, the number and places of frames without any row, the highest number of rows in
    the document, and how many hours of the conversation were seen.
    """
    page.locator(".message-scroller").hover()
    page.evaluate(WATCH)
    for _ in range(steps):
        page.mouse.wheel(0, by)
        page.evaluate(FRAME)
    return page.evaluate(OVER)
