"""Opens conversations in tests, and finds elements of their pages."""

from urllib.parse import quote, urlencode

from playwright.sync_api import Locator, Page, expect

LISTED = "async () => (await (await fetch('/api/conversations?limit=100')).json()).conversations"


def name_of(page: Page, session_id: str) -> str:
    """Returns the name of a conversation: workspace, agent and id."""
    names = [each["name"] for each in page.evaluate(LISTED) if each["id"] == session_id]
    assert names, f"no conversation {session_id} is listed"
    return names[0]


def address_of(page: Page, session_id: str, **place: str) -> str:
    """Returns the address of the page of a conversation, or of a place in it."""
    path = "/c/" + "/".join(quote(part, safe="") for part in name_of(page, session_id).split("/"))
    return f"{path}?{urlencode(place)}" if place else path


def open_session(page: Page, session_id: str, **place: str) -> Locator:
    """Opens the page of a conversation, waits for its rows, and returns the element that contains them."""
    page.goto(address_of(page, session_id, **place))
    messages = transcript(page)
    expect(messages.locator("article").first).to_be_visible()
    return messages


def transcript(page: Page) -> Locator:
    return page.get_by_label("Transcript", exact=True)


def call(page: Page, call_id: str) -> Locator:
    """Returns a tool call of the open transcript."""
    return page.locator(f'[data-call="{call_id}"]')


def open_call(page: Page, call_id: str) -> Locator:
    """Opens a tool call of the open transcript, and returns it."""
    found = call(page, call_id)
    line = found.locator(".call-line").first
    if line.get_attribute("aria-expanded") == "false":
        line.click()
    expect(line).to_have_attribute("aria-expanded", "true")
    return found


def listed(page: Page) -> Locator:
    """Returns the rows of the list of conversations."""
    return page.get_by_role("region", name="Conversations").get_by_role("link")


def act_on(row: Locator, action: str) -> None:
    """Chooses an action from the menu of a row.

    The row gets the focus instead of the pointer: a page that still scrolls to its place may move the row away from the
    pointer, and its menu with it.
    """
    row.focus()
    row.get_by_role("button", name="Actions").click()
    row.get_by_role("button", name=action).click()
