"""The screen of a phone, and a check that a page fits it."""

from typing import Any

from playwright.sync_api import Page

PHONE = {"width": 360, "height": 740}


def phone(theme: str) -> dict[str, Any]:
    """Returns the settings of a browser context that acts as a phone."""
    return {"viewport": PHONE, "color_scheme": theme, "has_touch": True, "is_mobile": True}


def to_list(page: Page) -> None:
    """Goes from the start page, with which a phone opens, to the list of conversations."""
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Conversations").tap()


WIDER = """() => {
  const wide = document.documentElement.clientWidth
  const own = (each) => {
    for (let at = each.parentElement; at; at = at.parentElement) {
      const look = getComputedStyle(at)
      if (look.overflowX !== 'visible') return at === document.body || at === document.documentElement
    }
    return true
  }
  const box = document.querySelector('.message-scroller, .virtual-list')
  return {
    page: document.documentElement.scrollWidth - wide,
    list: box ? box.scrollWidth - box.clientWidth : 0,
    out: [...document.querySelectorAll('button, a, input, h1, h2')]
      .filter((each) => each.getClientRects().length && own(each))
      .map((each) => [each, each.getBoundingClientRect()])
      .filter(([, at]) => at.width > 1 && (at.right > wide + 1 || at.left < -1))
      .map(([each]) => each.getAttribute('aria-label') ?? each.innerText),
  }
}"""


def fits(page: Page) -> None:
    assert page.evaluate(WIDER) == {"page": 0, "list": 0, "out": []}
