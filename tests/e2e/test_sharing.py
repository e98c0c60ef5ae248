"""Tests sharing a conversation from its page: a person sees and chooses what is hidden before the file is made."""

import re
from datetime import timedelta

import pytest
from playwright.sync_api import expect

from chorus.testing.builders.secrets import Secrets
from tests.e2e.support import worlds
from tests.e2e.support.entering import log_in
from tests.e2e.support.lasting import served
from tests.e2e.support.opening import open_session, transcript
from tests.show.exports.reading import page_data

SHARED = "5e551011-0000-4000-8000-0000000000e5"
SECRET = next(each for each in Secrets(seed=2).all() if each.kind == "github-token").secret


def talk():
    session = worlds.session(SHARED, ago=timedelta(minutes=20))
    session.title("Deploy the shop")
    session.user(f"Use {SECRET} and ask mara.lind@brook.io at Acme")
    session.assistant("I will.")
    return session


serving = served(lambda server: server.write(talk()))


@pytest.fixture
def page(entered):
    return entered


def test_a_person_sees_chooses_and_downloads(page, axe, tmp_path):
    """Each finding has a choice, the preview and the size follow it, and the file contains what was chosen."""
    open_session(page, SHARED)
    page.get_by_role("button", name="Share").click()
    dialog = page.get_by_role("dialog", name="Share this conversation")
    findings = dialog.get_by_role("table")
    expect(findings.get_by_text("GitHub token")).to_be_visible()
    expect(dialog.get_by_role("status")).to_have_text(re.compile(r"deploy-the-shop\.html, "))
    preview = dialog.get_by_label("The beginning of the file")
    expect(preview).to_contain_text("[github-token-1]")
    assert axe(page) == [] and SECRET not in dialog.inner_text()

    dialog.get_by_label("Hide [email-1]").uncheck()
    dialog.get_by_label("Text instead of [github-token-1]").fill("THE-TOKEN")
    dialog.get_by_label("Another text to hide").fill("Acme")
    dialog.get_by_role("button", name="Hide", exact=True).click()
    expect(preview).to_contain_text("Use THE-TOKEN and ask mara.lind@brook.io at [hidden-1]")
    with page.expect_download() as got:
        dialog.get_by_role("button", name="Download").click()
    path = tmp_path / got.value.suggested_filename
    got.value.save_as(path)
    data = path.read_bytes()
    text = (data + page_data(data)).decode()

    assert path.suffix == ".html"
    assert "THE-TOKEN" in text and "mara.lind@brook.io" in text and SECRET not in text and "Acme" not in text


def test_formats_and_parts(page, watch):
    """Another format and a smaller part change the name and the preview, and without redaction there is a warning."""
    watch.expect(r"404|409")
    open_session(page, SHARED)
    page.get_by_role("button", name="Share").click()
    dialog = page.get_by_role("dialog", name="Share this conversation")
    dialog.get_by_label("Markdown").check()
    expect(dialog.get_by_role("status")).to_have_text(re.compile(r"\.md, "))
    dialog.get_by_label("Hide secrets and names").uncheck()
    expect(dialog.get_by_text("Nothing is hidden")).to_be_visible()
    dialog.get_by_label("From").fill("2199-01-01T00:00")
    expect(dialog.get_by_role("alert")).to_contain_text("nothing of this conversation")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(transcript(page)).to_be_visible()


def test_a_phone_shares_from_the_session_panel(contexts, serving, axe):
    """On a phone, the session panel has the button, and the dialog fits the screen."""
    page = contexts.make(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True).new_page()
    log_in(page, serving)
    open_session(page, SHARED)
    page.get_by_role("button", name="Show session panel").click()
    page.get_by_role("button", name="Share", exact=True).click()
    dialog = page.get_by_role("dialog", name="Share this conversation")
    expect(dialog.get_by_role("table").get_by_text("GitHub token")).to_be_visible()
    value = dialog.get_by_role("cell", name=re.compile("^ghp_")).bounding_box()

    assert value is not None and value["width"] >= 90, "a value is written letter below letter"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390 and axe(page) == []
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
