"""Tests of what a server tells about panes, with a real tmux."""

import json

import pytest

from tests.cli.commands import run
from tests.show.server.serving import serving, until
from tests.steer.clients.entries import SESSION, entry, put
from tests.support.panes import missing, pane_server


@pytest.fixture
def tmux(monkeypatch):
    if (why := missing()) is not None:
        pytest.skip(why)
    with pane_server() as server:
        monkeypatch.setenv("TMUX_TMPDIR", str(server.folder))
        yield server


def test_the_page_knows_in_which_pane_a_session_lives(tmux, tmp_path, monkeypatch):
    """The socket and the list name the pane; going there gives the command; the command line says the same."""
    folder = tmp_path / "claude"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(folder))
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "home"))
    pane = tmux.open("sh", "-c", r"printf '\033[31mred\033[0m <b>'; exec sleep 60", session="work")
    put(folder, entry(int(tmux.ask(pane, "pane_pid")), status="waiting", waitingFor="permission prompt"))
    with serving(tmp_path / "home", folder) as server:
        browser = server.browser()
        with browser.live() as live:
            frame = live.until(lambda frame: any(each["pane"] for each in frame.get("sessions", [])))
            told = frame["sessions"][0]["pane"]
            assert (told["id"], told["place"], told["is_foreground"]) == (pane, "work:0.0", True)
        answer = browser.post(f"/api/panes/{SESSION}/go")
        assert (answer.status, answer.json) == (200, {"is_there": False, "command": told["command"]})
        assert browser.post("/api/panes/none/go").status == 404
        screen = browser.get(f"/api/panes/{SESSION}/screen").json
        assert (screen["width"], screen["height"], screen["cursor"]) == (80, 24, [7, 0])
        assert screen["text"].startswith("\x1b[31mred\x1b[39m <b>")
        assert browser.get("/api/panes/none/screen").status == 404
        listed = json.loads(run("tmux", "list", "--json").output)
        assert [(each["session"], each["pane"], each["waiting_for"]) for each in listed] == [
            (SESSION, pane, "permission prompt")
        ]
        assert run("tmux", "go", SESSION[:6]).output.strip() == told["command"]
        tmux.run("kill-pane", "-t", pane)
        until(lambda: server.browser().post(f"/api/panes/{SESSION}/go").status == 404)
