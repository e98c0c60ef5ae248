"""Agents that browser tests start and talk to, with a named workspace and a client that follows its prompts."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from chorus.keep.vault.keys import workspace_id
from chorus.steer.runs.run_folders import Runs
from chorus.testing.builders import Session
from tests.e2e.support.serving import Serving
from tests.support import actor
from tests.support.running import end, program

KEPT = "e2e00021-0000-4000-8000-000000000001"
"""The session that the world begins with."""


class World:
    """A server, a named workspace, and a client that does what its prompts say."""

    def __init__(self, folder: Path) -> None:
        self.serving = Serving(folder)
        self.work = (folder / "harbour").resolve()
        self.work.mkdir()
        self.client = program(folder / "claude", Path(actor.__file__).read_text("utf-8"))
        self.settle(self.client)
        kept = Session(KEPT, cwd=str(self.work))
        kept.title("How high is the <b>tide</b>?")
        kept.user("How high is the tide?")
        kept.assistant("Two metres.", stop="end_turn")
        kept.user("And tomorrow?")
        kept.assistant("Three.", stop="end_turn")
        self.kept = kept
        self.serving.write(kept)

    def settle(self, client: str, *, agents: tuple = ({"name": "ada", "model": "opus", "mode": "plan"},)) -> None:
        """Writes the client and the workspace into the settings."""
        vault = self.serving.vault
        vault.mkdir(mode=0o700, parents=True, exist_ok=True)
        place = {"id": workspace_id(str(self.work)), "path": str(self.work), "isNamed": True, "agents": list(agents)}
        (vault / "config.json").write_text(json.dumps({"client": client, "workspaces": [place]}))

    def noted(self, name: str) -> list[dict]:
        path = self.work / name
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def arguments(self) -> list[str]:
        return json.loads((self.work / "arguments.json").read_text())

    def clear(self) -> None:
        """Ends all runs, and deletes what the client noted."""
        for folder, _ in Runs(self.serving.vault).living():
            end(folder)
        for path in self.work.iterdir():
            path.unlink()


def one_world(tmp_path_factory: pytest.TempPathFactory, built: None) -> Iterator[World]:
    """Builds one world with one server for all tests of a module, which uses this as its `world`."""
    made = World(tmp_path_factory.mktemp("running"))
    made.serving.start()
    yield made
    made.clear()
    made.serving.kill()


def leaving_no_run(world: World) -> Iterator[Serving]:
    """Returns the server, and ends all runs after each test; a module with `one_world` uses this as its `serving`."""
    yield world.serving
    world.settle(world.client)
    world.clear()


def to_new(page: Page) -> Locator:
    """Opens the page on which an agent is started, and returns its field."""
    page.get_by_role("link", name="Start an agent").click()
    field = page.get_by_label("What is to be done")
    expect(field).to_be_focused()
    return field


def start(page: Page, prompt: str) -> Locator:
    """Starts an agent with a prompt, and returns the region in which a person talks to it."""
    to_new(page).fill(prompt)
    page.keyboard.press("Control+Enter")
    page.wait_for_url(re.compile("/c/"))
    return dock(page)


def dock(page: Page) -> Locator:
    return page.get_by_role("region", name="Talk to the agent")


def stands(page: Page, words: str) -> None:
    expect(dock(page).get_by_role("status").first).to_have_text(words)


def say(page: Page, text: str) -> None:
    field = page.get_by_label("Message to the agent")
    field.fill(text)
    field.press("Enter")
    expect(field).to_have_value("")
