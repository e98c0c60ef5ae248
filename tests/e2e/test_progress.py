"""Tests that the page shows how far a conversation at work is, and never more than is known."""

from playwright.sync_api import expect

from chorus.testing.builders import tool_use
from tests.e2e.support import worlds
from tests.e2e.support.growing import going_on, path_of
from tests.e2e.support.opening import open_session


def printed(session, dots):
    """Returns the record of a client about a test run that printed so many results."""
    return session.progress("bash_progress", "toolu_p1", fullOutput=f"collected 20 items\n\ntests/a.py {'.' * dots}")


def test_the_bar_moves_with_the_output_and_ends_with_the_turn(page, serving, axe):
    """List and header show bar, step and source, follow new output without a reload, and end with the turn."""
    path = path_of(serving, worlds.LIVE)
    session = going_on(serving, worlds.LIVE)
    session.tool_result("toolu_live1", "ok")
    session.assistant(tool_use("Bash", {"command": "pytest"}, id="toolu_p1"))
    printed(session, 5)
    serving.append(path, session.lines)
    row = page.locator(f'[data-conversation$="{worlds.LIVE}"]')
    expect(row).to_contain_text("5 of 20")
    expect(row).to_contain_text("Running tests")
    expect(row.get_by_role("progressbar")).to_have_attribute("aria-valuenow", "25")
    assert axe(page) == []

    open_session(page, worlds.LIVE)
    header = page.locator(".session-header")
    expect(header).to_contain_text("5 of 20")
    expect(header).to_contain_text("program")
    session = going_on(serving, worlds.LIVE)
    printed(session, 12)
    serving.append(path, session.lines)
    expect(header).to_contain_text("12 of 20")
    expect(header.get_by_role("progressbar")).to_have_attribute("aria-valuenow", "60")

    session = going_on(serving, worlds.LIVE)
    session.tool_result("toolu_p1", "ok  \tshop/a\t0.3s\nok  \tshop/b\t0.1s\n")
    session.assistant(tool_use("Agent", {"description": "Read the <b>logs</b>", "prompt": "Read"}, id="toolu_p2"))
    serving.append(path, session.lines)
    expect(header).to_contain_text("Read the <b>logs</b>")
    expect(header).to_contain_text("Testing packages")
    expect(header.get_by_role("progressbar")).to_have_count(0)

    session = going_on(serving, worlds.LIVE)
    session.tool_result("toolu_p2", "Nothing in them.")
    session.assistant("All lights blink in step.", stop="end_turn")
    serving.append(path, session.lines)
    expect(header).to_contain_text("Done")
    expect(header).not_to_contain_text("Testing packages")
    expect(header).not_to_contain_text("Read the")
