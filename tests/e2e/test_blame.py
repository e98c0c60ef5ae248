"""Tests the blame page: lines with their prompts, the way to the prompt, the keyboard, and long files."""

import pytest
from playwright.sync_api import Page, expect

from chorus.testing.builders import Session
from tests.e2e.support.lasting import served
from tests.e2e.support.opening import transcript
from tests.e2e.test_changes import APP, HOSTILE, Agent


def lay_out_blame(server):
    """Lays out an agent that changed two lines of a file in two turns, and a file of 20,000 lines."""
    agent = Agent(server)
    (agent.folder / "app.py").write_text(APP)
    agent.prompt("Print two instead of one\n\nThe last words of this long prompt are shown, too.")
    agent.edit("app.py", APP.replace("'one'", "'two'"))
    agent.prompt("Return y")
    agent.edit("app.py", APP.replace("'one'", "'two'").replace("'x'", "'y'"))
    agent.edit("long.txt", "".join(f"line {number}\n" for number in range(1, 20_001)))
    agent.edit(HOSTILE, "<script>document.title = 2</script>\n\x1b[31m\n")
    agent.snapshots.close()
    other = Session("5e551011-0000-4000-8000-00000000000f", cwd="/home/dev/elsewhere")
    other.user("Hello")
    server.write(agent.session, other)
    server.agent = agent


serving = served(lay_out_blame)


@pytest.fixture
def page(entered):
    return entered


def blame(page: Page, serving, path: str, **more: str):
    """Opens the blame of a file, and returns the element with its lines."""
    place = "".join(f"&{name}={value}" for name, value in more.items())
    page.goto(f"/blame/{serving.agent.workspace}?file={path}{place}")
    return page.get_by_role("region", name="Lines of the file")


def test_a_click_on_a_line_opens_the_prompt_that_wrote_it(page, serving, axe):
    """Pointing at a line shows its whole prompt, and a click on it leads to the prompt in the transcript and back."""
    lines = blame(page, serving, "app.py")
    line = lines.get_by_role("link").filter(has_text="print('two')")
    expect(line).to_contain_text("Print two instead of one")
    expect(lines.get_by_text("def main():")).to_be_visible()
    expect(lines.get_by_role("link")).to_have_count(2)
    line.hover()
    facts = page.get_by_role("complementary", name="Origin of the line")
    expect(facts).to_contain_text("The last words of this long prompt are shown, too.")
    expect(facts).to_contain_text("Exact")
    assert axe(page) == []
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(facts.get_by_role("heading", name="Line 10")).to_be_visible()
    page.keyboard.press("k")
    expect(facts.get_by_role("heading", name="Line 5")).to_be_visible()
    line.click()
    prompt = transcript(page).locator("article.current")
    expect(prompt).to_contain_text("Print two instead of one")
    page.go_back()
    expect(facts.get_by_role("heading", name="Line 5")).to_be_visible()


def test_the_way_from_changes_and_a_long_file(page, serving):
    """A file of *Changes* leads to its blame. Of 20,000 lines only those near the view are in the page."""
    page.goto(f"/c/{serving.agent.workspace}/main/{serving.agent.session.id}/changes")
    page.get_by_role("link", name="Blame of app.py").first.click()
    lines = page.get_by_role("region", name="Lines of the file")
    expect(lines.get_by_role("link")).to_have_count(2)
    page.get_by_role("textbox", name="File").fill("long.txt")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_text("20,000 lines, 20,000 by agents")).to_be_visible()
    page.keyboard.press("Tab")
    lines.evaluate("box => box.scrollTo(0, box.scrollHeight)")
    expect(lines.get_by_text("line 20000", exact=True)).to_be_visible()
    assert lines.locator("[data-key]").count() < 500
    blame(page, serving, "long.txt", line="15000")
    expect(lines.get_by_text("line 15000", exact=True)).to_be_in_viewport()


def test_hostile_files_and_errors(page, serving, watch):
    """Names and lines of a hostile file are only text, and a file that cannot be read is an error that says why."""
    watch.expect("404")
    blame(page, serving, "%253Cimg%20src%3Dx%20onerror%3D%22document.title%3D1%22%253E%25E2%2580%25AE.txt")
    expect(page.get_by_text("document.title = 2")).to_be_visible()
    assert page.title() not in ("1", "2")
    blame(page, serving, "..%2F..%2Fetc%2Fpasswd")
    expect(page.get_by_text("This file is not inside the workspace.")).to_be_visible()


@pytest.mark.parametrize("settings", [{"viewport": {"width": 390, "height": 844}}], ids=["phone"])
def test_on_a_phone(page, serving, axe):
    """On a phone the prompt stands above its lines, and nothing is wider than the screen."""
    lines = blame(page, serving, "app.py")
    expect(lines.get_by_text("Print two instead of one")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert axe(page) == []
    lines.get_by_role("link").filter(has_text="return 'y'").click()
    expect(transcript(page).locator("article.current")).to_contain_text("Return y")
