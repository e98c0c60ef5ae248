"""Tests the board with six agents in terminals and two runs of Chorus: its columns, its keys and its alerts."""

import re
import subprocess
import sys
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from chorus.core.protocol.launch import Launch
from chorus.steer.runs import messages
from chorus.steer.runs.attached import Attached
from chorus.testing.builders import Run, encode_all, tool_use
from chorus.testing.builders.lines import usage
from tests.e2e.support.lasting import served
from tests.e2e.support.phone import fits, phone
from tests.e2e.support.serving import Serving
from tests.e2e.support.worlds import session
from tests.steer.clients import entries
from tests.support.running import Place, recording

AGENTS = [f"b0a2d000-0000-4000-8000-00000000000{number}" for number in range(1, 7)]
RUNS = [f"b0a2d000-0000-4000-8000-0000000000a{number}" for number in (1, 2)]
STATUSES = ("waiting", "busy", "waiting", "busy", "idle", "waiting")
LOOPING = AGENTS[1]


class World:
    """A server, six clients that are small processes with entries in the registry, and two runs that ask."""

    def __init__(self, serving: Serving, folder: Path) -> None:
        self.serving = serving
        self.place = Place(folder, home=serving.vault)
        self._clients: list[subprocess.Popen[bytes]] = []
        self.runs = ExitStack()

    def open_clients(self) -> None:
        for number, (each, status) in enumerate(zip(AGENTS, STATUSES, strict=True)):
            client = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], stdin=subprocess.DEVNULL)
            self._clients.append(client)
            self.put(each, status, pid=client.pid, waitingFor="permission prompt", number=number)

    def put(self, agent: str, status: str, *, pid: int | None = None, **more) -> None:
        """Writes what the client of an agent says about itself."""
        number = AGENTS.index(agent)
        more.pop("number", None)
        entries.put(self.serving.claude, entries.entry(pid or self._clients[number].pid, agent, status=status, **more))

    def open_runs(self) -> None:
        for number, each in enumerate(RUNS):
            said = Run(each)
            said.init()
            said.assistant(tool_use("Bash", {"command": f"touch {number}.txt"}, id=f"toolu_run{number}"))
            said.ask(f"toolu_run{number}", "Bash", {"command": f"touch {number}.txt"}, request=f"ask-{number}")
            said.tool_result(f"toolu_run{number}", "done")
            said.result("Done.")
            client = recording(self.place.work.parent / f"client{number}", said)
            run = self.runs.enter_context(
                self.place.running(client, launch=Launch(session=each), title=f"Run {number}")
            )
            with Attached(run) as attached:
                attached.do(messages.Send(text="Touch it."))

    def close(self) -> None:
        self.runs.close()
        for client in self._clients:
            client.kill()
            client.wait()


def lay_out(server: Serving) -> None:
    """Writes the sessions of the six agents, and one that failed."""
    for number, each in enumerate(AGENTS):
        folder = "/home/dev/harbour" if number % 2 else "/home/dev/lighthouse"
        made = session(each, ago=timedelta(minutes=2, seconds=number), cwd=folder, branch=f"topic-{number}")
        made.title(f"Agent number {number + 1}")
        made.user("Work on it.")
        if each == LOOPING:
            for turn in range(3):
                made.assistant(tool_use("Bash", {"command": "make"}, id=f"toolu_loop{turn}"), stop="tool_use")
                made.tool_result(f"toolu_loop{turn}", "Exit code 2", is_error=True)
        if each == AGENTS[4]:
            made.assistant("I am done.", stop="end_turn")
            server.write(made)
            continue
        given = {"command": "make all", "description": f"Build part {number + 1}"}
        made.assistant(
            "I work.",
            tool_use("Bash", given, id=f"toolu_open{number}"),
            tokens=usage(cache_read=40_000 + 30_000 * number),
        )
        server.write(made)
    failed = session("b0a2d000-0000-4000-8000-0000000000f1", ago=timedelta(minutes=9))
    failed.user("Fail, please.")
    failed.assistant("The API refused.", isApiErrorMessage=True, error="overloaded")
    done = session("b0a2d000-0000-4000-8000-0000000000d1", ago=timedelta(minutes=9))
    done.user("Say hello.")
    done.assistant("Hello.", stop="end_turn")
    server.write(failed, done)


serving = served(lay_out)


@pytest.fixture
def world(serving, tmp_path_factory):
    made = World(serving, tmp_path_factory.mktemp("board"))
    made.open_clients()
    yield made
    made.close()


def column(page: Page, name: str):
    return page.get_by_role("region", name=re.compile(f"^{name}"))


def tile(page: Page, agent: str):
    return page.locator(f'[data-tile$="/{agent}"]')


def go_on(page: Page) -> str:
    """Presses `n` and returns the session that it leads to."""
    before = page.url
    page.keyboard.press("n")
    page.wait_for_url(lambda url: url != before and "/c/" in url)
    return page.url.rpartition("/")[2].partition("?")[0]


def test_n_leads_to_everything_that_waits(page, world, axe):
    """Six agents and two runs are on the board; `n` leads to each of the five that wait, from every page."""
    world.open_runs()
    page.goto("/board")
    expect(column(page, "Needs you").get_by_role("article")).to_have_count(5)
    expect(column(page, "Working").get_by_role("article")).to_have_count(2)
    expect(column(page, "Idle").locator(f'[data-tile$="/{AGENTS[4]}"]')).to_be_visible()
    expect(column(page, "Failed").get_by_text("Fail, please.")).to_be_visible()
    expect(tile(page, RUNS[0])).to_contain_text("asks for permission: Bash")
    expect(tile(page, AGENTS[0])).to_contain_text("waits: permission prompt")
    expect(tile(page, AGENTS[3])).to_contain_text("Build part 4")
    expect(page.get_by_role("group", name="Workspaces").get_by_role("button", name="All")).to_contain_text("5")
    assert axe(page) == []

    waiting = {AGENTS[0], AGENTS[2], AGENTS[5], *RUNS}
    reached = [go_on(page) for _ in waiting]
    page.goto("/usage")
    expect(page.get_by_role("heading", name="Usage")).to_be_attached()
    again = go_on(page)

    assert set(reached) == waiting and len(reached) == 5
    assert again in waiting


def test_the_board_is_live_and_has_keys(page, world, serving):
    """A tile moves to another column by itself; arrows and letters move the focus, and Enter opens a conversation."""
    page.goto("/board")
    expect(column(page, "Needs you").get_by_role("article")).to_have_count(3)
    world.put(AGENTS[0], "busy")
    expect(column(page, "Needs you").get_by_role("article")).to_have_count(2)
    expect(column(page, "Working").locator(f'[data-tile$="/{AGENTS[0]}"]')).to_be_visible()
    path = next(serving.claude.glob(f"projects/*/{AGENTS[3]}.jsonl"))
    made = session(AGENTS[3], ago=timedelta(seconds=1), cwd="/home/dev/harbour")
    made.title("A new name")
    serving.append(path, encode_all(made.lines))
    expect(tile(page, AGENTS[3])).to_contain_text("A new name")

    page.keyboard.press("j")
    first = page.evaluate("document.activeElement.closest('[data-column]').dataset.column")
    page.keyboard.press("ArrowRight")
    second = page.evaluate("document.activeElement.closest('[data-column]').dataset.column")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("k")
    page.keyboard.press("ArrowDown")
    focused = page.evaluate("document.activeElement.closest('[data-tile]').dataset.tile")
    page.keyboard.press("Enter")

    assert (first, second) == ("needs you", "working")
    expect(page).to_have_url(re.compile(re.escape(focused)))


def test_an_alert_leads_to_its_record(page, world):
    """A loop is shown on the board and in the header of the transcript, and leads to the last call that failed."""
    page.goto("/board")
    alert = tile(page, LOOPING).get_by_role("link", name="Bash failed 3 times with the same input and the same error")
    expect(alert).to_be_visible()
    alert.click()

    expect(page).to_have_url(re.compile("at=toolu_loop2"))
    expect(page.locator('[data-call="toolu_loop2"]')).to_be_in_viewport()
    expect(page.locator("header .flex-col [data-alert='loop']")).to_be_visible()


def test_workspaces_filter_the_board(page, world):
    """The number next to a workspace says how many of its conversations need a person; a click shows only these."""
    page.goto("/board")
    buttons = page.get_by_role("group", name="Workspaces")
    expect(buttons.get_by_role("button", name="lighthouse")).to_contain_text("2")
    buttons.get_by_role("button", name="harbour").click()

    expect(column(page, "Needs you").get_by_role("article")).to_have_count(1)
    expect(page).to_have_url(re.compile("workspace=harbour"))


@pytest.mark.parametrize("settings", [phone("dark")])
def test_the_board_on_a_phone(page, world, settings, axe):
    """On a phone the columns are below each other, and nothing is wider than the screen."""
    page.get_by_role("link", name="Board").click()
    expect(column(page, "Needs you").get_by_role("article").first).to_be_visible()

    fits(page)
    assert axe(page) == []
