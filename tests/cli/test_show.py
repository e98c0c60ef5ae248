"""Tests of `chorus show`, which prints a conversation for people."""

import json
import os
import subprocess
import sys

import pytest

from chorus.testing.builders import Layout, Session, lay_out, tool_use
from tests.cli.commands import run, run_process


def talk(title="A talk", session_id="5e551011-0000-4000-8000-000000000001", *, length=1):
    session = Session(session_id)
    session.title(title)
    for number in range(length):
        session.user(f"Question {number}")
        session.assistant(tool_use("Bash", {"command": "echo hi"}, id=f"{session_id}-{number}"))
        session.tool_result(f"{session_id}-{number}", "hi")
    return session


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(bytes(talk()))
    return path


def test_a_file_is_shown(source):
    """A session file is shown with its title, its calls and their results."""
    shown = run("show", source)

    assert shown.exit_code == 0 and shown.stderr == ""
    assert shown.output.startswith("A talk\n")
    assert "▸ Bash" in shown.output and "    │ hi\n" in shown.output


def test_output_to_a_pipe_is_plain(source):
    """In a pipe, the output has no colours and a width of 100 columns."""
    shown = run_process("show", source)

    assert shown.returncode == 0 and b"\x1b" not in shown.stdout
    assert max(map(len, shown.stdout.decode().splitlines())) == 100


def test_width_is_the_reader_s(source):
    """`--width` sets the number of columns."""
    assert max(map(len, run("show", source, "--width", 60).output.splitlines())) == 60


def test_standard_input_is_a_source():
    """`-` reads standard input."""
    assert run("show", "-", given=bytes(talk())).output.startswith("A talk\n")


def test_of_several_conversations_the_main_one_is_shown(tmp_path):
    """A folder shows its longest conversation and says on standard error that there are others."""
    (tmp_path / "a.jsonl").write_bytes(bytes(talk("Short", "00000000-0000-4000-8000-00000000000a")))
    (tmp_path / "b.jsonl").write_bytes(bytes(talk("Long", "00000000-0000-4000-8000-00000000000b", length=3)))
    shown = run("show", tmp_path)

    assert shown.stdout.startswith("Long\n") and "Short" not in shown.stdout
    assert shown.stderr == "chorus: 1 other conversation here; --all shows them\n"


def test_all_of_several_conversations(tmp_path):
    """`--all` shows the conversations in the order of their start."""
    (tmp_path / "a.jsonl").write_bytes(bytes(talk("First", "00000000-0000-4000-8000-00000000000a")))
    (tmp_path / "b.jsonl").write_bytes(bytes(talk("Second", "00000000-0000-4000-8000-00000000000b")))
    shown = run("show", tmp_path, "--all")

    assert shown.stderr == ""
    assert shown.stdout.index("First\n") < shown.stdout.index("Second\n")
    assert len(run("show", tmp_path, "--all", "--json").stdout.splitlines()) == 2


def test_agents_beside_the_file_are_shown(tmp_path):
    """A session file is shown with the sub-agents from its folder."""
    session = Session()
    session.user("Go")
    session.assistant(tool_use("Agent", {"prompt": "Look", "description": "Look"}, id="call"))
    agent = session.agent("a1", "call")
    agent.user("Look")
    agent.assistant("I saw it.", stop="end_turn")
    lay_out(tmp_path, session, Layout.BELOW)
    (path,) = tmp_path.rglob(f"{session.id}.jsonl")

    assert "    ┊   I saw it.\n" in run("show", path).output


def test_markdown_and_json(source):
    """`--markdown` prints a document, and `--json` prints data for programs."""
    assert run("show", source, "--markdown").output.startswith("# A talk\n")
    assert json.loads(run("show", source, "--json").output)["title"] == "A talk"


def test_a_source_that_cannot_be_read_is_one_line(tmp_path):
    """A source that is missing or contains no conversation gives one line and exit code 2."""
    (tmp_path / "empty.jsonl").write_bytes(b"")
    for name in ("missing.jsonl", "empty.jsonl"):
        shown = run_process("show", tmp_path / name)
        assert shown.returncode == 2 and shown.stdout == b""
        assert shown.stderr.count(b"\n") == 1 and name.encode() in shown.stderr


def test_full_cuts_nothing(tmp_path):
    """`--full` shows long results completely."""
    session = Session()
    session.assistant(tool_use("Bash", {"command": "seq 99"}, id="1"))
    session.tool_result("1", "\n".join(f"number {number}" for number in range(99)))
    path = tmp_path / "a.jsonl"
    path.write_bytes(bytes(session))

    assert "number 50" not in run("show", path).output
    assert "number 50" in run("show", path, "--full").output


def test_nothing_heavy_is_loaded_for_json(source):
    """The JSON form does not load the renderer."""
    code = (
        "import sys; from chorus.cli.main import main; "
        f"main(['show', {str(source)!r}, '--json']); sys.exit('rich' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_a_terminal_gets_colours_unless_they_are_refused(source):
    """A terminal gets colours, and NO_COLOR removes them."""
    assert b"\x1b[32m" in _on_a_terminal(source, {})
    assert b"\x1b[32m" not in _on_a_terminal(source, {"NO_COLOR": "1"})


def _on_a_terminal(source, more):
    import pty

    ours, theirs = pty.openpty()
    kept = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    environment = {**kept, "TERM": "xterm-256color", "PAGER": "cat", **more}
    call = [sys.executable, "-m", "chorus", "show", str(source), "--width", "80"]
    with subprocess.Popen(call, stdout=theirs, stderr=theirs, stdin=theirs, env=environment) as process:
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 65536):
                shown += piece
        except OSError:
            pass
        process.wait(60)
    os.close(ours)
    return shown
