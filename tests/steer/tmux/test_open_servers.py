"""Tests of the connections to all tmux servers."""

import os

from chorus.base.config import Config
from chorus.steer.clients.registry_entry import Running
from chorus.steer.tmux.open_servers import OpenServers
from tests.support.panes import pane_server, until

SESSION = "4b1e2c3d-0000-4000-8000-000000000001"


def test_servers_come_and_go(tmux):
    """A server that dies is left out without a word; one that starts later is found; the others stay."""
    said = []
    with OpenServers(Config(), said.append) as servers:
        assert servers.panes() == []
        first = tmux.open("cat")
        assert [each.id for each in servers.panes()] == [first]
        tmux.end()
        until(lambda: servers.panes() == [])
        tmux.open("cat")
        tmux.open("cat")
        assert len(servers.panes()) == 2
    assert said == []


def test_a_server_in_another_place_is_found_by_the_settings(tmux):
    """A path of the settings is a server like any other."""
    with pane_server("other") as other:
        pane = other.open("cat")
        with OpenServers(Config(tmux_sockets=[str(other.socket)])) as servers:
            assert [(each.id, each.socket) for each in servers.panes()] == [(pane, str(other.socket))]


def test_a_problem_is_said_once(tmux, tmp_path, monkeypatch):
    """A tmux that is too old is named once, however often one looks, and nothing is raised."""
    tmux.open("cat")
    old = tmp_path / "tmux"
    old.write_text("#!/bin/sh\necho 'tmux: unknown option -- N'; exit 1\n")
    old.chmod(0o755)
    said = []
    with OpenServers(Config(), said.append) as servers:
        monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
        for _ in range(3):
            assert servers.panes() == []
        assert len(said) == 1
        assert "older than 3.2" in said[0]
        monkeypatch.setenv("PATH", str(tmp_path / "none"))
        for _ in range(3):
            assert servers.panes() == []
        assert len(said) == 2
        assert "not on PATH" in said[1]


def test_switched_off_nothing_is_attached(tmux):
    """With the setting `tmux` off, no client is attached to any server."""
    pane = tmux.open("cat")
    running = Running(pid=int(tmux.ask(pane, "pane_pid")), session=SESSION, status="idle")
    with OpenServers(Config(tmux="off")) as servers:
        assert servers.place([running]) == {}
        assert tmux.run("list-clients") == ""
    with OpenServers(Config()) as servers:
        assert servers.place([running])[SESSION].pane.id == pane
