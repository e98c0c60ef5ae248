"""Tests of a control client with a real tmux server."""

import os
import time

import pytest

from chorus.errors import TmuxFailed
from chorus.steer.tmux.connection import Connection
from chorus.steer.tmux.control_lines import Notice, Output
from tests.support.panes import until


def said(connection, pane):
    """Collects what a pane printed."""
    data = bytearray()

    def look():
        for event in connection.events(0.05):
            if isinstance(event, Output) and event.pane == pane:
                data.extend(event.data)
        return data

    return look


def test_bytes_of_a_pane_arrive_as_they_were_written(tmux):
    """Control characters, backslashes and bytes that are no UTF-8 come through."""
    pane = tmux.open("sh", "-c", r"read x; printf 'a\\b\t\377\001end'; sleep 60")
    with Connection(tmux.socket, has_output=True) as connection:
        look = said(connection, pane)
        tmux.run("send-keys", "-t", pane, "Enter")
        until(lambda: b"end" in look())
        assert b"a\\b\t\xff\x01end" in look()


def test_attaching_changes_nothing_for_others(tmux):
    """Windows keep their size, the session keeps its environment, and a pipe of a pane stays."""
    pane = tmux.open("cat", width=93, height=31)
    tmux.run("set-environment", "-t", pane, "SSH_AUTH_SOCK", "theirs")
    piped = tmux.folder / "piped"
    tmux.run("pipe-pane", "-t", pane, f"cat > {piped}")
    with Connection(tmux.socket, has_output=True) as connection:
        connection.run("list-panes", "-a")
        assert (tmux.ask(pane, "window_width"), tmux.ask(pane, "window_height")) == ("93", "31")
        assert tmux.run("show-environment", "-t", pane, "SSH_AUTH_SOCK") == "SSH_AUTH_SOCK=theirs"
        tmux.type(pane, "for both")
        until(lambda: piped.exists() and b"for both" in piped.read_bytes())
    assert (tmux.ask(pane, "window_width"), tmux.ask(pane, "pane_pipe")) == ("93", "1")


def test_a_pane_cannot_end_a_reply(tmux):
    """A pane that prints the end of every possible reply does not change what is read."""
    lies = "".join(f"%end {int(time.time()) + s} {n} 1\\n" for s in range(3) for n in range(200, 420, 2))
    pane = tmux.open("sh", "-c", f"printf '{lies}%%output %%9 fake\\nlast'; sleep 60", width=60, height=900)
    until(lambda: "last" in tmux.screen(pane))
    with Connection(tmux.socket) as connection:
        for _ in range(20):
            lines = connection.run("capture-pane", "-p", "-t", pane)
            assert b"last" in lines
            assert connection.run("display-message", "-p", "ours") == [b"ours"]
        assert not [event for event in connection.events() if isinstance(event, Output)]


def test_a_refused_command_is_an_error_and_the_connection_goes_on(tmux):
    """tmux says what is wrong, and the next command works."""
    tmux.open("cat")
    with Connection(tmux.socket) as connection:
        with pytest.raises(TmuxFailed, match="can't find pane"):
            connection.run("capture-pane", "-p", "-t", "%999")
        assert connection.run("display-message", "-p", "x") == [b"x"]


def test_a_server_that_dies_is_an_error_and_not_a_hang(tmux):
    """Commands and reading fail when the server is gone."""
    tmux.open("cat")
    with Connection(tmux.socket) as connection:
        tmux.end()
        with pytest.raises(TmuxFailed, match="ended the connection"):
            until(lambda: connection.events(0.05) and None)
        with pytest.raises(TmuxFailed):
            connection.run("list-panes")


def test_no_server_is_started(tmux):
    """Where no server listens, the error says so."""
    with pytest.raises(TmuxFailed, match=r"no server running|error connecting"):
        Connection(tmux.socket)
    assert not tmux.socket.exists()


def test_an_old_or_missing_tmux_is_named(tmux, tmp_path):
    """The error says which version is needed, or that the program is missing."""
    old = tmp_path / "tmux"
    old.write_text("#!/bin/sh\necho 'usage: tmux [-28lquvV] [-c shell-command]'; exit 1\n")
    old.chmod(0o755)
    with pytest.raises(TmuxFailed, match=r"older than 3\.2"):
        Connection(tmux.socket, program=str(old))
    with pytest.raises(TmuxFailed, match="cannot be started"):
        Connection(tmux.socket, program=str(tmp_path / "none"))


def test_a_program_never_waits_for_chorus(tmux):
    """A program in a pane ends although nobody takes what it prints, and the connection still answers."""
    done = tmux.folder / "done"
    pane = tmux.open("sh", "-c", f"read x; yes 1234567890 | head -n 300000; touch {done}; sleep 60")
    with Connection(tmux.socket, has_output=True) as connection:
        tmux.run("send-keys", "-t", pane, "Enter")
        until(done.exists, "the program has ended")
        assert connection.run("display-message", "-p", "x") == [b"x"]
        printed = b"".join(event.data for event in connection.events() if isinstance(event, Output))
        assert printed.count(b"1234567890") == 300_000 or Notice("pause", pane) in connection.events()


def test_a_paused_pane_can_be_continued(tmux):
    """After a pause, output of the pane arrives again."""
    pane = tmux.open("cat")
    with Connection(tmux.socket, has_output=True) as connection:
        connection.run("refresh-client", "-A", f"{pane}:pause")
        tmux.type(pane, "unseen")
        until(lambda: tmux.screen(pane).count("unseen") == 2)
        connection.run("refresh-client", "-A", f"{pane}:continue")
        look = said(connection, pane)
        tmux.type(pane, "seen")
        until(lambda: b"seen\r\n" in look())
        assert b"unseen" not in look()


def test_the_process_is_gone_after_closing(tmux):
    """Detaching leaves no process and no zombie."""
    tmux.open("cat")
    with Connection(tmux.socket) as connection:
        pid = connection.pid
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert tmux.run("list-clients") == ""
