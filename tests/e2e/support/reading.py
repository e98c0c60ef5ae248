"""Reads a transcript from its beginning to its end, as a person who scrolls does."""

from playwright.sync_api import Page

STEPS = 400
STEP = """
async () => {
  const box = document.querySelector('.message-scroller')
  const twoFrames = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  const before = box.scrollTop
  const rows = [...box.querySelectorAll('article[data-row]')].map((row) => [row.dataset.row, row.innerText])
  box.scrollTop += Math.round(box.clientHeight * 0.8)
  await twoFrames()
  const isEnd = box.scrollTop <= before && box.scrollTop + box.clientHeight >= box.scrollHeight - 4
  return { rows, isEnd: isEnd && !box.querySelector('.list-end.last [data-loading]') }
}
"""


def read_through(page: Page, *, opened: bool = True) -> dict[str, str]:
    """Returns the text of each row of the open transcript, in order.

    Calls and thinking are opened unless `opened` is False.
    """
    page.locator(".message-scroller article").first.wait_for()
    if opened:
        page.keyboard.press("Shift+E")
        page.keyboard.press("t")
    page.keyboard.press("Home")
    page.locator(".message-scroller .list-edge").wait_for()
    said: dict[str, str] = {}
    for _ in range(STEPS):
        step = page.evaluate(STEP)
        said.update(step["rows"])
        if step["isEnd"]:
            return said
    raise AssertionError("the transcript has no end")
