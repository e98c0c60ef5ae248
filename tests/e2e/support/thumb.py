"""Buttons as a thumb meets them: how large they are, where they are, and a tap that counts."""

from playwright.sync_api import Locator, Page, expect

THUMB_PX = 48
STILL_MS = 600
"""After so long a card that does not move takes an answer."""


def tap(button: Locator) -> None:
    """Taps a button that has been still for a while; it is not scrolled to, because it has to be in reach."""
    expect(button).to_be_in_viewport(ratio=1)
    button.page.wait_for_timeout(STILL_MS)
    box = button.bounding_box()
    assert box
    button.page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def double_tap(button: Locator) -> None:
    """Taps twice at once, without waiting for anything."""
    box = button.bounding_box()
    assert box
    for _ in range(2):
        button.page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def in_reach(page: Page, button: Locator) -> None:
    """Fails unless a button is whole on the screen, in its lower half, and large enough."""
    expect(button).to_be_in_viewport(ratio=1)
    box, screen = button.bounding_box(), page.viewport_size
    assert box
    assert screen
    assert min(box["width"], box["height"]) >= THUMB_PX
    assert box["y"] > screen["height"] / 2


def apart(left: Locator, right: Locator) -> float:
    """Returns the width of the gap between two buttons of one row."""
    one, other = left.bounding_box(), right.bounding_box()
    assert one
    assert other
    return other["x"] - (one["x"] + one["width"])
