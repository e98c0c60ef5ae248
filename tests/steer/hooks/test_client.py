"""Tests of the program that hooks call: it prints only decisions that were made, and never an error message."""

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
    """A server whose answer to each connection is set by the test."""
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
    """The program sends a line with the key and then the unchanged bytes, and prints the answer unchanged."""
    answers, heard = listener
    answers.append(b'{"size": 9}\n{"a":  1}')
    assert hooks.call(payload()) == b'{"a":  1}\n'
    head, _, data = heard[0].partition(b"\n")
    assert data == payload()
    told = json.loads(head)
    assert (told["key"], told["size"], told["run"]) == (hooks.home.key.read_text().strip(), len(payload()), None)


def test_in_a_run_it_decides_nothing(hooks, listener):
    """In a run of Chorus the program reports a request and prints nothing, whoever answers at the server's socket."""
    answers, heard = listener
    answers.append(b'{"size": 9}\n{"a":  1}')
    strict(hooks, ["/home/dev"])

    assert hooks.call(payload(), CHORUS_RUN="r1") == b""
    until(lambda: heard and heard[0].endswith(payload()))


@pytest.mark.parametrize(
    "answer", [b'{"size": 0}\n', b'{"size": 0, "unanswered": true}\n'], ids=["nothing decided", "too late"]
)
def test_no_decision_is_no_output(hooks, listener, answer):
    """Without a decision the program prints nothing, so that the prompt of the terminal stays."""
    listener[0].append(answer)
    assert hooks.call(payload()) == b""


def test_too_late_is_a_no_where_that_is_wanted(hooks, listener):
    """C8: in a strict folder a request without a decision in time is denied; an answer in the terminal stays valid."""
    strict(hooks, ["/home/dev"])
    listener[0].append(b'{"size": 0, "unanswered": true}\n')
    assert decision(hooks.call(payload()))["behavior"] == "deny"
    listener[0].append(b'{"size": 0}\n')
    assert hooks.call(payload()) == b""


@pytest.fixture
def impatient(hooks):
    """The hook program, which waits only a moment for a server that went away."""
    program = hooks.home.program.read_bytes()
    assert program.count(PATIENT) == 1
    hooks.home.program.write_bytes(program.replace(PATIENT, b"AGAIN_S = 0.5\n"))
    return hooks


@pytest.mark.parametrize("answer", [b"garbage\n", b'{"size": 99}\nha', b"", b'{"size": -1}\n', b'{"size": "x"}\nallow'])
def test_garbage_is_not_passed_on(impatient, listener, answer):
    """C8: after a broken or malformed reply the program asks again for a while, and then prints nothing."""
    answers, heard = listener
    answers.extend([answer] * 100)
    assert impatient.call(payload()) == b""
    assert len(heard) > 1


def test_a_server_that_comes_back_is_asked_again(hooks, listener):
    """The program asks a restarted server again with the same id, so that it stays the same request."""
    answers, heard = listener
    answers.extend([b"", b'{"size": 2}\n{}'])
    assert hooks.call(payload()) == b"{}\n"
    first, second = (json.loads(each.partition(b"\n")[0])["id"] for each in heard)
    assert first == second and len(first) == 32


def test_other_events_are_reported_without_waiting(hooks, listener):
    """The program reports other events, such as the end of a session, and does not wait for an answer."""
    assert hooks.call(payload(event="SessionEnd")) == b""
    until(lambda: listener[1] and b"SessionEnd" in listener[1][0])


@pytest.mark.parametrize("given", [b"", b"{", b"null", b"[]", b"\xff\x00", b"[" * 200_000, b'{"hook_event_name": 1}'])
def test_garbage_in_is_nothing_out(hooks, given):
    """C8: the program ends with 0 and prints nothing for any malformed input."""
    assert hooks.call(given) == b""


def test_a_strict_folder_and_what_lies_in_it(hooks):
    """A strict folder, its subfolders and its project deny requests; a folder with a similar name is not strict."""
    strict(hooks, ["/home/dev/harbour"])
    assert decision(hooks.call(payload(cwd="/home/dev/harbour")))["behavior"] == "deny"
    assert decision(hooks.call(payload(cwd="/home/dev/harbour/x/../y")))["behavior"] == "deny"
    assert decision(hooks.call(payload(cwd="/tmp"), CLAUDE_PROJECT_DIR="/home/dev/harbour"))["behavior"] == "deny"
    assert hooks.call(payload(cwd="/home/dev/harbour-2")) == b""
    assert hooks.call(payload(cwd="/home/dev/harbour", event="Stop")) == b""


def test_a_list_that_cannot_be_read_is_strict_everywhere(hooks):
    """If the list of strict folders cannot be read, every folder is strict, so that damage is no way around it."""
    for text in ("", "{", '{"a": 1}', "[1]"):
        strict(hooks, text)
        assert decision(hooks.call(payload()))["behavior"] == "deny"


def test_it_needs_no_key_and_no_home(hooks):
    """The program prints nothing if its key or the folder of the socket is missing."""
    hooks.home.key.unlink()
    assert hooks.call(payload()) == b""
    shutil.rmtree(hooks.home.run)
    assert hooks.call(payload()) == b""


def test_it_outlives_its_interpreter(hooks, tmp_path):
    """If the Python of the program was removed by an upgrade, the program runs with another one."""
    hooks.home.program.write_bytes(script(str(tmp_path / "gone" / "python")))
    strict(hooks, ["/home/dev"])
    assert decision(hooks.call(payload()))["behavior"] == "deny"


def test_without_any_python_it_says_nothing(hooks, tmp_path):
    """C8: without any Python the program prints nothing and reports no error."""
    hooks.home.program.write_bytes(script(str(tmp_path / "gone" / "python")))
    assert hooks.call(payload(), PATH=str(tmp_path)) == b""


@pytest.mark.parametrize("path", ["/a'b/python", "/a\\b/python", "/a\nb/python", "/a b/$(touch x)/python", "'''"])
def test_no_path_of_an_interpreter_breaks_it(hooks, tmp_path, path):
    """The program runs with any path of an interpreter, and the path cannot run anything else."""
    hooks.home.program.write_bytes(script(path))
    done = subprocess.run([hooks.home.program, "--check"], capture_output=True, timeout=60, check=True, cwd=tmp_path)
    assert json.loads(done.stdout) == {"key": True, "server": False} and done.stderr == b""
    assert not (tmp_path / "x").exists()


def test_it_imports_little():
    """The program imports only a few modules of the standard library."""
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
