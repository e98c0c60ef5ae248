"""Tests what a person can choose for a new agent: model, permission mode and folder."""

import os
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from chorus.keep.vault.keys import workspace_id
from tests.e2e.support.agents import leaving_no_run, one_world, stands, to_new

world = pytest.fixture(scope="module")(one_world)
serving = pytest.fixture(leaving_no_run)


def test_a_model_is_chosen_from_a_list_or_written(page, world):
    """The list has the client's names and the models of the data, and another name can be typed."""
    field = to_new(page)
    model = page.get_by_label("Model", exact=True)
    listed = model.locator("option").evaluate_all("all => all.map((each) => each.value)")
    assert {"opus", "sonnet", "haiku"} <= set(listed)
    assert any(each.startswith("claude-") for each in listed) and not any("<" in each for each in listed)
    model.select_option(label="Another model …")
    page.get_by_label("Name of the model").fill("claude-next-1")
    field.fill("Paint the buoy.")
    field.press("Control+Enter")
    stands(page, "Waits for your next message")
    assert "--model=claude-next-1" in world.arguments()


@pytest.mark.parametrize(("label", "mode"), [("Accept edits", "acceptEdits"), ("Don’t ask", "dontAsk")])
def test_every_mode_but_bypass_can_be_chosen(page, world, label, mode, axe):
    """Each permission mode has a line that says what it does, and the mode that bypasses permissions is not offered."""
    field = to_new(page)
    modes = page.get_by_role("group", name="What it may do without asking")
    expect(modes.get_by_role("radio")).to_have_count(5)
    expect(modes).to_contain_text("Only reads, and shows you a plan before it begins.")
    expect(modes).not_to_contain_text("ypass")
    assert axe(page) == []
    modes.get_by_label(label).check()
    field.fill("Paint the buoy.")
    field.press("Control+Enter")
    stands(page, "Waits for your next message")
    assert f"--permission-mode={mode}" in world.arguments()


def test_a_folder_is_added_after_a_confirmation_in_the_terminal(page, world):
    """The page shows the command that adds a folder, and chooses the folder after the command was run."""
    other = world.work.parent / "new harbour"
    other.mkdir(exist_ok=True)
    to_new(page)
    page.get_by_role("button", name="Another folder …").click()
    page.get_by_label("Its whole path").fill(str(other))
    group = page.get_by_role("group", name="Another folder")
    assert group.locator("code").inner_text() == f"chorus workspace add '{other}'"
    expect(page.get_by_label("Folder", exact=True)).to_have_value(workspace_id(str(world.work)))
    command = [sys.executable, "-m", "chorus", "workspace", "add", str(other)]
    subprocess.run(command, env={**os.environ, "CHORUS_HOME": str(world.serving.vault)}, check=True)
    expect(page.get_by_label("Folder", exact=True)).to_have_value(workspace_id(str(other)))
    expect(group).to_have_count(0)
