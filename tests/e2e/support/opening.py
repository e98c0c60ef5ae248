"""How a test gets to a conversation, and speaks of what stands there."""

from urllib.parse import quote, urlencode

from playwright.sync_api import Locator, Page, expect

LISTED = "async () => (await (await fetch('/api/conversations?limit=100')).json()).conversations"


def name_of(page: Page, session_id: str) -> str:
    """The name of a conversation: workspace, agent and id."""
    names = [each["name"] for each in page.evaluate(LISTED) if each["id"] == session_id]
    assert names, f"no conversation {session_id} is listed"
    return names[0]


def address_of(page: Page, session_id: str, **place: str) -> str:
    """The address of its page, or of a place in it."""
    path = "/c/" + "/".join(quote(part, safe="") for part in name_of(page, session_id).split("/"))
    return f"{path}?{urlencode(place)}" if place else path


def open_session(page: Page, session_id: str, **place: str) -> Locator:
    """Open a conversation's page, wait for its rows, and give the part that holds them."""
    page.goto(address_of(page, session_id, **place))
    messages = transcript(page)
    expect(messages.locator("article").first).to_be_visible()
    return messages


def transcript(page: Page) -> Locator:
    return page.get_by_label("Transcript", exact=True)


def call(page: Page, call_id: str) -> Locator:
    """A tool call of the open transcript."""
    return page.locator(f'[data-call="{call_id}"]')


def open_call(page: Page, call_id: str) -> Locator:
    """A tool call of the open transcript, opened."""
    found = call(page, call_id)
    line = found.locator(".call-line").first
    if line.get_attribute("aria-expanded") == "false":
        line.click()
    expect(line).to_have_attribute("aria-expanded", "true")
    return found


def listed(page: Page) -> Locator:
    """The rows of the list of conversations."""
    return page.get_by_role("region", name="Conversations").get_by_role("link")
