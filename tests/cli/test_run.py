"""Tests of `chorus run` and of the commands that steer a run, with recordings in place of the client."""

import json
import os
import pty
import select
import subprocess
import sys
import time
import uuid

import pytest

from chorus.base import config
from chorus.core.query.tree import Query
from chorus.errors import IndexDamaged
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.index.sqlite.opening import FILE
from chorus.find.index.sqlite.opening import FOLDER as INDEX
from chorus.find.indexing.lock import sole_writer
from chorus.show import recorder
from chorus.show.recorder import after_run
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.runs.run_folders import Runs
from chorus.testing.builders import Run, Session, lay_out, tool_use
from chorus.testing.builders.lines import usage
from tests.cli.at_a_terminal import at_a_terminal
from tests.cli.people import Person, asking
from tests.support.running import PATIENCE_S, program, recording, until
from tests.support.runs import described, named


def short_talk():
    run = Run(str(uuid.uuid4()))
    run.init()
    run.assistant("Hello \x1b[31m☃.")
    run.result("Hello ☃.")
    run.init()
    run.assistant("Again.")
    run.result("Again.")
    return run


@pytest.fixture
def person(tmp_path):
    person = Person(tmp_path, short_talk())
    yield person
    person.end_all()


@pytest.fixture
def asked_person(tmp_path):
    person = Person(tmp_path, asking())
    yield person
    person.end_all()


GREETS = """
import json, pathlib, sys, time
if "--version" in sys.argv:
    sys.exit(print("2.1.300 (Claude Code)"))
def put(**line):
    print(json.dumps(line), flush=True)
while '"user"' not in sys.stdin.readline():
    pass
put(type="system", subtype="init", session_id=SESSION)
put(type="result", result="Hello")
"""


@pytest.fixture
def greeted(tmp_path):
    """Returns a function that builds a person whose client says hello and then runs the given code."""
    person = Person(tmp_path, short_talk())

    def doing(then):
        program(tmp_path / "bin" / "claude", (GREETS + then).replace("SESSION", repr(str(uuid.uuid4()))))
        return person

    yield doing
    person.end_all()


def test_a_run_shows_what_is_said_and_ends(person):
    """`chorus run -p` ends after one turn, and no text of the agent can act on the terminal."""
    done = person.types("run", "-p", "hi there")

    assert done.returncode == 0, done.stderr
    text = done.stdout.decode()
    assert "hi there" in text and "☃" in text
    assert "\x1b" not in text
    assert "Again." not in text


def test_a_key_goes_nowhere_else_than_from_the_person_s_own_shell(person):
    """A run with a variable for another endpoint is refused. The error names the options that pass the variable on."""
    person.environment |= {"ANTHROPIC_API_KEY": "k", "CLAUDE_CODE_USE_BEDROCK": "1", "AWS_REGION": "eu-west-1"}
    refused = person.types("run", "-p", "hi")
    words = " ".join(refused.stderr.decode().split())
    assert refused.returncode == 2 and "with your key (ANTHROPIC_API_KEY)" in words
    assert "--env CLAUDE_CODE_USE_BEDROCK --env AWS_REGION" in words and not list(Runs(person.home))
    allowed = ("--env", "CLAUDE_CODE_USE_BEDROCK", "--env", "AWS_REGION")
    assert person.types("run", "-p", "hi", *allowed).returncode == 0
    assert next(iter(Runs(person.home)))[1].environment == ["CLAUDE_CODE_USE_BEDROCK", "AWS_REGION"]


def test_the_first_run_in_a_workspace_says_what_the_client_is_given(person):
    """The first run in a folder lists names of variables without their values, and the option that passes on more."""
    person.environment |= {"MY_SECRET": "hunter2"}
    first = " ".join(person.types("run", "-p", "hi").stderr.decode().split())
    assert "First run in this workspace" in first and "HOME, " in first and "not get: CHORUS_HOME, MY_SECRET." in first
    assert "`--env NAME`" in first and "hunter2" not in first
    assert "First run" not in person.types("run", "-p", "hi").stderr.decode()


def test_the_prompt_may_come_from_standard_input(person):
    """A prompt from standard input is never taken for an option, whatever it looks like."""
    done = person.types("run", "-", given=b"--settings=/tmp/x")

    assert done.returncode == 0
    assert "--settings=/tmp/x" in done.stdout.decode()


def test_json_gives_the_client_s_own_lines(person):
    """`chorus run --json` prints the lines that the client wrote."""
    done = person.types("run", "-p", "hi", "--json")

    kinds = [json.loads(line)["type"] for line in done.stdout.splitlines()]
    assert kinds[-1] == "result" and "assistant" in kinds


PLANS = """
todos = [{"content": "Read", "status": "completed"}, {"content": "Write", "status": "in_progress"}]
call = {"type": "tool_use", "id": "t1", "name": "TodoWrite", "input": {"todos": todos}}
put(type="assistant", session_id=SESSION, message={"id": "m1", "role": "assistant", "content": [call]})
sys.stdin.read()
"""


def test_the_list_of_runs_shows_how_far_they_are(greeted, tmp_path):
    """What the index knows about the progress of a run is listed with it, and is null in JSON if nothing is known."""
    person = greeted("")
    own = 'next(each for each in sys.argv if each.startswith("--session-id=")).partition("=")[2]'
    program(tmp_path / "bin" / "claude", (GREETS + PLANS).replace("SESSION", own))
    person.json("run", "-p", "hi", "--detach")

    def listed():
        assert person.types("index").returncode == 0
        (run,) = person.json("runs")
        return run["progress"]

    main = until(listed)["main"]

    assert (main["step"], main["completed"], main["total"], main["source"]) == ("Write", 1, 2, "todos")
    assert "1/2 todos: Write" in person.types("runs").stdout.decode()


def test_a_run_in_the_background_is_listed_talked_to_and_stopped(person):
    """A detached run is listed, gets messages and settings, and can be stopped.

    Later commands for it fail with its id.
    """
    started = person.json("run", "-p", "hi", "--detach")
    name = started["run"]
    (listed,) = until(lambda: [each for each in person.json("runs") if each["state"] == "idle"])
    assert (listed["run"], listed["title"]) == (name, "hi")

    assert person.types("send", name[:6], "more").returncode == 0
    assert person.types("set", name, "--mode", "plan").returncode == 0
    until(lambda: person.json("runs")[0]["state"] == "idle")
    assert person.types("interrupt", name).stdout == b"it was not working: it waits for a message\n"
    assert person.types("stop", name).returncode == 0

    assert person.json("runs") == []
    (ended,) = person.json("runs", "--all")
    assert (ended["state"], ended["words"], ended["failed"]) == ("ended", "stopped", False)
    for command in (["send", name, "x"], ["attach", name], ["interrupt", name]):
        done = person.types(*command)
        assert done.returncode == 2 and name in done.stderr.decode()


def test_a_lost_run_is_listed_until_it_is_stopped_or_gone_on_with(person):
    """A lost run could not record its own end, so the list shows it until somebody stops or resumes it."""
    for number, name in enumerate(("aaaa", "bbbb", "cccc")):
        folder = named(person.home, name)
        described(folder, 1 + number // 2, holder=1)
        folder.path.joinpath("lock").touch()
    # Two of the runs belong to one session, and the older one of them is over.
    assert [each["run"] for each in person.json("runs")] == ["cccc", "bbbb"]

    assert b"it is now marked as ended" in person.types("stop", "cccc").stdout

    assert [each["run"] for each in person.json("runs")] == ["bbbb"]
    ended = {each["run"]: each["state"] for each in person.json("runs", "--all")}
    assert ended == {"aaaa": "lost", "bbbb": "lost", "cccc": "ended"}


def test_a_message_to_a_busy_agent_is_said_to_be_queued(asked_person):
    """Both `chorus send` and `chorus runs` say that the message is queued."""
    name = asked_person.json("run", "-p", "clean up", "--detach")["run"]
    until(lambda: asked_person.json("runs")[0]["questions"])

    sent = asked_person.types("send", name, "and then?").stdout.decode()

    assert sent == "sent; queued, because the agent is busy\n"
    assert "queued: Bash" in asked_person.types("runs").stdout.decode()


def test_a_run_is_gone_on_with_by_its_own_id(person, tmp_path):
    """A run that `chorus runs` names can be resumed by its id."""
    run = Run(str(uuid.uuid4()))
    run.init(cwd=str(person.work))
    run.result("Hello.")
    recording(tmp_path / "bin" / "claude", run, write_session=True)
    started = person.json("run", "-p", "hi", "--detach")
    until(lambda: person.json("runs")[0]["state"] == "idle")
    person.types("stop", started["run"])

    again = person.json("resume", started["run"], "more", "--detach")

    assert again["session"] == started["session"]


def test_what_a_run_works_on_is_not_forgotten_before_it_is_stopped(person):
    """`chorus forget` refuses the conversation of a living run.

    After the run is stopped, no file contains its words.
    """
    started = person.json("run", "-p", "my secret", "--detach")
    until(lambda: person.json("runs")[0]["state"] == "idle")

    done = person.types("forget", started["session"], "--yes")
    assert done.returncode == 2 and f"chorus stop {started['run']}" in done.stderr.decode()

    person.types("stop", started["run"])
    assert person.types("forget", started["session"], "--yes").returncode == 0
    assert not any(b"my secret" in path.read_bytes() for path in person.home.rglob("*") if path.is_file())


def test_a_question_of_an_agent_is_printed_and_a_denial_ends_it(asked_person):
    """The list of runs names the request, and a denial in the permission ledger reaches the client."""
    from chorus.steer.approvals.ledger import Ledger
    from chorus.steer.approvals.model import Decision

    asked_person.json("run", "-p", "clean up", "--detach", "--once")
    (waiting,) = until(lambda: [each for each in asked_person.json("runs") if each["questions"]])
    assert waiting["state"] == "waiting" and "Bash" in waiting["words"]

    ledger = Ledger(asked_person.home / "state")
    row = ledger.row(waiting["questions"][0])
    assert row is not None
    denied = Decision(behaviour="deny", at="2026-11-15T00:00:00.000Z", surface="terminal", message="leave it")
    ledger.decide(row.id, row.digest, denied, None)

    until(lambda: asked_person.json("runs") == [])
    shown = asked_person.types("show", waiting["session"]).stdout.decode()
    assert "leave it" in shown


def test_an_agent_s_settings_reach_the_client(person):
    """A run of an agent starts with the model, mode, rules and instructions of that agent."""
    person.types("workspace", "add")
    person.types("agent", "add", "ada", "--model", "opus", "--allow", "Bash(git log:*)", "--instructions", "-x")
    person.types("agent", "edit", "ada", "--mode", "plan")

    person.types("run", "--agent", "ada", "-p", "hi")

    ((_, run),) = Runs(person.home)
    assert (run.launch.model, run.launch.mode, run.launch.instructions) == ("opus", "plan", "-x")
    assert run.launch.allowed_tools == ("Bash(git log:*)",)
    assert (run.name, run.agent) == ("ada", "ada")


def test_agents_and_workspaces_are_listed_and_removed(person):
    """Agents and workspaces can be added, listed, edited and removed. An edit without a change is refused."""
    place = person.types("workspace", "add").stdout.decode().split()[0]
    person.types("agent", "add", "ada", "--env", "AWS_REGION")

    (agent,) = person.json("agent", "list")
    assert (agent["name"], agent["environment"], agent["workspace"]) == ("ada", ["AWS_REGION"], place)
    assert person.json("workspace", "list")[0]["agents"] == ["ada"]

    assert person.types("agent", "edit", "ada", "--clear", "env").returncode == 0
    assert person.json("agent", "list")[0]["environment"] == []
    assert person.types("agent", "edit", "ada").returncode == 2
    assert person.types("agent", "remove", "ada").returncode == 0
    assert person.types("workspace", "remove", place).returncode == 0
    assert person.json("workspace", "list") == []


def test_a_list_of_workspaces_tells_those_that_are_gone_and_those_that_are_strict(person, tmp_path):
    """The list of workspaces shows which ones a person named, which are strict and which folders are gone."""
    place = person.types("workspace", "add").stdout.decode().split()[0]
    person.types("config", "set", f"workspaces.{place}.gate", "strict")
    with config.edit(person.home) as known:
        known.workspaces.append(config.Workspace(id="lost-1", path=str(tmp_path / "lost")))
        known.workspaces.append(config.Workspace(id="long-1", path="/" + "too long for a path/" * 1_000))

    told = {each["id"]: (each["named"], each["gate"], each["gone"]) for each in person.json("workspace", "list")}
    gone = (False, "terminal", True)
    assert told == {place: (True, "strict", False), "lost-1": gone, "long-1": gone}
    shown = person.types("workspace", "list").stdout.decode().splitlines()
    assert ["strict" in line for line in shown if place in line] == [True]
    assert ["gone" in line.split() for line in shown if "lost-1" in line] == [True]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run"], "no first message"),
        (["run", "-p", "x", "--agent", "ada"], "is no workspace"),
        (["run", "-p", "x", "--workspace", "gone"], "the workspace is gone"),
        (["run", "-p", "x", "--client", "nothing"], "nothing: no program"),
        (["run", "-p", "x", "--model", "--settings=x"], "not the name of a model"),
        (["run", "-p", "x", "--env", "LD_PRELOAD"], "would load code"),
        (["run", "-p", "x", "--image", "claude"], "does not exist"),
        (["agent", "add", "ada", "--env", "NODE_OPTIONS"], "would load code"),
        (["send", "abc", "x"], "no run of this id"),
        (["resume", "00000000-0000-4000-8000-000000000000", "x"], "no conversation with this id"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(person, arguments, words):
    """A wrong argument is refused with a message, and no run starts."""
    done = person.types(*arguments)

    assert done.returncode == 2
    assert words in done.stderr.decode()
    assert list(Runs(person.home)) == []


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_client_that_refuses_at_once_is_quoted(person, options):
    """The client exits before anybody listens, and Chorus still reports what it refused and what to do."""
    body = """
import sys
if "--version" in sys.argv:
    sys.exit(print("2.1.300 (Claude Code)"))
sys.exit("error: unknown option '--new'")
"""
    refusing = program(person.work / "claude", body)

    done = person.types("run", "-p", "hi", "--client", refusing, *options)

    assert "refused an option" in done.stderr.decode() and "claude update" in done.stderr.decode()
    assert done.returncode == 1


def test_a_message_to_a_run_that_is_over_says_how_to_continue(person):
    """A message to an ended run is refused, and the error names the command that resumes the session."""
    started = person.json("run", "-p", "hi", "--detach")
    person.types("stop", started["run"])

    done = person.types("send", started["run"], "more")

    assert f"run {started['run']} has ended; `chorus resume {started['session']}` goes on" in done.stderr.decode()


def test_an_agent_starts_and_steers_no_runs(person):
    """The commands refuse inside a run, where the mark of the run is set."""
    person.environment["CHORUS_RUN"] = "abc"

    for arguments in (["run", "-p", "x"], ["send", "x", "y"], ["stop", "x"], ["set", "x", "--mode", "plan"]):
        done = person.types(*arguments)
        assert done.returncode == 2
        assert "an agent may not" in done.stderr.decode()


def test_a_picture_is_recognised_by_its_content(person):
    """`--image` accepts a file by its content and not by its name."""
    (person.work / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n....")
    (person.work / "b.png").write_bytes(b"<svg/>")

    assert person.types("run", "-p", "look", "--image", "a.png").returncode == 0
    done = person.types("run", "-p", "look", "--image", "b.png")
    assert done.returncode == 2 and "not an image" in done.stderr.decode()


@pytest.mark.skipif(sys.platform == "win32", reason="this system has no pseudo-terminals")
def test_a_person_talks_with_an_agent_in_a_terminal(person):
    """The terminal shows the conversation and asks for the next message, and Ctrl-D ends the run."""
    terminal, inside = pty.openpty()
    call = [sys.executable, "-m", "chorus", "run", "-p", "hi there"]
    chorus = subprocess.Popen(
        call,
        cwd=person.work,
        env=person.environment,
        stdin=inside,
        stdout=inside,
        stderr=inside,
        start_new_session=True,
    )
    os.close(inside)
    try:
        seen = _until_shown(terminal, "Hello")
        seen += _until_shown(terminal, "❯ ", after=seen.rfind("Hello"), seen=seen)
        os.write(terminal, b"and now?\n")
        _until_shown(terminal, "Again.")
        time.sleep(0.5)
        os.write(terminal, b"\x04")
        assert chorus.wait(PATIENCE_S) == 0
    finally:
        chorus.kill()
        chorus.wait()
        os.close(terminal)
    assert "☃" in seen
    assert "\x1b[31m☃" not in seen


@pytest.mark.skipif(sys.platform == "win32", reason="this system has no pseudo-terminals")
def test_ctrl_c_where_a_message_is_asked_for_ends_nothing(person):
    """The first Ctrl-C at the prompt says what a second one does, and the second one detaches from the run."""
    typed = [("Hello", None), ("❯ ", b"\x03"), ("Ctrl-C again detaches", None), ("❯ ", b"\x03")]

    code, seen = at_a_terminal(
        "run", "-p", "hi there", "--workspace", person.work, typed=typed, environment=person.environment
    )

    assert code == 130, seen
    ((_, run),) = Runs(person.home).living()
    assert f"detached; `chorus attach {run.id}`" in seen


@pytest.mark.skipif(sys.platform == "win32", reason="this system has no pseudo-terminals")
def test_what_is_said_elsewhere_is_seen_where_a_message_is_asked_for(person):
    """A message from elsewhere appears without a key press, and the terminal repeats the text that was not sent."""

    def others_speak():
        ((_, run),) = Runs(person.home).living()
        assert person.types("send", run.id, "and now?").returncode == 0

    typed = [("Hello", None), ("❯ ", b"hold \xe2\x98\x83"), ("hold ☃", others_speak), ("Again.", None), ("❯ ", b"\x04")]

    code, seen = at_a_terminal(
        "run", "-p", "hi there", "--workspace", person.work, typed=typed, environment=person.environment
    )

    assert code == 0, seen
    assert "chorus: not sent: hold ☃" in seen
    assert "and now?" in seen


@pytest.mark.skipif(sys.platform == "win32", reason="this system has no pseudo-terminals")
def test_what_is_asked_in_the_background_is_put_where_a_message_is_asked_for(greeted):
    """A request after the end of a turn replaces the prompt for a message, so the agent does not wait for nothing."""
    person = greeted("""
while not pathlib.Path("go").exists():
    time.sleep(0.02)
asked = {"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": "date"}, "tool_use_id": "toolu_1"}
put(type="control_request", request_id="1", request=asked)
while "control_response" not in sys.stdin.readline():
    pass
""")

    typed = [("Hello", None), ("❯ ", (person.work / "go").touch), ("d deny", "d"), ("tell the agent", "")]
    code, seen = at_a_terminal(
        "run", "-p", "hi there", "--workspace", person.work, typed=typed, environment=person.environment
    )

    assert code == 0, seen
    assert "denied" in seen


@pytest.mark.skipif(sys.platform == "win32", reason="this system has no pseudo-terminals")
def test_a_client_that_dies_while_a_person_types_is_said_with_its_last_words(greeted):
    """Without a finished line, the terminal shows how the run ended and that the typed text was not sent."""
    person = greeted("""
while not pathlib.Path("go").exists():
    time.sleep(0.02)
sys.exit("out of luck")
""")

    typed = [("Hello", None), ("❯ ", b"are you there?"), ("there?", (person.work / "go").touch)]
    code, seen = at_a_terminal(
        "run", "-p", "hi there", "--workspace", person.work, typed=typed, environment=person.environment
    )

    assert code == 1, seen
    assert "not sent: are you there?" in seen
    assert "exit code 1: out of luck" in seen


def _until_shown(terminal, words, *, after=-1, seen=""):
    """Returns the output of a terminal up to the given words."""
    found = seen[after + 1 :] if after >= 0 else ""
    deadline = time.monotonic() + PATIENCE_S
    while words not in found:
        assert time.monotonic() < deadline, found[-2_000:]
        if select.select([terminal], [], [], 0.2)[0]:
            found += os.read(terminal, 65_536).decode("utf-8", "replace")
    return found


LIKE_THE_CLIENT = """
import json, os, pathlib, shutil, sys
if "--version" in sys.argv:
    sys.exit(print("2.1.300 (Claude Code)"))
session = next(each for each in sys.argv if each.startswith("--session-id=")).partition("=")[2]
written = pathlib.Path(os.environ["HOME"], ".claude", "projects", "-work")
shutil.copytree(pathlib.Path(os.environ["HOME"], "laid", "projects", PROJECT), written)
for path in sorted(written.rglob("*"), key=lambda path: -len(path.parts)):
    if path.is_file():
        path.write_bytes(path.read_bytes().replace(OWN.encode(), session.encode()))
    path.rename(path.with_name(path.name.replace(OWN, session)))
def put(**line):
    print(json.dumps(line), flush=True)
while '"user"' not in sys.stdin.readline():
    pass
put(type="system", subtype="init", session_id=session)
call = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "date"}}
calling = {"id": "msg_8", "role": "assistant", "type": "message", "content": [call]}
put(type="assistant", message=calling, session_id=session, uuid="8e551011-0000-4000-8000-000000000008")
asked = {"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": "date"}, "tool_use_id": "toolu_1"}
put(type="control_request", request_id="1", request=asked)
while "control_response" not in sys.stdin.readline():
    pass
said = {"id": "msg_9", "role": "assistant", "type": "message", "content": [{"type": "text", "text": "A pelican."}]}
put(type="assistant", message=said, session_id=session, uuid="9e551011-0000-4000-8000-000000000009")
put(type="result", result="A pelican.", session_id=session)
sys.stdin.read()
"""


def like_the_client(tmp_path):
    """Builds a person whose client asks once and writes a session file of its own with a sub-agent."""
    person = Person(tmp_path, short_talk())
    own = Session(cwd=str(person.work))
    own.user("take out the rubbish")
    own.assistant(tool_use("Agent", {"prompt": "Dig"}, id="toolu_9"), tokens=usage(given=100, said=10))
    agent = own.agent("a1b2c3", "toolu_9", description="Dig")
    agent.user("Dig")
    agent.assistant("A walrus.", stop="end_turn", tokens=usage(given=7_000, said=300))
    laid = lay_out(tmp_path / "laid", own)
    body = LIKE_THE_CLIENT.replace("PROJECT", repr(laid.parent.name)).replace("OWN", repr(own.id))
    program(tmp_path / "bin" / "claude", body)
    return person


def test_a_run_that_nobody_watches_is_found_after_its_end(tmp_path):
    """The holder brings the whole run into the index, without a sync, a server or an attached terminal."""
    person = like_the_client(tmp_path)
    person.types("run", "-p", "please", "--once", "--detach", "--workspace", person.work)
    (row,) = until(lambda: Ledger(person.home / "state").pending())
    person.types("deny", row.id, "-m", "leave the flamingo")
    (folder, _) = until(lambda: [each for each in Runs(person.home) if each[1].ending][0:1])[0]
    run = folder.read()
    assert run is not None

    def indexed():
        # This reads the index as it is, because a command that searches would bring it up to date.
        try:
            index = SqliteIndex(person.home / INDEX)
        except IndexDamaged:
            return None
        try:
            (found,) = index.conversations(Query(None), limit=9)[0] or [None]
            return found if found and found.sub_agents else None
        finally:
            index.close()

    found = until(indexed)
    assert found.id == run.session and found.tokens.input == 7_100
    hits = person.json("search", "pelican OR walrus OR flamingo")["hits"]
    words = " ".join(each["snippet"]["text"] for each in hits)
    assert all(word in words for word in ("pelican", "walrus", "flamingo"))


def is_taking_in(folder):
    """Returns whether the process that the holder starts at the end of a run still works."""
    listed = subprocess.run(["ps", "-axwwo", "command="], capture_output=True, text=True, check=True).stdout
    return any(recorder.__name__ in line and str(folder.path) in line for line in listed.splitlines())


def test_what_a_run_left_is_not_taken_in_by_force(tmp_path):
    """If another process writes the index, or the index lacks too much, it stays unchanged and the run ends well."""
    person = like_the_client(tmp_path)
    with sole_writer(person.home / INDEX) as is_ours:
        assert is_ours
        person.types("run", "-p", "please", "--once", "--detach", "--workspace", person.work)
        (row,) = until(lambda: Ledger(person.home / "state").pending())
        person.types("deny", row.id)
        (folder, run) = until(lambda: [each for each in Runs(person.home) if each[1].ending][0:1])[0]
        # The vault still records what the client wrote.
        until(lambda: any((person.home / "conversations").rglob("*agent-a1b2c3*")))
        # Until its process has ended, it would take the lock as soon as the lock is free.
        until(lambda: not is_taking_in(folder))
    assert run.ending is not None and not run.ending.is_failure
    assert not (person.home / INDEX / FILE).exists()
    said: list[str] = []
    after_run.take_in(folder, said.append, max_owed_bytes=1)
    assert len(said) == 1 and "lacks too much" in said[0]
    after_run.take_in(folder, said.append)
    assert len(said) == 1 and person.json("search", "walrus")["hits"]


@pytest.mark.skipif(sys.platform == "win32", reason="this system has no pseudo-terminals")
def test_what_a_run_did_is_found_as_soon_as_it_has_ended(tmp_path):
    """Without a sync, search and cost include the words of the run, the decision, and the client's own files."""
    person = like_the_client(tmp_path)
    typed = [("d deny", "d"), ("tell the agent", "leave the flamingo")]
    code, seen = at_a_terminal(
        "run", "-p", "please", "--once", "--workspace", person.work, typed=typed, environment=person.environment
    )
    assert code == 0, seen

    (run,) = [each for _, each in Runs(person.home)]
    found = person.json("search", "pelican OR walrus OR flamingo")["hits"]
    words = " ".join(each["snippet"]["text"] for each in found)
    assert {each["conversation"] for each in found} == {run.session}
    assert all(word in words for word in ("pelican", "walrus", "flamingo"))
    assert person.json("cost")["total"]["tokens"]["input"] == 7_100
    assert person.json("list")["conversations"][0]["sub_agents"] == 1
