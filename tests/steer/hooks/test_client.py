"""The program that hooks call, alone: it says nothing that nobody decided, and complains of nothing."""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import threading

import pytest

from chorus.steer.hooks import client
from chorus.steer.hooks.script import script
from tests.show.server.serving import until
from tests.steer.hooks.calling import Hooks, decision, payload

PATIENT = f"AGAIN_S = {client.AGAIN_S}\n".encode()


@pytest.fixture
def hooks(tmp_path):
    hooks = Hooks(tmp_path / "chorus", tmp_path / "settings.json")
    hooks.home.run.mkdir()
    yield hooks
    hooks.close()


def strict(hooks, text):
    hooks.home.strict.write_text(text if isinstance(text, str) else json.dumps(text))


@pytest.fixture
def listener(hooks):
    """A server that is told what to answer to each connection."""
    before = os.open(".", os.O_RDONLY)
    channel = socket.socket(socket.AF_UNIX)
    os.chdir(hooks.home.run)
    try:
        channel.bind("hooks.sock")
    finally:
        os.fchdir(before)
        os.close(before)
    channel.listen()
    answers, heard = [], []

    def serve():
        while True:
            try:
                connection, _ = channel.accept()
            except OSError:
                return
            with connection, contextlib.suppress(BrokenPipeError, ConnectionResetError):
                heard.append(connection.recv(1 << 20))
                connection.sendall(answers.pop(0) if answers else b"")

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield answers, heard
    channel.shutdown(socket.SHUT_RDWR)
    channel.close()
    thread.join(10)


def test_it_hands_over_what_it_was_given(hooks, listener):
    """A line with the key, then the bytes as they came; and prints the answer as it came."""
    answers, heard = listener
    answers.append(b'{"size": 9}\n{"a":  1}')
    assert hooks.call(payload()) == b'{"a":  1}\n'
    head, _, data = heard[0].partition(b"\n")
    assert data == payload()
    told = json.loads(head)
    assert (told["key"], told["size"], told["run"]) == (hooks.home.key.read_text().strip(), len(payload()), None)


@pytest.mark.parametrize(
    "answer", [b'{"size": 0}\n', b'{"size": 0, "unanswered": true}\n'], ids=["nothing decided", "too late"]
)
def test_no_decision_is_no_output(hooks, listener, answer):
    """The terminal's own prompt stays."""
    listener[0].append(answer)
    assert hooks.call(payload()) == b""


def test_too_late_is_a_no_where_that_is_wanted(hooks, listener):
    """C8: in a strict folder time runs out for the agent; what was answered in the terminal is left alone."""
    strict(hooks, ["/home/dev"])
    listener[0].append(b'{"size": 0, "unanswered": true}\n')
    assert decision(hooks.call(payload()))["behavior"] == "deny"
    listener[0].append(b'{"size": 0}\n')
    assert hooks.call(payload()) == b""


@pytest.fixture
def impatient(hooks):
    """The program, which waits for a server that went away only a moment."""
    program = hooks.home.program.read_bytes()
    assert program.count(PATIENT) == 1
    hooks.home.program.write_bytes(program.replace(PATIENT, b"AGAIN_S = 0.5\n"))
    return hooks


@pytest.mark.parametrize("answer", [b"garbage\n", b'{"size": 99}\nha', b"", b'{"size": -1}\n', b'{"size": "x"}\nallow'])
def test_garbage_is_not_passed_on(impatient, listener, answer):
    """C8: a server that breaks off or talks nonsense is asked again for a while, and then there is nothing to say."""
    answers, heard = listener
    answers.extend([answer] * 100)
    assert impatient.call(payload()) == b""
    assert len(heard) > 1


def test_a_server_that_comes_back_is_asked_again(hooks, listener):
    """With the same number, so that the question stays the same."""
    answers, heard = listener
    answers.extend([b"", b'{"size": 2}\n{}'])
    assert hooks.call(payload()) == b"{}\n"
    first, second = (json.loads(each.partition(b"\n")[0])["id"] for each in heard)
    assert first == second and len(first) == 32


def test_other_events_are_told_and_not_waited_for(hooks, listener):
    """A session's end needs no answer."""
    assert hooks.call(payload(event="SessionEnd")) == b""
    until(lambda: listener[1] and b"SessionEnd" in listener[1][0])


@pytest.mark.parametrize("given", [b"", b"{", b"null", b"[]", b"\xff\x00", b"[" * 200_000, b'{"hook_event_name": 1}'])
def test_garbage_in_is_nothing_out(hooks, given):
    """C8: it ends with 0, whatever it is given."""
    assert hooks.call(given) == b""


def test_a_strict_folder_and_what_lies_in_it(hooks):
    """Denied there, in its subfolders and where the project is; nowhere else, however similar the name."""
    strict(hooks, ["/home/dev/harbour"])
    assert decision(hooks.call(payload(cwd="/home/dev/harbour")))["behavior"] == "deny"
    assert decision(hooks.call(payload(cwd="/home/dev/harbour/x/../y")))["behavior"] == "deny"
    assert decision(hooks.call(payload(cwd="/tmp"), CLAUDE_PROJECT_DIR="/home/dev/harbour"))["behavior"] == "deny"
    assert hooks.call(payload(cwd="/home/dev/harbour-2")) == b""
    assert hooks.call(payload(cwd="/home/dev/harbour", event="Stop")) == b""


def test_a_list_that_cannot_be_read_is_strict_everywhere(hooks):
    """Nobody gets around it by breaking it."""
    for text in ("", "{", '{"a": 1}', "[1]"):
        strict(hooks, text)
        assert decision(hooks.call(payload()))["behavior"] == "deny"


def test_it_needs_no_key_and_no_home(hooks):
    """What is missing is no trouble of the client's."""
    hooks.home.key.unlink()
    assert hooks.call(payload()) == b""
    shutil.rmtree(hooks.home.run)
    assert hooks.call(payload()) == b""


def test_it_outlives_its_interpreter(hooks, tmp_path):
    """When an upgrade took the Python away, another one does."""
    hooks.home.program.write_bytes(script(str(tmp_path / "gone" / "python")))
    strict(hooks, ["/home/dev"])
    assert decision(hooks.call(payload()))["behavior"] == "deny"


def test_without_any_python_it_says_nothing(hooks, tmp_path):
    """C8: the client hears no complaint."""
    hooks.home.program.write_bytes(script(str(tmp_path / "gone" / "python")))
    assert hooks.call(payload(), PATH=str(tmp_path)) == b""


@pytest.mark.parametrize("path", ["/a'b/python", "/a\\b/python", "/a\nb/python", "/a b/$(touch x)/python", "'''"])
def test_no_path_of_an_interpreter_breaks_it(hooks, tmp_path, path):
    """A program for any path runs, and runs nothing else."""
    hooks.home.program.write_bytes(script(path))
    done = subprocess.run([hooks.home.program, "--check"], capture_output=True, timeout=60, check=True, cwd=tmp_path)
    assert json.loads(done.stdout) == {"key": True, "server": False} and done.stderr == b""
    assert not (tmp_path / "x").exists()


def test_it_imports_little():
    """What it needs to start is what every Python has, and few of it."""
    code = (
        "import sys; exec(compile(open(sys.argv[1]).read(), 'client', 'exec'), {'__name__': 'x'}); print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, client.__file__],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    heavy = {"asyncio", "typing", "subprocess", "pathlib", "msgspec", "chorus", "logging", "threading"}
    assert not heavy & set(done.stdout.split())
