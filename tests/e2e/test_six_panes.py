"""Six agents in six tmux panes and two in Chorus: one key leads to each that waits, and all are approved on the page.

The clients in the panes are small programs that ask as the real client does: on their screens, in the registry and in
their session files. `tests/client/test_tmux_approvals.py` does the same in one pane with the real client.
"""

import re
import sys
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from chorus.steer.approvals.ledger import Ledger
from chorus.steer.approvals.model import Request, Row, State
from chorus.testing.builders import Session, encode_all, tool_use
from chorus.testing.builders.lines import Clock
from tests.e2e.approvals.cards import approve, become_approver, press
from tests.e2e.support.agents import World, start
from tests.show.server.live.test_pane_requests import prompt
from tests.steer.clients.entries import entry, put
from tests.support.panes import missing, pane_server, until

CLIENT = """
import json, os, sys, tty
shown, folder, session, rest = sys.argv[1:]
registry = os.path.join(folder, f"{os.getpid()}.json")
tty.setraw(0)
os.write(1, shown.encode())
key = os.read(0, 1)
os.write(1, b"\\x1b[2J\\x1b[H> ")
if key == b"1":
    with open(rest, "rb") as file, open(session, "ab") as target:
        target.write(file.read())
with open(registry) as file:
    said = json.load(file)
said["status"] = "idle"
said["statusUpdatedAt"] += 1
del said["waitingFor"]
with open(registry + ".half", "w") as file:
    json.dump(said, file)
os.replace(registry + ".half", registry)
while os.read(0, 100):
    pass
"""
"""A client that asks once; a yes writes the rest of its session file."""


class Pane:
    """A client in a pane that waits for permission."""

    def __init__(self, world: World, tmux, number: int) -> None:
        self.id = f"51a00000-0000-4000-8000-00000000000{number}"
        command = f"touch {number}.txt"
        # The outcome of a request is looked for in what was written after it was made.
        session = Session(
            self.id, cwd=str(world.work), clock=Clock((datetime.now(UTC) + timedelta(minutes=5)).isoformat())
        )
        session.user(f"Make file {number}.")
        session.assistant(tool_use("Bash", {"command": command}, id=f"toolu_{number}"))
        (path,) = world.serving.write(session)
        rest = tmux.folder / f"rest-{number}"
        lines = [session.tool_result(f"toolu_{number}", "done"), *session.assistant("It is made.", stop="end_turn")]
        rest.write_bytes(encode_all(lines))
        call = [
            sys.executable,
            "-c",
            CLIENT,
            prompt(command),
            str(world.serving.claude / "sessions"),
            str(path),
            str(rest),
        ]
        self.pane = tmux.open(*call, height=40, session=f"agent{number}")
        until(lambda: command in tmux.screen(self.pane))
        said = {"status": "waiting", "waitingFor": "permission prompt", "statusUpdatedAt": 1794705719999}
        pid = int(tmux.ask(self.pane, "pane_pid"))
        put(world.serving.claude, entry(pid, self.id, **said))


@pytest.fixture
def tmux(monkeypatch):
    if (why := missing()) is not None:
        pytest.skip(why)
    with pane_server() as server:
        monkeypatch.setenv("TMUX_TMPDIR", str(server.folder))
        yield server


@pytest.fixture
def world(tmux, tmp_path, built):
    made = World(tmp_path)
    made.serving.start()
    yield made
    made.clear()
    made.serving.kill()


@pytest.fixture
def serving(world):
    return world.serving


def row_of(ledger: Ledger, request: Request) -> Row:
    row = ledger.row(request.id)
    assert row is not None
    return row


def test_one_key_leads_to_each_and_all_are_approved(page: Page, world: World, tmux):
    """`N` leads from one waiting agent to the next, whether it runs in a pane or in Chorus; each card is answered on
    its page, and the agents go on."""
    become_approver(page)
    panes = [Pane(world, tmux, number) for number in range(1, 7)]
    for number in (1, 2):
        page.goto("/")
        start(page, f"ask for {number}")
    ledger = Ledger(world.serving.vault / "state")
    asked = until(lambda: len(found := ledger.pending()) == 8 and found)
    assert sorted(row.request.source for row in asked) == ["control"] * 2 + ["tmux"] * 6
    by_session = {row.request.session: row.request for row in asked}

    page.goto("/board")
    expect(page.get_by_role("region", name=re.compile("needs you", re.IGNORECASE))).to_be_visible()
    visited = []
    for _ in range(8):
        before = page.url
        page.keyboard.press("n")
        page.wait_for_url(lambda url, before=before: "/c/" in url and url != before)
        session = page.url.rpartition("/")[2]
        press(approve(page, by_session[session]))
        until(lambda session=session: row_of(ledger, by_session[session]).state is State.APPROVED)
        visited.append(session)

    assert sorted(visited) == sorted(by_session), "each was visited once"
    for pane in panes:
        until(lambda pane=pane: row_of(ledger, by_session[pane.id]).effect == "took_effect")
        assert "Do you want" not in tmux.screen(pane.pane)
    assert [answer["behavior"] for answer in world.noted("answers.jsonl")] == ["allow", "allow"]
    page.goto("/board")
    page.keyboard.press("n")
    expect(page.get_by_text("Nothing needs you")).to_be_visible()
