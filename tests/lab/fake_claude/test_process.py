"""Tests of the stand-in as a process at the other end of real pipes."""

import json
import random
import signal
import subprocess
import sys

import pytest

from chorus.lab.fake_claude.synthesized import CLOSED
from chorus.testing.builders import Run, Session, encode_all
from tests.lab.fake_claude.calling import ASKING, BOTH_WAYS, STREAM, Caller, answer, call, executable, prompt, request
from tests.lab.fake_claude.plays import asked_turn, kinds

UUID = "99999999-9999-4999-8999-999999999999"


def written(path, lines):
    path.write_bytes(lines if isinstance(lines, bytes) else encode_all(lines))
    return path


@pytest.fixture
def asking(tmp_path):
    """A stand-in whose recording asks for a permission."""
    run, sent = asked_turn()
    written(tmp_path / "ask.stdin.jsonl", sent)
    return executable(tmp_path, written(tmp_path / "ask.jsonl", run.lines))


def hello(session=None):
    run = Run(*([session] if session else []))
    run.init()
    run.assistant("Hello.")
    run.result("Hello.")
    return run


def test_the_handshake_of_an_sdk(tmp_path):
    """The stand-in handles the whole protocol of an SDK: initialize, prompt, hook, permission, result and end."""
    run, _ = asked_turn()
    hook = {"subtype": "hook_callback", "callback_id": "hook_0", "tool_use_id": "call-1", "input": {}}
    run.lines.insert(2, {"type": "control_request", "request_id": "hook-1", "request": hook})
    run.system("session_state_changed", state="idle")
    claude = executable(tmp_path, written(tmp_path / "run.jsonl", run.lines))

    with Caller(claude, *ASKING, "--system-prompt", "", "--setting-sources", "") as caller:
        caller.send(request("initialize", name="req_1", hooks={"PreToolUse": [{"hookCallbackIds": ["hook_0"]}]}))
        (ready,) = caller.hear_until("control_response")
        assert ready["response"]["request_id"] == "req_1"
        caller.send(prompt("do it"))
        caller.send(answer(caller.hear_until("control_request")[-1]))
        asked = caller.hear_until("control_request")[-1]
        assert asked["request"]["subtype"] == "can_use_tool"
        caller.send(answer(asked, behavior="allow", updatedInput=asked["request"]["input"]))
        caller.hear_until("system", subtype="session_state_changed", state="idle")
        output, complaint, code = caller.close()

    assert output.split(b"\n", 1)[1] == bytes(run)
    assert (complaint, code) == (b"", 0)


def test_it_waits_for_the_answer(asking):
    """The request is the last line before the answer, and a denial follows the answer."""
    with Caller(asking, *ASKING) as caller:
        caller.send(prompt())
        asked = caller.hear_until("control_request")[-1]
        caller.send(answer(asked, behavior="deny", message="not today"))
        lines = caller.hear_until("result")
        _, _, code = caller.close()

    assert lines[0]["message"]["content"][0]["content"] == "not today"
    assert len(lines[-1]["permission_denials"]) == 1 and code == 0


def test_nobody_is_waited_for_after_the_end_of_input(asking):
    """If the caller closes its input during a request, it gets the rest and the process ends."""
    with Caller(asking, *ASKING) as caller:
        caller.send(prompt())
        caller.hear_until("control_request")
        output, _, code = caller.close()

    assert CLOSED.encode() in output and code == 0


def test_an_interrupt_stops_the_turn_and_not_the_process(asking):
    """After an interrupt the process waits for the next message."""
    with Caller(asking, *ASKING) as caller:
        caller.send(prompt())
        caller.hear_until("control_request")
        caller.send(request("interrupt", name="stop"))
        lines = caller.hear_until("result")
        caller.send(prompt("more"))
        (more,) = caller.hear_until("result")
        _, _, code = caller.close()

    assert kinds(lines)[:2] == ["control_cancel_request", "control_response"]
    assert "no turn for this message" in more["errors"][0] and code == 1


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 0)])
def test_signals_end_it_as_they_end_the_client(asking, number, code):
    """SIGTERM ends without a result and with 143; SIGINT interrupts the turn with a result and ends with 0."""
    with Caller(asking, *ASKING) as caller:
        caller.send(prompt())
        caller.hear_until("control_request")
        caller.process.send_signal(number)
        ended = caller.process.wait(60)
        output, complaint, _ = caller.close()

    assert ended == code and complaint == b""
    assert (b'"subtype":"error_during_execution"' in output) == (number == signal.SIGINT)
    assert output.count(b'"type":"result"') == (number == signal.SIGINT)


def test_prompts_on_the_command_line(tmp_path):
    """With -p one turn is printed in the requested format: lines, the result alone, an array, or its text."""
    run = hello()
    claude = executable(tmp_path, written(tmp_path / "run.jsonl", run.lines))

    assert call(claude, "-p", "x", *STREAM).stdout == bytes(run)
    assert call(claude, "-p", "x", "--output-format", "json").stdout == encode_all(run.lines[-1:])
    assert json.loads(call(claude, "-p", "x", "--output-format", "json", "--verbose").stdout) == run.lines
    assert call(claude, "-p", "x").stdout == b"Hello.\n"
    assert call(claude, "-p", given=b"from a pipe").stdout == b"Hello.\n"
    nothing = call(claude, "-p")
    assert (nothing.returncode, nothing.stdout) == (1, b"") and b"Input must be provided" in nothing.stderr


def test_errors_in_text_are_the_clients(tmp_path):
    """A turn that was ended by a limit prints the client's error text, with exit code 1."""
    run = Run()
    run.init()
    run.result(None, subtype="error_max_turns", errors=["Reached maximum number of turns (2)"])
    claude = executable(tmp_path, written(tmp_path / "run.jsonl", run.lines))

    outcome = call(claude, "-p", "x", "--max-turns", "2")

    assert (outcome.stdout, outcome.returncode) == (b"Error: Reached max turns (2)\n", 1)


def test_what_the_client_refuses_is_refused(tmp_path):
    """An option that the client does not have ends the call without output."""
    claude = executable(tmp_path, written(tmp_path / "run.jsonl", hello().lines))

    outcome = call(claude, "-p", "x", "--no-such-option")

    assert (outcome.returncode, outcome.stdout) == (1, b"")
    assert outcome.stderr == b"error: unknown option '--no-such-option'\n"
    assert call(claude, "--version").stdout == b"2.1.325 (Claude Code)\n"


def test_a_session_is_resumed_by_the_run_that_resumed_it(tmp_path):
    """A resumed session plays the run that was recorded for it; an unknown session is not found, as in the client."""
    folder = tmp_path / "runs"
    folder.mkdir()
    first, second = hello(), hello()
    second.lines[-1]["result"] = "Again."
    for name, run, options in (("1", first, []), ("2", second, ["--resume", first.id])):
        written(folder / f"{name}.jsonl", run.lines)
        (folder / f"{name}.cmd.json").write_text(json.dumps(["claude", "-p", "x", *options]))
    claude = executable(tmp_path, folder)

    assert call(claude, "-p", "new").stdout == b"Hello.\n"
    assert call(claude, "-p", "new", "--resume", first.id).stdout == b"Again.\n"
    unknown = call(claude, "-p", "new", "--resume", UUID)
    assert (unknown.returncode, unknown.stderr) == (1, f"No conversation found with session ID: {UUID}\n".encode())
    told = json.loads(call(claude, "-p", "new", "--resume", UUID, *STREAM).stdout)
    assert told["errors"] == [f"No conversation found with session ID: {UUID}"] and told["is_error"] is True


def test_it_speaks_under_the_session_id_asked_for(tmp_path):
    """A named, resumed or forked session has its id on every line, and uuids that no other run has."""
    run = hello()
    claude = executable(tmp_path, written(tmp_path / "run.jsonl", run.lines))
    kept = executable(tmp_path / "kept", tmp_path / "run.jsonl", keep_ids=True)

    def lines(*options, of=claude):
        return [json.loads(raw) for raw in call(of, "-p", "x", *STREAM, *options).stdout.splitlines()]

    named, resumed, forked = lines("--session-id", UUID), lines("--resume", UUID), lines("-c", "--fork-session")
    uuids = [line["uuid"] for line in (*run.lines, *named, *resumed, *forked)]
    assert {line["session_id"] for line in (*named, *resumed)} == {UUID}
    assert {line["session_id"] for line in forked}.isdisjoint({UUID, run.id})
    assert len(set(uuids)) == len(uuids) == 12
    assert [line["uuid"] for line in lines("--session-id", UUID, of=kept)] == [line["uuid"] for line in run.lines]


def test_it_ends_as_recorded(tmp_path):
    """The recorded exit code and standard error are repeated; if a signal killed the client, it kills the stand-in."""
    path = written(tmp_path / "run.jsonl", hello().lines)
    (tmp_path / "run.stderr").write_bytes(b"a warning\n")
    claude = executable(tmp_path, path)
    (tmp_path / "run.exit").write_text("7")
    outcome = call(claude, "-p", "x")
    assert (outcome.returncode, outcome.stderr) == (7, b"a warning\n")

    (tmp_path / "run.exit").write_text("-9")
    assert call(claude, "-p", "x").returncode == -signal.SIGKILL


def test_a_session_file_is_played(tmp_path):
    """A session file alone can be played: its turns become lines, one turn for each prompt."""
    session = Session()
    session.user("Hi")
    session.assistant("Hello.", stop="end_turn")
    session.user("Bye")
    session.assistant("Goodbye.", stop="end_turn")
    claude = executable(tmp_path, written(tmp_path / "session.jsonl", session.lines), strict=True)

    with Caller(claude, *BOTH_WAYS) as caller:
        caller.send(prompt("Hi"))
        assert caller.hear_until("result")[-1]["result"] == "Hello."
        caller.send(prompt("something else"))
        _, complaint, code = caller.close()

    assert code == 2 and b"prompt 2 differs" in complaint


@pytest.mark.parametrize("seed", range(8))
def test_garbage_is_played_as_it_is(tmp_path, seed):
    """A recording of random bytes or damaged lines is printed byte for byte, without a traceback."""
    chance = random.Random(seed)
    data = chance.randbytes(4000) if seed % 2 else bytearray(bytes(hello()) * 3)
    if isinstance(data, bytearray):
        for _ in range(40):
            data[chance.randrange(len(data))] = chance.choice(b'"{}\\\x00\xff,:x')
    path = written(tmp_path / "run.jsonl", bytes(data))
    claude = executable(tmp_path, path)

    with Caller(claude, *BOTH_WAYS) as caller:
        caller.send(*[prompt() for _ in range(10)])
        output, complaint, _ = caller.close()

    more = output.removeprefix(bytes(data))
    assert len(more) == len(output) - len(data)
    assert data.endswith(b"\n") or more.startswith(b"\n")
    assert all(b"the recording has no turn" in line for line in more.split(b"\n") if line)
    assert b"Traceback" not in complaint and b"no JSON, written as they are: " in complaint


def test_a_reader_that_leaves_is_no_error_of_ours(tmp_path):
    """If the other end of standard output is closed, the stand-in ends without a message."""
    run = hello()
    run.lines[1]["message"]["content"][0]["text"] = "long " * 100_000
    claude = executable(tmp_path, written(tmp_path / "run.jsonl", run.lines))

    with Caller(claude, *BOTH_WAYS) as caller:
        caller.stdout.close()
        caller.send(prompt())
        code = caller.process.wait(60)
        complaint = caller.stderr.read()

    assert (code, complaint) == (1, b"")


def test_nothing_heavy_is_loaded(tmp_path):
    """A stand-in starts quickly, because it imports no server, database, renderer or command line."""
    path = written(tmp_path / "run.jsonl", hello().lines)
    program = (
        "import json, sys; from chorus.lab.fake_claude.__main__ import main;"
        f"main([json.dumps({{'recording': {str(path)!r}, 'speed': 0}}), '-p', 'x']); print('MODULES', *sys.modules)"
    )
    outcome = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    loaded = set(outcome.stdout.rpartition("MODULES")[2].split())
    assert not loaded & {"click", "rich", "asyncio", "sqlite3", "subprocess", "socket", "litestar"}
    ours = {name for name in loaded if name.startswith("chorus.")}
    assert {name for name in ours if not name.startswith("chorus.lab.fake_claude")} == {"chorus.errors", "chorus.lab"}
