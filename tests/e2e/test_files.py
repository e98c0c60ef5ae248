"""Tests the page of files over time: the list, the versions, their differences, blame, and the link to the call."""

import pytest
from playwright.sync_api import Page, expect

from tests.core.file_versions.simulated_client import SimulatedClient
from tests.e2e.support.lasting import served
from tests.e2e.support.opening import address_of, open_session, transcript

HOSTILE = '<img src=x onerror="document.title=1">\u202e.txt'


def lay_out_files(server):
    """Lays out a conversation that changed a few files, with the client's backups of them."""
    client = SimulatedClient(
        {"app.py": b"import os\n\n\ndef main():\n    print('one')\n    return 1\n", "old.txt": b"x\n"}
    )
    client.read("app.py")
    client.edit("app.py", "'one'", "'two'")
    client.write("new.txt", "hello\nworld\n")
    client.edit("app.py", "return 1", "return  1")
    client.prompt("Go on")
    client.edit("app.py", "import os", "import sys\nimport os")
    client.write(HOSTILE, "<script>document.title = 2</script>\n\x1b[31m\n")
    client.edit("old.txt", "x", "y")
    client.shell("make", old_txt=b"z\n")
    server.write(client.session)
    backups = server.claude / "file-history" / client.session.id
    backups.mkdir(parents=True)
    for name, content in client.backups.items():
        (backups / name).write_bytes(content)
    server.files_session = client.session.id


serving = served(lay_out_files)


@pytest.fixture
def page(entered):
    return entered


@pytest.fixture
def files(page: Page, serving) -> Page:
    """A page that shows the files of the conversation."""
    open_session(page, serving.files_session)
    link = page.get_by_role("link", name="Files over time")
    panel = page.get_by_role("button", name="Show session panel")
    expect(link.or_(panel).first).to_be_visible()
    if link.count() == 0:
        panel.click()
    link.first.click()  # The header may have one, too.
    expect(page.get_by_role("heading", name="Files", exact=True)).to_be_visible()
    return page


def choose(page: Page, name: str):
    page.get_by_role("navigation", name="Files").get_by_role("button", name=name).click()
    return page.get_by_role("article", name=f"Versions of {name}")


def test_versions_differences_and_the_way_to_the_call(files, axe):
    """Any two versions can be compared, in one column or two, and blame leads from a line to its call."""
    app = choose(files, "app.py")
    versions = app.get_by_role("list", name="Versions").get_by_role("button")
    expect(versions).to_have_count(5)
    expect(app.get_by_role("group", name="Changes of")).to_contain_text("import sys")
    versions.nth(2).click()
    expect(app.get_by_text("Version 3: exact")).to_be_visible()
    expect(app.get_by_role("group", name="Changes of")).to_contain_text("return  1")
    app.get_by_label("Ignore white space").check()
    expect(app.get_by_text("Nothing changed between these versions, apart from white space.")).to_be_visible()
    app.get_by_label("Ignore white space").uncheck()
    app.get_by_label("From version").select_option("1")
    app.get_by_label("To version").select_option("4")
    app.get_by_role("button", name="Side by side").click()
    sides = app.get_by_role("group", name="side by side")
    expect(sides.get_by_role("row").filter(has_text="'two'")).to_contain_text("'one'")
    assert axe(files) == []
    assert "before=1" in files.url and "after=4" in files.url and "view=side" in files.url
    app.get_by_role("button", name="Blame").click()
    lines = app.get_by_role("group", name="Lines and the calls that wrote them")
    expect(lines).to_contain_text("import sys")
    assert axe(files) == []
    lines.get_by_role("link", name="Edit").last.click()
    expect(transcript(files).locator("article").first).to_be_visible()
    assert "at=call" in files.url


def test_uncertain_and_hostile_files(files):
    """The page says when a command may have changed a file, and shows hostile text and names only as text."""
    old = choose(files, "old.txt")
    old.get_by_role("list", name="Versions").get_by_role("button").last.click()
    expect(old.get_by_text("Version 3: unknown since")).to_be_visible()
    expect(old.get_by_text("A shell command ran in between")).to_be_visible()
    expect(old.get_by_text("The content at this moment is not known")).to_be_visible()
    files.get_by_role("navigation", name="Files").get_by_role("button", name="onerror").click()
    expect(files.get_by_text("document.title = 2")).to_be_visible()
    assert files.title() not in ("1", "2")


@pytest.mark.parametrize("settings", [{"viewport": {"width": 390, "height": 844}}], ids=["phone"])
def test_on_a_phone(files):
    """On a phone the list and the file replace each other, and nothing is wider than the screen."""
    app = choose(files, "app.py")
    expect(app.get_by_role("list", name="Versions")).to_be_visible()
    expect(files.get_by_role("navigation", name="Files")).to_be_hidden()
    assert files.evaluate("document.documentElement.scrollWidth") <= 390
    app.get_by_role("button", name="All files").click()
    expect(files.get_by_role("navigation", name="Files")).to_be_visible()


def test_an_address_that_leads_nowhere(page, serving, watch):
    """The page says that an unknown file is missing, and shows a known version in place of an unknown one."""
    watch.expect("404")
    page.goto(f"{address_of(page, serving.files_session)}/files?file=%2Fnot%2Fthere")
    expect(page.get_by_text("This file is not here")).to_be_visible()
    page.goto(f"{address_of(page, serving.files_session)}/files?file=%2Fhome%2Fdev%2Fwork%2Fapp.py&after=99")
    expect(page.get_by_text("Version 4: exact", exact=True)).to_be_visible()
