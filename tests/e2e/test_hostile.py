"""Tests that nothing in a transcript runs, loads, requests or hides, whichever field is hostile."""

import re

import pytest
from markdown_it import MarkdownIt
from playwright.sync_api import BrowserContext, Page, expect
from playwright.sync_api import Error as PlaywrightError

from tests.e2e.support import exfiltration, hostile, worlds
from tests.e2e.support.entering import log_in
from tests.e2e.support.lasting import served
from tests.e2e.support.opening import listed, name_of, open_session, transcript
from tests.e2e.support.reading import read_through
from tests.e2e.support.sink import Sink
from tests.e2e.support.trapping import Trap
from tests.e2e.support.watching import Watch
from tools import browser as browsers

serving = served(lambda server: server.write(*hostile.corpus(), *hostile.floods(), exfiltration.loading()))
SESSIONS = 11
KINDS = list(hostile.SESSIONS)
NO_PICTURE = r"404.*/image\?"
"""What calls itself a picture and is none is asked for once, and not given."""


@pytest.fixture
def page(entered):
    return entered


class Careless(MarkdownIt):
    """A Markdown parser that allows every link."""

    def validateLink(self, url: str) -> bool:
        return True


def sprung_by(context: BrowserContext, nowhere: Sink, html: str) -> bool:
    """Returns whether `html` runs, requests, loads, or is in the document of a page without protection."""
    nowhere.take()
    page = context.new_page()
    trap = Trap(page)
    page.set_content(f"<!doctype html><body><p>x</p>{html}", wait_until="commit")
    try:
        return bool(trap.sprung()) or bool(nowhere.take())
    except PlaywrightError:
        # The page navigated away while its traps were read.
        return True
    finally:
        if "refresh" in html:
            # Chromium may never close a page that is still navigating.
            page.wait_for_url(f"{hostile.HOST}/**")
        page.close()


def test_every_trap_can_spring(browser, nowhere):
    """As a control, each payload trips a trap in a page without protection, and together they trip every kind."""
    context = browsers.context(browser, "http://127.0.0.1:9", nowhere.url)
    watch = Watch(context, "http://127.0.0.1:9")
    careless = Careless("commonmark", {"html": True}).enable("table")
    tame = [payload for payload in hostile.HTML if not sprung_by(context, nowhere, payload)]
    tame += [payload for payload in hostile.MARKDOWN if not sprung_by(context, nowhere, careless.render(payload))]
    page = context.new_page()
    trap = Trap(page)
    page.set_content("<!doctype html><body>" + "".join(each for each in hostile.HTML if "refresh" not in each))
    wanted, loaded = {"/img", "/svg", "/link", "/video"}, set()
    for _ in range(100):
        loaded |= {line.split()[1].removeprefix(hostile.HOST) for line in nowhere.take() if hostile.HOST in line}
        if wanted <= loaded:
            break
        page.wait_for_timeout(50)
    sprung = trap.sprung()
    off = watch.off_origin()
    context.close()

    assert tame == [], "\n".join(tame)
    assert wanted <= loaded
    assert off
    assert sprung["ran"] == 1
    assert "pwned" in sprung["dialogs"]
    assert {each.split()[0] for each in sprung["in the document"]} == {
        "element",
        "handler",
        "address",
        "picture",
        "style",
    }


def asked_for(nowhere: Sink) -> set[int]:
    """Returns the numbers of the texts whose addresses were requested since the last call."""
    return {int(number) for line in nowhere.take() for number in re.findall(r"x(\d+)x", line)}


def test_what_would_ask_can_ask(browser, nowhere):
    """Row B2 of the security table, control: without protection, each text of HTML and Markdown sends its request."""
    careless = Careless("commonmark", {"html": True}).enable("table")
    context = browsers.context(browser, "http://127.0.0.1:9", nowhere.url)
    page = context.new_page()
    texts = [*exfiltration.HTML, *map(careless.render, exfiltration.MARKDOWN)]
    wanted = {int(number) for text in texts for number in re.findall(r"x(\d+)x", text)}
    nowhere.take()
    page.set_content("<!doctype html><body>" + "\n".join(texts), wait_until="commit")
    found: set[int] = set()
    for _ in range(100):
        found |= asked_for(nowhere)
        if wanted <= found:
            break
        page.wait_for_timeout(50)
    context.close()
    nowhere.take()

    assert len(set(exfiltration.HTML + exfiltration.MARKDOWN + exfiltration.OTHERS)) == exfiltration.COUNT
    assert sorted(wanted - found) == []


def calm(page: Page, trap: Trap, where: str) -> None:
    """Checks that no trap was tripped, and that the page is still the application."""
    expect(page.get_by_role("navigation", name="Pages")).to_be_visible()
    assert trap.sprung() == {}, where


def open_with_internal(page: Page, session_id: str) -> None:
    """Opens a conversation with its internal records."""
    messages = open_session(page, session_id)
    page.keyboard.press("i")
    page.keyboard.press("Home")
    expect(messages.locator("article", has_text="internal").first).to_be_attached()


def raw_records(page: Page) -> None:
    """Opens the raw record of the current row, and closes it."""
    page.keyboard.press("r")
    sheet = page.get_by_role("dialog", name="Raw record")
    expect(sheet.get_by_label("JSON", exact=True).first).to_be_visible()
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)


def test_nothing_runs_in_lists(page, watch):
    """Hostile text stays text in the list, its filter with completions, the palette, and the search with its facets."""
    # On a slow machine, a field without its value is sent before the completions mark it as incomplete.
    watch.expect(r"400 \(Bad Request\).*q=(tool|model|workspace)%3A[&)]")
    trap = Trap(page)
    page.goto("/")
    expect(listed(page)).to_have_count(SESSIONS)
    calm(page, trap, "list")
    field = page.get_by_role("combobox", name="Filter conversations")
    for typed in ("tool:", "model:", "workspace:"):
        field.fill(typed)
        expect(page.get_by_role("option").first).to_be_visible()
        calm(page, trap, f"completions of {typed}")
    field.fill("")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("option").first).to_be_visible()
    calm(page, trap, "palette")
    page.keyboard.press("Escape")
    for query in ("hostile", "window", "script", "javascript"):
        page.goto(f"/search?q={query}")
        expect(page.get_by_role("region", name="Hits").get_by_role("link").first).to_be_visible()
        calm(page, trap, f"search for {query}")


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_runs_in_a_transcript(page, watch, kind):
    """Payloads in every field stay text in a transcript with everything opened, its panel and its raw records."""
    watch.expect(NO_PICTURE)
    trap = Trap(page)
    open_with_internal(page, hostile.SESSIONS[kind])
    read = read_through(page)
    assert len(read) > 30
    calm(page, trap, "end")
    page.keyboard.press("Home")
    calm(page, trap, "beginning")
    for _ in range(5):
        page.keyboard.press("j")
        raw_records(page)
        calm(page, trap, "raw record")
    page.keyboard.press("s")
    expect(page.get_by_label("Session", exact=True)).to_be_visible()
    calm(page, trap, "session panel")
    page.keyboard.press("/")
    expect(page.get_by_role("textbox", name="Find in conversation")).to_be_focused()
    page.keyboard.type("hostile")
    expect(page.locator(".find-count")).to_have_text(re.compile("of"))
    calm(page, trap, "find")


def test_two_hundred_texts_ask_no_other_host(page, watch, nowhere):
    """Row B2 of the security table: each of 200 texts that would load from another host is text and loads nothing."""
    trap = Trap(page)
    open_session(page, exfiltration.SESSION)
    read = "\n".join(read_through(page).values())
    seen = {int(number) for number in re.findall(r"x(\d+)x", read)}

    assert exfiltration.END in read
    assert set(range(exfiltration.COUNT)) - seen == set()
    assert watch.off_origin() == []
    assert nowhere.take() == []
    calm(page, trap, "end")


def test_what_a_link_shows_is_where_it_leads(page, watch):
    """Links of hostile Markdown use only http, https, mailto or paths of Chorus, with no user name before the host."""
    watch.expect(NO_PICTURE)
    messages = open_session(page, hostile.SESSIONS["markdown"])
    page.keyboard.press("End")
    expect(messages.get_by_text("hostile end").last).to_be_attached()
    links = messages.locator("a[href]").evaluate_all("all => all.map((each) => each.getAttribute('href'))")

    assert "https://pwned.invalid/" in links
    assert [link for link in links if not link.startswith(("http://", "https://", "mailto:", "/"))] == []
    assert [link for link in links if "@" in link] == []


def hidden_in(text: str) -> str:
    """Returns the characters of a text that reorder it, control something, or are invisible."""
    found = {each for each in text if each in hostile.UNSEEN or (each < " " and each not in "\t\n\r")}
    return " ".join(sorted(f"U+{ord(each):04X}" for each in found))


def test_what_hides_is_written_out(page, watch):
    """Characters that reorder text or are invisible are shown as their codes, in the list and in every row."""
    watch.expect(NO_PICTURE)
    page.goto("/")
    expect(listed(page)).to_have_count(SESSIONS)
    found = {"list": page.get_by_role("main").inner_text(), "title": page.title()}
    open_session(page, hostile.SESSIONS["hidden"])
    found["header"] = page.locator(".session-header").inner_text()
    found |= {f"row {text[:50]!r}": text for text in read_through(page).values()}
    page.keyboard.press("s")
    found["panel"] = page.get_by_label("Session", exact=True).inner_text()
    found["outline"] = page.get_by_label("Outline", exact=True).inner_text()
    page.goto("/search?q=hostile")
    expect(page.get_by_role("region", name="Hits").get_by_role("link").first).to_be_visible()
    found["search"] = page.get_by_role("main").inner_text()
    told = [f"{where}: {hidden_in(text)}" for where, text in found.items() if hidden_in(text)]

    assert told == [], "\n".join(told)


def test_a_flood_of_terminal_sequences_is_read(page):
    """A million characters of an unfinished terminal sequence, and JSON that never closes, are shown to their end."""
    messages = open_session(page, hostile.BOMBED)
    expect(messages.get_by_text(hostile.BOMB_END).last).to_be_visible()
    read_through(page)
    page.keyboard.press("Home")
    flood = page.locator("[data-call]").first
    more = flood.get_by_role("button", name=re.compile("^Load .* more characters"))
    more.click()

    expect(more).to_have_count(0)
    expect(flood).to_contain_text(hostile.BOMB_END)


@pytest.mark.parametrize("name", hostile.FLOODS)
def test_a_flood_of_markdown_is_read(page, name):
    """Markdown with endless or very deep nesting does not break the page, and the message after it is readable."""
    messages = open_session(page, hostile.flooded(name))

    expect(messages.get_by_text(hostile.BOMB_END).last).to_be_visible()
    expect(page.get_by_text("This page failed")).to_have_count(0)


def test_names_of_objects_are_names(page):
    """Names such as `__proto__` and `constructor` for tools, states and keys are shown like any other name."""
    trap = Trap(page)
    open_with_internal(page, hostile.INHERITING)
    read = "\n".join(read_through(page).values())

    assert [name for name in hostile.INHERITED if name not in read] == []
    assert "hostile names end" in read
    assert trap.sprung() == {}


def test_a_picture_that_is_none_is_not_shown(page, watch):
    """SVG and data that only claims to be a picture are never drawn; the server returns only pictures that it knows."""
    watch.expect(NO_PICTURE)
    name = name_of(page, hostile.SESSIONS["html"])
    open_session(page, hostile.SESSIONS["html"])
    page.keyboard.press("Home")
    expect(transcript(page).get_by_text("cannot be shown").first).to_be_visible()
    asked = """async (name) => {
      const rows = (await (await fetch(`/api/conversations/${name}/rows?after=&limit=20`)).json()).rows
      const images = (row) => (row.row.pieces ?? []).filter((each) => each.type === 'image')
      const pictures = rows.flatMap((row) => images(row).map((each) => [row.places[each.item], each.nth]))
      return Promise.all(pictures.filter(([place]) => place).map(async ([place, nth]) => {
        const answer = await fetch(`/api/conversations/${name}/image?` + new URLSearchParams({ ...place, nth }))
        return [answer.status, answer.headers.get('content-type')]
      }))
    }"""
    answers = page.evaluate(asked, name)

    assert {status for status, _ in answers} >= {200, 404} or {status for status, _ in answers} >= {200, 415}
    assert {kind for status, kind in answers if status == 200} == {"image/png"}


class TestOneBadSession:
    """Tests a machine with one session that is broken on purpose."""

    @pytest.fixture
    def serving(self, empty):
        return empty

    def test_it_does_not_keep_the_others_from_being_kept(self, contexts, serving):
        """A session whose slug no file system accepts is recorded like any other, and so are the sessions beside it."""
        bad = worlds.with_an_agent()
        bad.lines[0]["slug"] = "a\x00b"
        serving.write(bad, worlds.with_edits())
        serving.start()
        page = contexts.make().new_page()
        log_in(page, serving)

        expect(listed(page)).to_have_count(2)
