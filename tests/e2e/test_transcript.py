"""Tests the transcript of a conversation: its kinds of rows, its panels, and the ways to a place in it."""

import re
from datetime import timedelta

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.support import talks, worlds
from tests.e2e.support.lasting import served
from tests.e2e.support.opening import act_on, listed, name_of, open_call, open_session, transcript
from tests.e2e.support.reading import read_through

serving = served(talks.lay_out_all)
FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


@pytest.fixture
def page(entered):
    return entered


@pytest.fixture
def shapes(page: Page) -> Page:
    """A page at the beginning of the conversation with one row of each kind."""
    open_session(page, talks.SHAPES)
    page.keyboard.press("Home")
    expect(transcript(page).get_by_text("Look at this chart.")).to_be_visible()
    return page


def test_thinking_is_closed_until_it_is_opened(shapes):
    """Thinking is one line until it is opened, and then all of it is shown in monospace."""
    line = transcript(shapes).get_by_role("button", name=re.compile("^Thought"))
    expect(line).to_have_attribute("aria-expanded", "false")
    expect(transcript(shapes).locator(".thinking-text")).to_have_count(0)
    line.click()

    text = transcript(shapes).locator(".thinking-text")
    expect(text).to_have_text("Contour lines first, then depths.")
    assert "mono" in text.evaluate("each => getComputedStyle(each).fontFamily").lower()


def test_thinking_without_text_says_why(shapes):
    """If a record has no text of the thinking, the transcript shows the reason instead."""
    expect(transcript(shapes).locator(".thinking-line[data-empty]")).to_have_text(
        re.compile(r"Thought \(.*signature.*\)")
    )


def test_a_picture_of_the_person_is_shown(shapes):
    """An image in a prompt is loaded from the server of Chorus and drawn."""
    picture = transcript(shapes).locator('[data-author="human"] figure img').first

    expect(picture).to_be_visible()
    shapes.wait_for_function("image => image.complete && image.naturalWidth > 0", arg=picture.element_handle())


def test_a_long_output_is_loaded_when_asked_for(page):
    """A long output first shows its beginning and its end, and the rest is loaded on request."""
    open_session(page, talks.SHAPES, at="toolu_long")
    opened = open_call(page, "toolu_long")
    expect(opened.get_by_label("End of the output")).to_contain_text(talks.SECRET_LINE)
    opened.get_by_role("button", name=re.compile("^Show .* more lines")).click()
    assert "005000 of the log" not in opened.inner_text()
    opened.get_by_role("button", name=re.compile("^Load .* more characters")).click()

    expect(opened.get_by_role("button", name=re.compile("^Load "))).to_have_count(0)
    for _ in range(3):
        opened.get_by_role("button", name=re.compile("^Show .* more lines")).click()
    expect(opened).to_contain_text("005000 of the log")
    expect(opened).to_contain_text(talks.SECRET_LINE)


def test_an_output_in_a_file_of_its_own_comes_piece_by_piece(page):
    """An output that the client stored in a side file names the file, loads in parts, and can be downloaded whole."""
    open_session(page, talks.SHAPES, at="toolu_side")
    opened = open_call(page, "toolu_side")
    expect(opened).to_contain_text(f"tool-results/{talks.SIDE_FILE}")
    opened.get_by_role("button", name="Load", exact=True).click()
    expect(opened).to_contain_text("line 2 of the whole output")
    while opened.get_by_role("button", name="Load more").is_visible():
        opened.get_by_role("button", name="Load more").click()
        expect(opened.get_by_role("button", name="Loading")).to_have_count(0)
    expect(opened).to_contain_text("line 6000 of the whole output")

    with page.expect_download() as got:
        opened.get_by_role("link", name="Download").click()
    assert got.value.path().read_text(encoding="utf-8") == talks.SIDE_TEXT


def test_a_compaction_and_a_failed_request_stand_where_they_happened(page):
    """The transcript shows a compaction with its trigger and tokens, and a card for a failed request."""
    open_session(page, talks.SHAPES)
    read_through(page, opened=False)
    page.keyboard.press("End")
    messages = transcript(page)

    expect(messages.locator(".compaction")).to_have_text(re.compile("compacted.*manual.*151k tokens"))
    expect(messages.locator(".error-card")).to_contain_text("overloaded")
    expect(messages.locator(".error-card")).to_be_visible()


def test_internal_records_are_one_switch_away(page):
    """Internal records are hidden, and a switch shows and hides them."""
    messages = open_session(page, talks.SHAPES)
    record = messages.locator("article", has_text="task reminder")
    expect(messages.get_by_text("Now it works.")).to_be_visible()
    expect(record).to_have_count(0)
    page.get_by_role("button", name="What is shown").click()
    page.get_by_role("switch", name="Internal records").click()
    page.keyboard.press("Escape")
    expect(record).to_be_visible()
    expect(record).to_contain_text("internal")

    page.keyboard.press("i")
    expect(record).to_have_count(0)
    expect(messages.get_by_text("Now it works.")).to_be_visible()


def test_the_raw_record_is_the_line_that_was_written(page, serving):
    """The raw record of a message and its download are, byte for byte, the line of the session file."""
    open_session(page, talks.SHAPES)
    row = transcript(page).locator("article", has_text="Now it works.")
    act_on(row, "Raw record")
    sheet = page.get_by_role("dialog", name="Raw record")
    expect(sheet).to_contain_text('"Now it works."')

    (path,) = serving.claude.glob(f"projects/*/{talks.SHAPES}.jsonl")
    (line,) = [each for each in path.read_bytes().splitlines(keepends=True) if b'"Now it works."' in each]
    offset = path.read_bytes().index(line)
    expect(sheet).to_contain_text(f"byte {offset:,}")
    shown = re.sub(r"\s+", "", sheet.get_by_label("JSON", exact=True).inner_text())
    assert shown == re.sub(r"\s+", "", line.decode())
    with page.expect_download() as got:
        sheet.get_by_role("link", name="Download the exact bytes").click()
    assert got.value.path().read_bytes().rstrip(b"\n") == line.rstrip(b"\n")
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)


def test_find_goes_from_hit_to_hit(page):
    """Find counts the hits, marks the words, opens what hides them, and goes to the next hit with Enter."""
    open_session(page, talks.TOOLS)
    page.keyboard.press("/")
    field = page.get_by_role("textbox", name="Find in conversation")
    expect(field).to_be_focused()
    field.fill("height")
    count = page.locator(".find-count")
    expect(count).to_have_text(re.compile(r"\d+ of [2-9]"))
    first = count.inner_text()
    page.keyboard.press("Enter")
    expect(count).not_to_have_text(first)
    expect(page.locator("article.current")).to_contain_text("height")

    field.fill("zeppelin")
    expect(count).to_have_text("Nothing found")
    page.keyboard.press("Escape")
    expect(field).to_have_count(0)


def test_a_link_to_a_message_leads_there_and_marks_it(page, contexts, serving):
    """The address that a message's action copies opens the conversation at that message, in view and marked."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_session(page, talks.TOOLS)
    page.keyboard.press("Home")
    row = transcript(page).locator("article", has_text="Use every tool once.")
    act_on(row, "Copy link")
    expect(row.get_by_role("button", name="Copied")).to_be_visible()
    address = page.evaluate("navigator.clipboard.readText()")
    assert address.startswith(serving.url + "/c/") and "at=" in address

    page.goto(serving.url + "/")
    page.goto(address)
    current = page.locator("article.current")
    expect(current).to_contain_text("Use every tool once.")
    expect(current).to_be_in_viewport()


def test_another_branch_can_be_chosen(page):
    """At a branch, the transcript shows the branch that continues, and one click shows the other one."""
    messages = open_session(page, talks.BRANCHES)
    expect(messages.get_by_text("The ferry is called Dokter Wagemaker.")).to_be_visible()
    expect(messages.get_by_text("The tug is called Holland.")).to_have_count(0)
    heads = messages.get_by_role("group", name="Continuations").get_by_role("button")
    expect(heads).to_have_count(2)
    expect(heads.nth(1)).to_have_attribute("aria-pressed", "true")
    heads.nth(0).click()

    expect(messages.get_by_text("The tug is called Holland.")).to_be_visible()
    expect(messages.get_by_text("The ferry is called Dokter Wagemaker.")).to_have_count(0)
    expect(page).to_have_url(re.compile("branch="))
    page.reload()
    expect(messages.get_by_text("The tug is called Holland.")).to_be_visible()
    page.go_back()
    expect(messages.get_by_text("The ferry is called Dokter Wagemaker.")).to_be_visible()


def test_a_sub_agent_opens_below_its_call_and_as_a_thread(page):
    """The rows of a sub-agent open below the call that started it, and on a page of their own that leads back."""
    messages = open_session(page, worlds.AGENTS)
    card = messages.get_by_label(re.compile("^Sub-agent general-purpose"))
    expect(card).to_be_visible()
    expect(messages.get_by_text("Only Wubbo, says the roster.")).to_have_count(0)
    card.locator(".agent-line").click()
    expect(card.get_by_text("Only Wubbo, says the roster.")).to_be_visible()
    expect(card.locator('[data-call="toolu_grep1"]')).to_be_visible()

    card.get_by_role("button", name="Open thread").click()
    expect(page).to_have_url(re.compile("thread=a1b2c3d4"))
    expect(page.get_by_role("navigation", name="Threads")).to_contain_text("Search the roster")
    expect(messages.get_by_text("Only Wubbo, says the roster.")).to_be_visible()
    expect(messages.get_by_text("Which pilots speak Frisian?")).to_have_count(0)
    page.get_by_role("button", name="Back to the call").click()
    expect(page).not_to_have_url(re.compile("thread="))
    expect(page.locator("article.current")).to_contain_text("Search the roster")


def test_the_header_says_how_full_the_context_is(page):
    """The gauge shows the tokens of the last answer as a share of the model's window."""
    open_session(page, talks.SHAPES)
    gauge = page.get_by_role("meter", name="Context")

    expect(gauge).to_have_attribute("aria-valuenow", "75")
    expect(gauge).to_have_attribute("aria-valuetext", "150k of 200k tokens")


def test_the_session_panel_tells_the_facts(page):
    """The panel shows the session's id, folder, branch, client version, models, usage and threads."""
    open_session(page, worlds.AGENTS)
    page.keyboard.press("s")
    panel = page.get_by_label("Session", exact=True)
    expect(panel).to_be_visible()
    for words in (worlds.AGENTS, "/home/dev/pilots", "main", "2.1.150", "claude-sonnet-4-5-20250929", "Cache read"):
        expect(panel).to_contain_text(words)

    panel.get_by_role("button", name=re.compile("Search the roster")).click()
    expect(page).to_have_url(re.compile("thread=a1b2c3d4"))


def test_the_outline_jumps(page):
    """The outline lists prompts, compactions and errors; a click shows the place, and the address names it."""
    open_session(page, talks.SHAPES)
    outline = page.get_by_label("Outline", exact=True)
    expect(outline.get_by_role("button", name=re.compile("Compacted"))).to_be_visible()
    outline.get_by_role("button", name=re.compile("Look at this chart")).click()

    expect(page.locator("article.current")).to_contain_text("Look at this chart.")
    expect(page.locator("article.current")).to_be_in_viewport()
    expect(page).to_have_url(re.compile("at="))


def test_tall_messages_are_opened_at_their_end_and_at_any_place(page, watch):
    """A conversation with very tall messages opens at its end, and a link to a message opens at that message."""
    watch.expect("404.*/image")
    for _ in range(3):
        messages = open_session(page, talks.TALL)
        expect(messages.get_by_text("Tale 40 ends.")).to_be_in_viewport()
    rows = """async (path) => (await (await fetch(`/api/conversations/${path}/rows?after=&limit=100`)).json())
      .rows.map((row) => row.row.id)"""
    ids = page.evaluate(rows, name_of(page, talks.TALL))
    for at in (0, 31, 60):
        open_session(page, talks.TALL, at=ids[at])
        current = page.locator("article.current")
        expect(current).to_be_in_viewport()
        page.wait_for_function("() => !document.querySelector('.list-end [data-loading]')")
        expect(current).to_be_in_viewport()


def test_what_is_opened_stays_under_the_pointer(page, watch):
    """A call that is opened or closed does not move on the screen, even in a list that follows its end."""
    watch.expect("404.*/image")
    messages = open_session(page, talks.TOOLS)
    line = messages.locator("button.call-line").last
    expect(line).to_be_in_viewport()
    before = line.bounding_box()
    for is_open in ("true", "false"):
        line.click()
        expect(line).to_have_attribute("aria-expanded", is_open)
        page.evaluate(FRAMES)

        assert line.bounding_box() == before


def test_what_comes_after_the_rows_moves_none_of_them(page, watch):
    """The header and the composer have reserved room, so that rows do not move when they arrive late."""
    watch.expect("404.*/image")
    held: list[Route] = []
    for late in ("**/assets/composer-*.js", f"**/api/conversations/{name_of(page, talks.TOOLS)}"):
        page.route(late, lambda route: held.append(route))
    messages = open_session(page, talks.TOOLS)
    line = messages.locator("button.call-line").last
    expect(line).to_be_in_viewport()
    before = line.bounding_box()
    heading = page.locator(".session-title")
    field = page.get_by_label("Message to go on with")
    expect(heading.or_(field)).to_have_count(0)
    for each in held:
        each.continue_()
    expect(heading).to_be_visible()
    expect(field).to_be_visible()
    page.evaluate(FRAMES)

    assert line.bounding_box() == before


def test_the_line_of_a_result_leads_to_its_call(page):
    """An address that names the line of a tool's result opens at the message that made the call."""
    places = """async (path) => (await (await fetch(`/api/conversations/${path}/rows?at=toolu_side`)).json())
      .rows.find((row) => row.places['result:toolu_side']).places"""
    found = page.evaluate(places, name_of(page, talks.SHAPES))
    lines = [
        each for each, place in found.items() if place == found["result:toolu_side"] and each != "result:toolu_side"
    ]
    open_session(page, talks.SHAPES, at=lines[0])

    expect(page.locator("article.current")).to_be_in_viewport()
    expect(page.locator("article.current [data-call=toolu_side]")).to_have_count(1)


def test_a_conversation_that_is_not_there_says_so(page, watch):
    """An address of an unknown conversation shows a page that says so, with possible reasons."""
    watch.expect("404")
    page.goto("/c/no/such/conversation")

    expect(page.get_by_role("heading", name="This conversation is not here")).to_be_visible()
    for reason in ("deleted", "another machine", "address"):
        expect(page.get_by_role("main")).to_contain_text(reason)
    page.get_by_role("link", name="Show all conversations").click()
    expect(page).to_have_url(re.compile(r"^[^?]*//[^/]+/$"))
    expect(listed(page).first).to_be_visible()


class TestNothingSaid:
    """Tests a machine with one session that contains only internal records of the client."""

    @pytest.fixture
    def serving(self, empty):
        quiet = worlds.session(worlds.LIVE, ago=timedelta(minutes=5))
        quiet.summary("Nothing yet", leaf="none")
        quiet.snapshot()
        empty.write(quiet)
        empty.start()
        return empty

    def test_internal_records_are_shown_when_they_are_asked_for(self, page):
        """The key `I` shows internal records in a conversation without messages."""
        page.goto("/c/" + name_of(page, worlds.LIVE))
        expect(page.get_by_role("heading", name="No messages yet")).to_be_visible()
        page.keyboard.press("i")

        expect(transcript(page).locator("article", has_text="internal").first).to_be_visible()
