"""Tests of the places that a contained client sees, and of workspaces where it is not started."""

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from chorus.errors import ChorusError
from chorus.steer.runs import contained
from chorus.steer.runs.containment import Containment, Places, command, own_sockets
from chorus.steer.runs.starting import find_containment

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="containment is for Linux")

PYTHON = shutil.which("python3", path="/usr/bin") or sys.executable
"""A program that a contained client sees, unlike one in a home."""


@pytest.fixture
def places(tmp_path):
    for name in ("person/.claude", "person/.chorus/runs/r", "work/.claude"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "claude").touch()
    person = tmp_path / "person"
    return Places(
        workspace=tmp_path / "work",
        home=person,
        config=person / ".claude",
        program=tmp_path / "claude",
        private=person / ".chorus" / "runs" / "r" / "home",
        hidden=(person / ".chorus", tmp_path / "vault"),
    )


def test_without_bubblewrap_it_is_said_what_to_install(monkeypatch):
    """Without bubblewrap the error says what to install, and nothing is started."""
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ChorusError, match="needs bubblewrap"):
        find_containment()


def test_a_bubblewrap_that_may_not_contain_is_said(tmp_path, monkeypatch):
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'No permissions to create new namespace' >&2; exit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ChorusError, match="No permissions to create new namespace"):
        find_containment()


def test_the_workspace_is_written_and_settings_are_only_read(places):
    call = " ".join(command("/usr/bin/bwrap", Containment(), places, ["claude"]))
    work, config = places.workspace, places.config

    assert f"--bind {work} {work}" in call and f"--ro-bind {work}/.claude {work}/.claude" in call
    assert f"--tmpfs {places.home}" in call and "--unshare-pid" in call and "--unshare-net" not in call
    assert f"--bind {config}/plans {config}/plans" in call
    assert "--unshare-net" in command("/usr/bin/bwrap", Containment(has_network=False), places, ["claude"])


@pytest.fixture
def elsewhere():
    """A folder that a contained client sees, unlike /tmp."""
    with tempfile.TemporaryDirectory(dir="/opt" if os.access("/opt", os.W_OK) else Path(__file__).parent) as folder:
        yield Path(folder)


def test_homes_are_hidden_wherever_they_are(places, elsewhere, monkeypatch):
    """A home outside of /home is hidden, too; folders of the system and of services are not."""
    people = [("bob", 1001, elsewhere / "bob"), ("odd", 1002, "/usr"), ("gone", 1003, elsewhere / "gone")]
    people += [("service", 105, elsewhere / "service"), ("nobody", 65534, elsewhere / "nobody"), ("none", 1004, "")]
    (elsewhere / "link").symlink_to(elsewhere / "moved")
    people.append(("moved", 1005, elsewhere / "link"))
    for name in ("bob", "service", "nobody", "moved"):
        (elsewhere / name).mkdir()
        (elsewhere / name / "secret").touch()
    entries = [pwd.struct_passwd((name, "x", uid, uid, "", str(home), "/bin/sh")) for name, uid, home in people]
    monkeypatch.setattr(pwd, "getpwall", lambda: entries)
    call = " ".join(command("/usr/bin/bwrap", Containment(), places, ["claude"]))

    assert f"--tmpfs {elsewhere}/bob " in call and f"--tmpfs {elsewhere}/moved " in call
    assert not any(f"--tmpfs {place} " in call for place in ("/usr", elsewhere / "gone", elsewhere / "service"))
    assert f"--tmpfs {elsewhere}/nobody" not in call


@contextlib.contextmanager
def listening(path):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        yield listener


def test_sockets_of_this_user_are_out_of_reach(places, elsewhere):
    """A tmux server or an ssh agent is not reached, wherever its socket is, also one whose name has blanks."""
    try:
        bwrap = find_containment()
    except ChorusError as error:
        pytest.skip(str(error))
    (elsewhere / "a file").touch()
    reached = "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])"
    with listening(elsewhere / "tmux server"), listening(places.workspace / "agent.sock"):
        assert elsewhere / "tmux server" in own_sockets() and elsewhere / "a file" not in own_sockets()
        for path in (elsewhere / "tmux server", places.workspace / "agent.sock"):
            call = command(bwrap, Containment(), places, [PYTHON, "-c", reached, str(path)])
            done = subprocess.run(call, capture_output=True, text=True, timeout=60, check=False)
            assert done.returncode == 1 and "ConnectionRefusedError" in done.stderr, done
            subprocess.run([PYTHON, "-c", reached, str(path)], timeout=60, check=True)


def test_what_shells_of_other_sessions_run_is_out_of_reach(places):
    """A shell first runs the snapshot of its session, so a contained agent sees and changes only its own."""
    try:
        bwrap = find_containment()
    except ChorusError as error:
        pytest.skip(str(error))
    snapshots = places.config / "shell-snapshots"
    snapshots.mkdir()
    (snapshots / "snapshot-bash-1.sh").write_text("# of another session")
    write = (
        "import pathlib, sys; folder = pathlib.Path(sys.argv[1]); folder.mkdir(exist_ok=True); "
        "print(sorted(each.name for each in folder.iterdir())); "
        "[(folder / name).write_text('evil') for name in ('snapshot-bash-1.sh', 'snapshot-bash-2.sh')]"
    )
    call = command(bwrap, Containment(), places, [PYTHON, "-c", write, str(snapshots)])
    done = subprocess.run(call, capture_output=True, text=True, timeout=60, check=False)

    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr
    assert [(each.name, each.read_text()) for each in snapshots.iterdir()] == [
        ("snapshot-bash-1.sh", "# of another session")
    ]


@pytest.mark.parametrize("work", ["person", ".", "person/.chorus/runs"])
def test_a_workspace_that_holds_too_much_is_refused(places, tmp_path, work):
    """A workspace that contains the person's home, or is inside the home of Chorus, would show hidden files."""
    import msgspec

    with pytest.raises(ChorusError, match=r"cannot be contained|must not see"):
        command("bwrap", Containment(), msgspec.structs.replace(places, workspace=tmp_path / work), ["claude"])


@pytest.mark.parametrize("machine", contained.MACHINES)
def test_a_filter_is_whole(machine):
    """Every step of the filter has eight bytes, and every jump stays inside."""
    rules = contained.rules(machine)
    steps = [rules[place : place + 8] for place in range(0, len(rules), 8)]
    assert len(rules) % 8 == 0
    assert all(number + 1 + max(step[2], step[3]) < len(steps) for number, step in enumerate(steps[:-1]))
