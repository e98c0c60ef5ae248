"""Tests that no program of the same user can read the processes that decide, or take their open descriptors."""

import json
import os
import sys

import pytest

from tests.support.users import ROOT, USERS, User

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="these attacks are for Linux")
GRABBING = str(ROOT / "tests" / "security" / "grabbing.py")
PLAIN = "import sys, time; print('there', flush=True); time.sleep(60)"
HOLDER = """
import sys, tempfile, pathlib
from tests.support.running import Place, program, until
place = Place(pathlib.Path(tempfile.mkdtemp(dir=".")).absolute())
with place.running(program(place.work / "client", "import time; time.sleep(60)")) as folder:
    run = until(lambda: (found := folder.read()) and found.client and found)
    print(run.{who}, flush=True)
    sys.stdin.readline()
"""
PROMPT = """
import os, pty, time
child, terminal = pty.fork()
if not child:
    from chorus.cli import passphrases
    passphrases.new_passphrase()
heard = b""
while b"characters" not in heard:
    heard += os.read(terminal, 1000)
print(child, flush=True)
input()
"""
SERVER = """
import subprocess, sys
call = [sys.executable, "-m", "chorus", "serve", "--port", "0", "--no-open"]
server = subprocess.Popen(call, stdout=subprocess.PIPE, text=True)
while "Ctrl-C" not in server.stdout.readline():
    pass
print(server.pid, flush=True)
input()
server.terminate()
server.wait()
"""
SHIELDED = {
    "holder": HOLDER.format(who="holder"),
    "warden": HOLDER.format(who="warden"),
    "server": SERVER,
    "prompt": PROMPT,
}


@pytest.fixture(params=USERS)
def user(request):
    found = User(request.param)
    yield found
    found.close()


def grabbed(user, pid):
    done = user.run(user.python, GRABBING, str(pid))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("user", "who"),
    [
        ("root", "holder"),
        *(("unprivileged", who) for who in SHIELDED),
        *(pytest.param("root", who, marks=pytest.mark.long) for who in SHIELDED if who != "holder"),
    ],
    indirect=["user"],
)
def test_who_decides_is_closed_to_other_programs_of_the_same_user(user, who):
    """Debugger, memory, environment and descriptors are refused to other programs of the user, but not to root."""
    (user.folder / "claude").mkdir()
    given = {"CHORUS_HOME": str(user.folder / "home"), "CLAUDE_CONFIG_DIR": str(user.folder / "claude")}
    with user.script(SHIELDED[who], **given) as process:
        line = process.stdout.readline()
        assert line.strip().isdigit(), line + process.stderr.read()
        tried = grabbed(user, int(line))
        process.communicate("\n", timeout=60)
    refused = {way for way, came in tried.items() if came.startswith("refused")}
    assert refused == (set() if user.is_root else set(tried)), tried


def test_any_other_process_is_open(user):
    """The same ways work on a process without a shield."""
    with user.script(PLAIN) as process:
        process.stdout.readline()
        tried = grabbed(user, process.pid)
        process.kill()
    assert not [way for way, came in tried.items() if came.startswith("refused")], tried


DEBUGGED = """
import ctypes, os, pty, signal, sys
child, terminal = pty.fork()
if not child:
    ctypes.CDLL(None).ptrace(0, 0, None, None)
    from chorus.cli import passphrases
    try:
        passphrases.new_passphrase()
    except Exception as error:
        print(error, flush=True)
    os._exit(0)
said = b""
try:
    while piece := os.read(terminal, 1000):
        said += piece
except OSError:
    pass
print(said.decode())
"""


def test_no_passphrase_is_asked_for_while_somebody_watches(user):
    """A passphrase prompt that is being debugged asks for nothing and says why."""
    said = user.run(user.python, "-c", DEBUGGED).stdout
    assert "debugs this process" in said and "New passphrase" not in said


HIDDEN = """
mount -t proc -o hidepid=2 proc /proc && exec "$@"
"""
LOOKS = """
import sys
from chorus.steer.approvals.model import Asker
from chorus.steer.approvals.asking_process import is_alive
print(is_alive(Asker(int(sys.argv[1]), "as it was")), is_alive(Asker(4_000_000, "gone")))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="needs to mount /proc")
def test_an_asker_is_found_where_the_system_hides_processes():
    """With `hidepid` a shielded holder is hidden even from its own user, but it still counts as alive."""
    user = User("unprivileged")
    shielded = "from chorus.base.shield import raise_shield as r; r(); " + PLAIN
    try:
        with user.script(shielded) as process:
            assert process.stdout is not None
            process.stdout.readline()
            look = [*user.prefix, user.python, "-c", LOOKS, str(process.pid)]
            root = User("root")
            done = root.run("unshare", "--mount", "sh", "-c", HIDDEN, "sh", *look)
            root.close()
            process.kill()
    finally:
        user.close()
    assert done.stdout.split() == ["True", "False"], done.stderr
