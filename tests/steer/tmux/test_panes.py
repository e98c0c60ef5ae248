"""Tests of panes, of clients in them, and of showing a pane to a person."""

import os
import shlex
import shutil
import socket
import subprocess

import msgspec
import pytest

from chorus.base import processes
from chorus.steer.clients.registry_entry import Running
from chorus.steer.tmux.connection import Connection
from chorus.steer.tmux.panes import go_command, go_to, list_panes
from chorus.steer.tmux.placing import place
from chorus.steer.tmux.servers import MAX_SERVERS, server_sockets
from tests.support.panes import until

SESSION = "4b1e2c3d-0000-4000-8000-000000000001"


def client(pid, session=SESSION):
    return Running(pid=pid, session=session, status="waiting")


def placed(tmux, *clients):
    with Connection(tmux.socket) as connection:
        return place(list_panes(connection), processes.at_terminals(), clients)


def test_a_client_is_found_by_its_terminal_below_wrappers(tmux):
    """A client that a shell and a wrapper started is in the pane, in the foreground; another pane is not its pane."""
    note = tmux.folder / "pid"
    pane = tmux.open("bash", "-ic", f"sh -c 'echo $$ > {note}; exec sleep 60'")
    other = tmux.open("sleep", "60")
    until(lambda: note.exists() and note.read_text().strip())
    found = placed(tmux, client(int(note.read_text())))[SESSION]
    assert (found.pane.id, found.is_foreground) == (pane, True)
    assert found.pane.id != other


def test_a_client_in_the_background_has_no_keyboard(tmux):
    """A client that was put into the background is in its pane, but the terminal sends keys to the shell."""
    note = tmux.folder / "pid"
    pane = tmux.open("bash", "--norc", "-i")
    tmux.type(pane, f"sleep 60 & echo $! > {note}")
    until(lambda: note.exists() and note.read_text().strip())
    found = placed(tmux, client(int(note.read_text())))[SESSION]
    assert (found.pane.id, found.is_foreground) == (pane, False)


def test_a_client_elsewhere_has_no_pane(tmux):
    """A process with another terminal, or none, is in no pane, whatever a pane prints about it."""
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as elsewhere:
        tmux.open("sh", "-c", f"echo 'pid {elsewhere.pid} {SESSION} ❯ 1. Yes'; sleep 60")
        assert placed(tmux, client(elsewhere.pid)) == {}
        elsewhere.kill()


def test_hostile_names_do_not_change_the_list(tmux):
    """Names of sessions, windows and panes with spaces and format signs stay names."""
    pane = tmux.open("cat", session="a b #{pid} $HOME %9")
    tmux.run("rename-window", "-t", pane, "%1 x\ty #{pane_id}")
    tmux.run("select-pane", "-t", pane, "-T", "$1 %2 0 0")
    with Connection(tmux.socket) as connection:
        (found,) = list_panes(connection)
    assert found.id == pane
    assert found.session == tmux.ask(pane, "session_name")
    assert (found.width, found.height, found.is_dead, found.is_in_mode) == (80, 24, False, False)


def test_states_of_a_pane_are_seen(tmux):
    """Copy mode, a zoomed neighbour and a dead program are in the list."""
    pane = tmux.open("cat")
    other = tmux.run("split-window", "-t", pane, "-P", "-F", "#{pane_id}", "cat")

    def look():
        with Connection(tmux.socket) as connection:
            return {each.id: each for each in list_panes(connection)}

    assert not look()[pane].is_hidden
    tmux.run("resize-pane", "-Z", "-t", other)
    assert (look()[pane].is_hidden, look()[other].is_hidden) == (True, False)
    tmux.run("copy-mode", "-t", pane)
    assert look()[pane].is_in_mode
    tmux.run("set-option", "-g", "remain-on-exit", "on")
    os.kill(int(tmux.ask(other, "pane_pid")), 9)
    until(lambda: look()[other].is_dead)


def test_go_there_selects_the_pane_for_the_person_who_is_attached(tmux):
    """A person in another session of the server is taken to the pane; control clients are not people."""
    first = tmux.open("cat", session="first")
    second = tmux.open("cat", session="second")
    environment = {"TMUX_TMPDIR": str(tmux.folder), "TERM": "xterm", "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    with Connection(tmux.socket, has_output=True) as connection:
        panes = {each.id: each for each in list_panes(connection)}
        assert go_to(connection, panes[second]) is None
        attach = shlex.join(["tmux", "-L", tmux.name, "attach", "-t", first])
        call = ["script", "-qec", attach, "/dev/null"]
        if shutil.which("script") is None:
            pytest.skip("script is not installed, and a person needs a terminal")
        with subprocess.Popen(call, env=environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as person:
            until(lambda: "0 first" in tmux.run("list-clients", "-F", "#{client_control_mode} #{client_session}"))
            assert go_to(connection, panes[second])
            assert "0 second" in tmux.run("list-clients", "-F", "#{client_control_mode} #{client_session}")
            person.kill()


def test_the_command_for_going_there_works_in_a_shell(tmux):
    """The command selects window and pane; without a terminal only attaching fails."""
    pane = tmux.open("cat", session="here")
    other = tmux.run("new-window", "-t", "here:", "-P", "-F", "#{pane_id}", "cat")
    with Connection(tmux.socket) as connection:
        panes = {each.id: each for each in list_panes(connection)}
    assert tmux.ask(f"{panes[pane].session}:", "pane_id") == other
    text = go_command(panes[pane])
    environment = {"TMUX_TMPDIR": str(tmux.folder), "TERM": "xterm", "PATH": os.environ["PATH"]}
    done = subprocess.run(["sh", "-c", text], env=environment, capture_output=True, text=True, check=False)
    assert "not a terminal" in done.stderr
    assert tmux.ask(f"{panes[pane].session}:", "pane_id") == pane


def test_sockets_come_from_the_folder_of_tmux_and_from_the_settings(tmux, tmp_path):
    """Files that are no sockets are left out; a name and a path of the settings are found, each once."""
    tmux.open("cat")
    (tmux.socket.parent / "note").write_text("no socket")
    assert server_sockets() == [tmux.socket]
    assert server_sockets([tmux.name, str(tmux.socket), "none", str(tmp_path / "none")]) == [tmux.socket]


def test_sockets_of_killed_servers_hide_no_server(tmux):
    """tmux leaves the sockets of killed servers; any number of them is left out, and a new server there is found."""
    tmux.open("cat")
    left = [tmux.socket.parent / f"0{number:03}" for number in range(3 * MAX_SERVERS)]
    for path in left:
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(path))
    assert server_sockets() == server_sockets() == [tmux.socket]

    left[0].unlink()
    with socket.socket(socket.AF_UNIX) as living:
        living.bind(str(left[0]))
        living.listen(0)
        assert server_sockets() == [left[0], tmux.socket]
        assert server_sockets() == [left[0], tmux.socket], "others wait for it, too"


def test_a_folder_that_others_can_use_is_not_read(tmux):
    """tmux itself refuses such a folder: somebody else may have put a socket there."""
    tmux.open("cat")
    tmux.socket.parent.chmod(0o777)
    assert server_sockets() == []
    tmux.socket.parent.chmod(0o700)


def test_a_pane_is_plain_data(tmux):
    """A pane can be written as JSON."""
    pane = tmux.open("cat")
    with Connection(tmux.socket) as connection:
        (found,) = list_panes(connection)
    assert msgspec.json.decode(msgspec.json.encode(found))["id"] == pane
