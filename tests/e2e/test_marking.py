"""Tests sorting, facets, the split view and annotations of conversations."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.support import worlds
from tests.e2e.support.entering import log_in
from tests.e2e.support.opening import listed

HOSTILE = '<img src=x onerror="document.title=1">\u202e"&\x1b[31m'


@pytest.fixture
def settings():
    return {"viewport": {"width": 1500, "height": 900}}


def row(page: Page, session_id: str):
    return page.locator(f'[data-conversation$="{session_id}"]')


def order(page: Page) -> list[str]:
    return [(each.get_attribute("data-conversation") or "").rsplit("/", 1)[-1] for each in listed(page).all()]


def mark(page: Page, session_id: str):
    """Opens the dialog with the annotations of a conversation."""
    row(page, session_id).hover()
    row(page, session_id).locator("..").get_by_role("button").click()
    return page.get_by_role("dialog", name="Conversation")


def test_the_list_is_ordered_by_any_of_its_columns(page):
    """A heading sorts the most first, a second click the least; the address keeps it, and the sections disappear."""
    expect(listed(page)).to_have_count(5)
    expect(page.get_by_role("status", name="Number of conversations")).to_have_text("5 conversations")
    by_messages = page.get_by_role("button", name="Sort by messages")
    by_messages.click()
    expect(page).to_have_url(re.compile("sort=messages"))
    expect(page.get_by_role("heading", name=re.compile("^At work"))).to_have_count(0)
    most = order(page)
    assert most[0] == worlds.LONG
    page.get_by_role("button", name="Sort by messages, most first").click()
    expect(page).to_have_url(re.compile("sort=-messages"))
    expect(listed(page).last).to_have_attribute("data-conversation", re.compile(f"{worlds.LONG}$"))
    page.reload()
    expect(page.get_by_role("button", name="Sort by messages, least first")).to_have_attribute("aria-pressed", "true")
    for name in ("cost", "tokens", "duration"):
        page.get_by_role("button", name=f"Sort by {name}").click()
        expect(listed(page)).to_have_count(5)


def test_facets_narrow_the_list(page):
    """Statuses and workspaces have counts; a click narrows the list and its number, and another click undoes that."""
    filters = page.get_by_role("complementary", name="Filters")
    failed = filters.get_by_role("button", name=re.compile("^Failed"))
    expect(failed).to_contain_text("1")
    failed.click()
    expect(page).to_have_url(re.compile(r"q=status(:|%3A)failed"))
    expect(listed(page)).to_have_count(1)
    expect(row(page, worlds.FAILED)).to_be_visible()
    expect(page.get_by_role("status", name="Number of conversations")).to_have_text("1 conversation matches")
    failed.click()
    expect(listed(page)).to_have_count(5)
    expect(filters.get_by_role("region", name="workspace").get_by_role("button").first).to_contain_text("harbour")
    for text in filters.get_by_role("button").all_inner_texts():
        assert not re.search(r"-[0-9a-f]{8}\b", text)


def test_annotations_are_stored_found_and_shown(page, serving, contexts):
    """Title, tags, note and star appear on another open page, are found by words, and are never markup."""
    other = contexts.make().new_page()
    log_in(other, serving)
    expect(listed(other)).to_have_count(5)
    dialog = mark(page, worlds.EDITS)
    dialog.get_by_role("button", name="Star", exact=True).click()
    expect(dialog.get_by_role("button", name="Starred")).to_be_visible()
    dialog.get_by_label("Title").fill(f"Zanzibar {HOSTILE}")
    dialog.get_by_label("Tags").fill(f"#release {HOSTILE}")
    dialog.get_by_label("Note").fill(f"ask Quentin {HOSTILE}")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)

    for reader in (page, other):
        expect(row(reader, worlds.EDITS)).to_contain_text("Zanzibar <img src=x")
        expect(row(reader, worlds.EDITS)).to_contain_text("#release")
        expect(row(reader, worlds.EDITS).get_by_text("starred")).to_have_count(1)
        expect(reader).not_to_have_title("1")
        assert reader.locator("img[src=x]").count() == 0
    field = other.get_by_role("combobox", name="Filter conversations")
    for query in ("is:starred", "tag:release", "zanzibar", "quentin"):
        field.fill(query)
        expect(listed(other)).to_have_count(1)
        expect(row(other, worlds.EDITS)).to_be_visible()
    field.fill("-is:starred")
    expect(listed(other)).to_have_count(4)


def test_archived_conversations_are_left_out_and_can_be_seen(page):
    """An archived conversation leaves the list, a count leads to it, and it can be brought back."""
    expect(listed(page)).to_have_count(5)
    dialog = mark(page, worlds.FAILED)
    dialog.get_by_role("button", name="Archive", exact=True).click()
    expect(dialog.get_by_role("button", name="Bring back from the archive")).to_be_visible()
    page.keyboard.press("Escape")
    expect(listed(page)).to_have_count(4)
    page.get_by_role("button", name="1 archived").click()
    expect(listed(page)).to_have_count(1)
    expect(row(page, worlds.FAILED)).to_be_visible()
    dialog = mark(page, worlds.FAILED)
    dialog.get_by_role("button", name="Bring back from the archive").click()
    page.keyboard.press("Escape")
    expect(listed(page)).to_have_count(0)


def test_a_conversation_is_deleted_after_a_look_at_what_goes(page, serving):
    """The confirmation shows title, age and size, and then the conversation is gone for good.

    The session file of the client remains.
    """
    dialog = mark(page, worlds.FAILED)
    dialog.get_by_role("button", name=re.compile("^Delete")).click()
    asked = page.get_by_role("dialog", name="Delete this conversation")
    expect(asked).to_contain_text("Send the roster to the coast guard.")
    expect(asked).to_contain_text(re.compile(r"last active [12]d, [\d.]+ .B, \d+ lines"))
    expect(asked.get_by_role("button", name="Keep it")).to_be_visible()
    asked.get_by_role("button", name="Delete for good").click()
    expect(asked).to_have_count(0)
    expect(listed(page)).to_have_count(4)
    expect(page.get_by_role("status", name="Number of conversations")).to_have_text("4 conversations", timeout=20_000)
    page.reload()
    expect(listed(page)).to_have_count(4)


def test_the_list_stands_beside_a_conversation(page):
    """On a wide screen the list stays beside a conversation; brackets open its neighbours, and `l` hides the list."""
    page.get_by_role("button", name="Sort by messages").click()
    expect(page).to_have_url(re.compile("sort=messages"))
    expect(listed(page)).to_have_count(5)
    names = order(page)
    row(page, names[1]).click()
    beside = page.get_by_role("complementary", name="Conversations")
    expect(beside.get_by_role("link")).to_have_count(6)
    expect(beside.locator('[aria-current="page"]')).to_have_count(1)
    page.keyboard.press("]")
    expect(page).to_have_url(re.compile(f"{names[2]}$"))
    expect(beside.locator(f'[aria-current="page"][href*="{names[2]}"]')).to_have_count(1)
    page.keyboard.press("[")
    page.keyboard.press("[")
    expect(page).to_have_url(re.compile(f"{names[0]}$"))
    page.keyboard.press("[")
    expect(page).to_have_url(re.compile(f"{names[0]}$"))
    page.keyboard.press("l")
    expect(beside).to_have_count(0)
    page.keyboard.press("l")
    expect(beside).to_be_visible()
    page.set_viewport_size({"width": 1024, "height": 800})
    expect(beside).to_have_count(0)


def test_the_keyboard_stars_and_the_palette_tells_conversations_apart(page):
    """`*` stars a conversation in the list and in a transcript, and the palette finds it by its own title."""
    expect(listed(page)).to_have_count(5)
    page.keyboard.press("j")
    page.keyboard.press("*")
    expect(listed(page).first.get_by_text("starred")).to_have_count(1)
    page.keyboard.press("Enter")
    star = page.get_by_role("button", name="Remove the star")
    expect(star).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("*")
    expect(page.get_by_role("button", name="Star", exact=True)).to_be_visible()
    page.keyboard.press(".")
    dialog = page.get_by_role("dialog", name="Conversation")
    expect(dialog.get_by_role("button", name="Copy the resume command")).to_be_visible()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    for name, text in (
        ("the folder path", "/home/dev/harbour"),
        ("the command that changes to", "cd /home/dev/harbour"),
    ):
        dialog.get_by_role("button", name=f"Copy {name}").click()
        expect(dialog.get_by_role("button", name="Copied")).to_be_visible()
        assert page.evaluate("navigator.clipboard.readText()") == text
        expect(dialog.get_by_role("button", name="Copied")).to_have_count(0)
    dialog.get_by_label("Title").fill("Of my own")
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="Of my own")).to_be_visible()
    page.keyboard.press("ControlOrMeta+k")
    page.get_by_role("combobox", name="Jump to").fill("my own")
    choice = page.get_by_role("option", name=re.compile("Of my own"))
    expect(choice).to_be_visible()


def test_a_search_shows_conversations_by_what_a_person_said_of_them(page, axe):
    """A search lists conversations with the words in title, tags or note above the hits, also if there are no hits."""
    dialog = mark(page, worlds.EDITS)
    dialog.get_by_label("Title").fill("Wobbly tide")
    dialog.get_by_label("Tags").fill("release")
    dialog.get_by_label("Note").fill(f"ask Zelda first {HOSTILE}")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.goto("/search?q=tide")
        found = page.get_by_role("region", name="Found by title, tag or note")
        link = found.get_by_role("link")
        expect(link).to_have_count(1)
        for text in ("Wobbly tide", "#release", "ask Zelda first", "harbour"):
            expect(link).to_contain_text(text)
        expect(found.locator("time")).to_have_count(1)
        expect(page.get_by_role("region", name="Hits").locator("[data-hit]")).not_to_have_count(0)
        assert axe(page) == []
    page.goto("/search?q=zelda")
    expect(page.get_by_role("status").filter(has_text="1 conversation by title, tag or note")).to_be_visible()
    expect(page.get_by_text("Nothing that was said in a conversation matches")).to_be_visible()
    page.get_by_role("region", name="Found by title, tag or note").get_by_role("link").click()
    expect(page).to_have_url(re.compile(f"/c/.*{worlds.EDITS}"))
