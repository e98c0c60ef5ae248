"""Tests the changes page: turns and files as differences, links to calls, and undo with a preview."""

import json

import pytest
from playwright.sync_api import Page, expect

from chorus.keep.snapshots.commits import Feed, SnapshotFacts, SnapshotKind
from chorus.keep.snapshots.snapshots import Snapshots
from chorus.keep.vault.keys import workspace_id
from chorus.testing.builders import Session, tool_use
from tests.e2e.support.lasting import served
from tests.e2e.support.opening import address_of, open_session, transcript

HOSTILE = '<img src=x onerror="document.title=1">\u202e.txt'
APP = "import os\n\n\ndef main():\n    print('one')\n    return 1\n\n\ndef other():\n    return 'x'\n"


class Agent:
    """Changes files of a named workspace, and writes the session about it."""

    def __init__(self, server):
        self.folder = server.home / "shop"
        self.folder.mkdir(parents=True)
        self.session = Session(cwd=str(self.folder))
        self.workspace = workspace = workspace_id(str(self.folder))
        server.vault.mkdir(exist_ok=True)
        known = {"id": workspace, "path": str(self.folder), "isNamed": True}
        (server.vault / "config.json").write_text(json.dumps({"workspaces": [known]}))
        self.snapshots = Snapshots(server.vault, workspace, self.folder)
        self.turn, self.calls, self.time_ms = 0, 0, 1_790_000_000_000

    def prompt(self, words):
        self.turn += 1
        self.session.user(words)

    def edit(self, path, text):
        self.calls += 1
        call = f"toolu_{self.calls}"
        place = self.folder / path
        self._take(SnapshotKind.BEFORE, call, place)
        place.parent.mkdir(exist_ok=True)
        place.write_text(text)
        self._take(SnapshotKind.AFTER, call, place)
        self.session.assistant(
            tool_use("Edit", {"file_path": str(place), "old_string": "a", "new_string": "b"}, id=call)
        )
        self.session.tool_result(call, "The file has been updated")

    def _take(self, kind, call, place):
        self.time_ms += 1000
        facts = SnapshotFacts(
            kind=kind, conversation=self.session.id, time_ms=self.time_ms, call=call, tool="Edit", turn=self.turn,
            feed=Feed.CONTROL,
        )  # fmt: skip
        self.snapshots.take_files([str(place)], facts, "Edit")


def lay_out_changes(server):
    """Lays out an agent that worked for two turns, a later change by a person, and a conversation without snapshots."""
    agent = Agent(server)
    (agent.folder / "app.py").write_text(APP)
    agent.prompt("Print two instead of one")
    agent.edit("app.py", APP.replace("'one'", "'two'"))
    agent.edit("src/new.py", "def helper():\n    return 2\n")
    agent.prompt("Return y, and leave a note")
    agent.edit("app.py", APP.replace("'one'", "'two'").replace("'x'", "'y'"))
    agent.edit(HOSTILE, "<script>document.title = 2</script>\n\x1b[31m\n")
    agent.snapshots.close()
    (agent.folder / "src" / "new.py").write_text("# mine\ndef helper():\n    return 3\n")
    plain = Session("5e551011-0000-4000-8000-00000000000f", cwd="/home/dev/elsewhere")
    plain.user("Hello")
    plain.assistant("Hello to you")
    server.write(agent.session, plain)
    server.agent, server.plain = agent, plain


serving = served(lay_out_changes)


@pytest.fixture
def page(entered):
    return entered


@pytest.fixture
def changes(page: Page, serving) -> Page:
    """A page that shows the changes of a conversation."""
    open_session(page, serving.agent.session.id)
    # The header has the link if there is room for it, and the session panel has it, too.
    link = page.get_by_role("link", name="Changes", exact=True).first
    if link.count() == 0:
        page.get_by_role("button", name="Show session panel").click()
    link.click()
    expect(page.get_by_role("heading", name="Changes", exact=True)).to_be_visible()
    return page


def test_turns_read_as_differences(changes, axe):
    """Turns show prompts, calls and differences, in one column or two, by turn or by file, and link to the calls."""
    first = changes.get_by_role("region", name="Turn 1", exact=True)
    expect(first.get_by_role("link", name="Print two instead of one")).to_be_visible()
    app = first.get_by_role("article", name="Edit: app.py")
    expect(app).to_contain_text("print('two')")
    expect(changes.get_by_text("document.title = 2")).to_be_visible()
    assert changes.title() not in ("1", "2")
    changes.get_by_role("button", name="Side by side").click()
    sides = app.get_by_role("group", name="side by side")
    expect(sides.get_by_role("row").filter(has_text="'two'")).to_contain_text("'one'")
    assert axe(changes) == []
    changes.get_by_role("button", name="By file").click()
    expect(
        changes.get_by_role("region", name="Changes of app.py").get_by_role("group", name="side by side")
    ).to_have_count(2)
    assert "view=side" in changes.url and "by=file" in changes.url
    assert axe(changes) == []
    changes.get_by_role("region", name="Changes of app.py").get_by_role("link", name="Go to the call").first.click()
    expect(transcript(changes).locator("article").first).to_be_visible()
    assert "at=call" in changes.url


def test_undo_of_one_turn_with_a_preview(changes, axe, serving, watch):
    """The preview says what happens to each file, and a change in between stops the undo.

    The result is shown and can be undone itself.
    """
    watch.expect("409")
    folder = serving.agent.folder
    changes.get_by_role("button", name="Undo turn 1").click()
    dialog = changes.get_by_role("dialog")
    files = dialog.get_by_role("list", name="What happens to the files").get_by_role("listitem")
    expect(files.nth(0)).to_contain_text("was changed since: only these changes are taken out")
    expect(files.nth(0).get_by_role("checkbox")).not_to_be_checked()
    expect(files.nth(1)).to_contain_text("stays as it is: it was changed, created or deleted since")
    expect(files.nth(1).get_by_role("checkbox")).to_be_disabled()
    files.nth(0).get_by_text("How it changes").click()
    expect(files.nth(0)).to_contain_text("print('one')")
    assert axe(changes) == []
    files.nth(0).get_by_role("checkbox").check()
    (folder / "app.py").write_text((folder / "app.py").read_text() + "# mine\n")
    dialog.get_by_role("button", name="Change 1 file").click()
    expect(dialog.get_by_role("alert")).to_contain_text("A file changed since you looked")
    assert "'two'" in (folder / "app.py").read_text()
    dialog.get_by_role("button", name="Change 1 file").click()
    expect(dialog.get_by_role("status")).to_have_text("1 file changed.")
    expect(dialog).to_contain_text("lost these changes and kept later ones")
    assert (folder / "app.py").read_text() == APP.replace("'x'", "'y'") + "# mine\n"
    assert "# mine" in (folder / "src" / "new.py").read_text()
    dialog.get_by_role("button", name="Close", exact=True).last.click()
    undone = changes.get_by_role("article", name="Undo: app.py")
    expect(undone).to_contain_text("print('one')")
    undone.get_by_role("button", name="Undo").click()
    changes.get_by_role("dialog").get_by_role("button", name="Change 1 file").click()
    expect(changes.get_by_role("dialog").get_by_role("status")).to_have_text("1 file changed.")
    assert "'two'" in (folder / "app.py").read_text()


@pytest.mark.parametrize("settings", [{"viewport": {"width": 390, "height": 844}}], ids=["phone"])
def test_on_a_phone_and_without_snapshots(changes, serving):
    """On a phone nothing is wider than the screen; a conversation without snapshots says how to get them."""
    expect(changes.get_by_role("region", name="Turn 1", exact=True)).to_be_visible()
    assert changes.evaluate("document.documentElement.scrollWidth") <= 390
    changes.goto(f"{address_of(changes, serving.plain.id)}/changes")
    expect(changes.get_by_text("chorus workspace add FOLDER")).to_be_visible()
