"""Tests starting and steering agents over the wire: in known folders, by ids, and never with more rights than usual."""

import base64
import json
import uuid

import pytest

from chorus.keep.vault.keys import workspace_id
from chorus.show.recorder.workspaces import list_workspaces
from chorus.steer.runs.run_folders import Runs
from chorus.testing.builders import Run, Session, lay_out, tool_use
from tests.show.server.phones import Phone, bodies
from tests.show.server.serving import Browser, Serving, serving, session_of, until
from tests.support.running import end, program, recording

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
RECORDER = """
import json, pathlib, sys
if "--version" in sys.argv:
    print("2.1.325 (Claude Code)")
    raise SystemExit
place = pathlib.Path({place!r})
half = place / "arguments.half"
half.write_text(json.dumps(sys.argv[1:]))
half.replace(place / "arguments.json")
with (place / "said.jsonl").open("a") as file:
    for line in sys.stdin:
        file.write(line)
        file.flush()
        asked = json.loads(line)
        if asked["type"] == "control_request":
            answer = {{"subtype": "success", "request_id": asked["request_id"], "response": {{}}}}
            print(json.dumps({{"type": "control_response", "response": answer}}), flush=True)
"""
"""A client that writes down how it is called and what it is told."""
LATER = """
import os, pathlib, sys, time
while "--version" not in sys.argv and not pathlib.Path({go!r}).exists():
    time.sleep(0.02)
os.execv({client!r}, sys.argv)
"""
"""A client that says nothing until a file lets it."""


class World:
    """A server, a workspace that a person named, and a client that records its arguments and its input."""

    def __init__(self, served: Serving, folder):
        self.served = served
        self.browser: Browser = served.browser()
        self.folder = folder
        self.place = workspace_id(str(folder))

    def runs(self):
        return {each["id"]: each for each in self.browser.get("/api/runs").json["runs"]}

    def start(self, **more):
        asked = {"place": self.place, "message": {"text": "Begin."}, **more}
        return self.browser.post("/api/runs", asked)

    def started(self, **more):
        answer = self.start(**more)
        assert answer.status == 200, answer.body
        return answer.json

    def said(self):
        path = self.folder / "said.jsonl"
        lines = path.read_text().splitlines() if path.exists() else []
        return [each for each in map(json.loads, lines) if each["type"] == "user"]

    def asked(self):
        """Returns the requests that the client got over the control channel."""
        lines = (self.folder / "said.jsonl").read_text().splitlines()
        return [each["request"] for each in map(json.loads, lines) if each["type"] == "control_request"]

    def arguments(self):
        path = self.folder / "arguments.json"
        until(path.exists)
        return json.loads(path.read_text())


@pytest.fixture
def world(places, tmp_path, monkeypatch):
    vault, client = places
    monkeypatch.setenv("CHORUS_HOME", str(vault))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(client))
    (client / "projects").mkdir(parents=True)
    work = (tmp_path / "work").resolve()
    work.mkdir()
    binary = program(tmp_path / "claude", RECORDER.format(place=str(work)))
    settle(vault, binary, [{"id": workspace_id(str(work)), "path": str(work), "agents": AGENTS}])
    with serving(vault, client) as served:
        yield World(served, work)
        for folder, _ in Runs(vault).living():
            end(folder)


AGENTS = [{"name": "ada", "model": "opus", "mode": "plan"}]


def settle(vault, binary, workspaces):
    vault.mkdir(mode=0o700, parents=True, exist_ok=True)
    named = [{**each, "isNamed": True} for each in workspaces]
    (vault / "config.json").write_text(json.dumps({"client": str(binary), "workspaces": named}))


def test_an_agent_is_started_where_a_person_named_a_folder(world):
    """The page gets the folders and their agents. A run that is started there is listed and gets its first message."""
    (place,) = world.browser.get("/api/places").json["places"]
    assert place == {
        "id": world.place,
        "folder": str(world.folder),
        "agents": [{"name": "ada", "model": "opus", "mode": "plan"}],
        "is_named": True,
    }

    run = world.started(agent="ada", message={"text": "Paint the buoy."})

    until(lambda: world.said())
    assert world.said()[0]["message"]["content"] == "Paint the buoy."
    assert "--permission-mode=plan" in world.arguments()
    assert run["conversation"].startswith(f"{world.place}/ada/")
    shown = until(lambda: world.runs().get(run["id"]))
    assert (shown["agent"], shown["folder"]) == ("ada", str(world.folder))


def test_folders_in_which_sessions_worked_are_offered_if_they_are_there(world):
    """A folder from a transcript is offered only if it exists as a real folder under exactly this path."""
    there = world.folder.parent / "worked"
    there.mkdir()
    link = world.folder.parent / "link"
    link.symlink_to(there)
    for number, cwd in enumerate([there, world.folder.parent / "gone", link, "../work", "/zero\0byte"]):
        session = Session(f"5e551011-0000-4000-8000-00000000010{number}", cwd=str(cwd))
        session.user("Hello.")
        world.served.write(session)
    listed = "/api/conversations"
    until(lambda: len(world.browser.get(listed).json.get("conversations", [])) == 5)
    # The next pass over all sources does the same.
    list_workspaces(world.served.vault, {workspace_id(str(path)): str(path) for path in (there, link)})

    places = world.browser.get("/api/places").json["places"]

    assert [each["folder"] for each in places] == [str(world.folder), str(there)]
    assert [each["is_named"] for each in places] == [True, False]


def test_no_page_chooses_a_path_a_wide_mode_or_a_variable(world):
    """A10: a start request with any field or value that is not allowed is refused, and no client starts."""
    wrong = [
        {"place": str(world.folder)},
        {"place": "../" + world.place},
        {"cwd": "/"},
        {"mode": "bypassPermissions"},
        {"mode": "manual"},
        {"permissionMode": "bypassPermissions"},
        {"allowed_tools": ["Bash"]},
        {"environment": ["LD_PRELOAD"]},
        {"client": "/bin/sh"},
        {"agent": "--settings=x"},
        {"model": "--dangerously-skip-permissions"},
        {"message": {"text": "x", "cwd": "/"}},
    ]
    for more in wrong:
        answer = world.start(**more)
        assert answer.status in (400, 404, 409), (more, answer.status)
    assert not list(Runs(world.served.vault))
    run = world.started()
    for change in ({"mode": "bypassPermissions"}, {"mode": "acceptEdits"}, {"model": "-x"}, {"env": "A"}):
        assert world.browser.post(f"/api/runs/{run['id']}/settings", change).status in (400, 409), change


def test_a_message_brings_its_pictures(world):
    """Text and pictures reach the client unchanged, and data that is not a picture is refused before sending."""
    run = world.started()
    address = f"/api/runs/{run['id']}/messages"
    assert world.browser.post(address, {"text": "What is this?", "pictures": [{"data": PIXEL}]}).status == 204
    until(lambda: len(world.said()) == 2)
    picture, words = world.said()[1]["message"]["content"]
    assert picture["source"] == {"type": "base64", "media_type": "image/png", "data": PIXEL}
    assert words == {"type": "text", "text": "What is this?"}

    for data in ("no base 64!", base64.b64encode(b"<svg onload=alert(1)>").decode(), ""):
        answer = world.browser.post(address, {"text": "x", "pictures": [{"data": data}]})
        assert (answer.status, answer.kind) == (400, "bad_request")
    assert world.browser.post(address, {"text": "  "}).status == 400
    assert len(world.said()) == 2


def test_a_picture_may_be_larger_than_other_requests(world):
    """A message with a picture of three megabytes is accepted."""
    run = world.started()
    large = base64.b64encode(base64.b64decode(PIXEL) + b"\0" * (3 << 20)).decode()
    sent = world.browser.post(f"/api/runs/{run['id']}/messages", {"text": "", "pictures": [{"data": large}]})
    assert sent.status == 204


def test_a_turn_is_interrupted_the_model_changed_and_the_run_ended(world):
    """Each command reaches the client over its control channel, and a run that has ended refuses messages."""
    run = world.started()
    one = f"/api/runs/{run['id']}"
    assert world.browser.post(f"{one}/interrupt").status == 204
    assert world.browser.post(f"{one}/settings", {"model": "haiku", "mode": "plan"}).status == 204
    assert [each["subtype"] for each in world.asked()] == [
        "initialize",
        "interrupt",
        "set_model",
        "set_permission_mode",
    ]
    assert world.browser.post(f"{one}/stop").status == 204
    ended = until(lambda: (shown := world.runs().get(run["id"])) and shown["ended_at"] and shown)
    assert (ended["state"], ended["is_failure"]) == ("ended", False)

    late = world.browser.post(f"{one}/messages", {"text": "Still there?"})
    assert (late.status, late.kind) == (409, "cannot_run")
    assert world.browser.post("/api/runs/000000000000/stop").status == 404


def test_a_conversation_is_gone_on_with_and_forked_at_a_message(world):
    """A stored session is resumed in its folder. A fork does not change it, has its own id, and names the message."""
    session = session_of(cwd=str(world.folder))
    lay_out(world.served.folder, session)
    (found,) = until(lambda: world.browser.get("/api/conversations").json.get("conversations"))
    asked = {"conversation": found["name"], "message": {"text": "Go on."}}

    first = world.browser.post("/api/runs/resumed", asked)
    assert first.status == 200, first.body
    assert first.json["session"] == session.id
    assert f"--resume={session.id}" in world.arguments()
    again = world.browser.post("/api/runs/resumed", asked)
    assert (again.status, again.kind) == (409, "cannot_run")
    assert first.json["id"] in again.json["message"]
    end(Runs(world.served.vault).find(first.json["id"])[0])
    (world.folder / "arguments.json").unlink()
    at = next(line["uuid"] for line in session.lines if line["type"] == "user")
    fork = world.browser.post("/api/runs/resumed", {**asked, "is_fork": True, "at": at}).json
    assert fork["session"] != session.id
    assert {"--fork-session", f"--resume-session-at={at}"} <= set(world.arguments())

    assert world.browser.post("/api/runs/resumed", {**asked, "conversation": "a/b/c"}).status == 404
    assert world.browser.post("/api/runs/resumed", {**asked, "is_fork": True, "at": "--x"}).status == 409
    unknown = str(uuid.uuid4())
    assert world.browser.post("/api/runs/resumed", {**asked, "is_fork": True, "at": unknown}).status == 409


def test_a_folder_that_brings_settings_is_looked_at_at_the_terminal_first(world):
    """D6 from the page: nothing starts, and the message names the folder's settings and the command that trusts it."""
    (world.folder / ".mcp.json").write_text('{"mcpServers": {"spy": {"command": "sh"}}}')
    answer = world.start()
    assert (answer.status, answer.kind) == (409, "unvetted")
    assert "spy" in answer.json["message"]
    assert "chorus workspace trust" in answer.json["message"]
    assert not list(Runs(world.served.vault))


def test_without_a_client_the_page_says_what_is_missing(world):
    """The list of folders says that the client is missing before a person writes a message."""
    settle(world.served.vault, "/nowhere/claude", [])
    assert "/nowhere/claude" in world.browser.get("/api/places").json["trouble"]


def test_everybody_hears_how_a_run_stands(world):
    """Sockets get the start, the waiting and the end of a run, and a later socket gets its state at once."""
    run_lines = Run(str(uuid.uuid4()))
    run_lines.init()
    run_lines.assistant(tool_use("Bash", {"command": "ls"}, id="toolu_1"))
    run_lines.ask("toolu_1", "Bash", {"command": "ls"}, request="ask-1")
    # The recording continues after the request, so the run waits for the answer.
    run_lines.tool_result("toolu_1", "a")
    run_lines.result()
    settle(
        world.served.vault,
        recording(world.folder.parent / "asking", run_lines),
        [{"id": world.place, "path": str(world.folder)}],
    )
    with world.browser.live() as live:
        run = world.started()
        heard = live.until(
            lambda frame: frame["type"] == "runs" and any(r["state"] == "waiting" for r in frame["runs"])
        )
        assert [each["id"] for each in heard["runs"]] == [run["id"]]
        with world.browser.live() as late:
            assert late.until(lambda frame: frame["type"] == "runs")["runs"][0]["state"] == "waiting"
        world.browser.post(f"/api/runs/{run['id']}/stop")
        over = live.until(lambda frame: frame["type"] == "runs" and any(r["ended_at"] for r in frame["runs"]))
        assert over["runs"][0]["state"] == "ended"


def test_a_page_learns_when_the_conversation_of_a_run_exists(world):
    """A run has no conversation until its client writes something. Then sockets and requests learn that it has one."""
    lines = Run(str(uuid.uuid4()))
    lines.init()
    lines.assistant("Ahoy.")
    lines.result()
    client = recording(world.folder.parent / "speaking", lines)
    later = program(world.folder.parent / "later", LATER.format(client=client, go=str(world.folder / "go")))
    settle(world.served.vault, later, [{"id": world.place, "path": str(world.folder)}])
    with world.browser.live() as live:
        run = world.started()
        assert run["is_kept"] is False
        until(lambda: world.runs().get(run["id"]))
        assert world.runs()[run["id"]]["is_kept"] is False
        assert world.browser.get(f"/api/conversations/{run['conversation']}").status == 404
        (world.folder / "go").touch()
        live.until(lambda frame: frame["type"] == "runs" and any(each["is_kept"] for each in frame["runs"]))
        assert world.browser.get(f"/api/conversations/{run['conversation']}").status == 200
        assert world.runs()[run["id"]]["is_kept"] is True


def test_a_server_that_comes_back_finds_the_runs_at_work(places, tmp_path, monkeypatch):
    """A run continues when the server ends. The next server shows its state, and messages reach it from there."""
    vault, client = places
    monkeypatch.setenv("CHORUS_HOME", str(vault))
    (client / "projects").mkdir(parents=True)
    work = (tmp_path / "work").resolve()
    work.mkdir()
    binary = program(tmp_path / "claude", RECORDER.format(place=str(work)))
    settle(vault, binary, [{"id": workspace_id(str(work)), "path": str(work)}])
    with serving(vault, client) as first:
        before = World(first, work)
        run = before.started()
    with serving(vault, client) as second:
        after = World(second, work)
        until(lambda: (shown := after.runs().get(run["id"])) and shown["state"] not in ("lost", "ended"))
        assert after.browser.post(f"/api/runs/{run['id']}/messages", {"text": "Still there?"}).status == 204
        until(lambda: [each["message"]["content"] for each in after.said()] == ["Begin.", "Still there?"])
        after.browser.post(f"/api/runs/{run['id']}/stop")
        until(lambda: after.runs()[run["id"]]["ended_at"])


def test_tampering_is_an_alarm_on_every_page(world):
    """A run with tampering is stopped, and the status that all pages show begins with the alarm."""
    started = world.started()
    client = world.served.folder / "settings.json"
    client.write_text('{"env": {"BASH_ENV": "/tmp/evil"}}')

    alarm = until(lambda: world.browser.get("/api/status").json["alarm"])
    assert alarm.startswith(f"TAMPERING with run {started['id']}: {client} was changed while it worked (sets BASH_ENV)")
    until(lambda: world.runs()[started["id"]]["is_failure"])
    assert "TAMPERING" in world.runs()[started["id"]]["ending"]


def test_a_phone_starts_messages_interrupts_and_stops_an_agent(world):
    """Actions of a phone reach the agent, are answered, and the phone is sent what the agent does."""
    until(lambda: world.browser.get("/api/conversations").status == 200)
    phone = Phone()
    with phone.on(world.browser) as live:

        def act(**said: str | None) -> str | None:
            live.say({**said, "ref": said["type"]})
            frame = live.until(lambda frame: any(each.get("ref") == said["type"] for each in bodies(frame)))
            (answer,) = bodies(frame)
            assert answer["type"] == "done", answer
            return answer["runId"]

        run = act(type="start", projectId=world.place, content="Begin.")
        session = until(lambda: world.runs().get(run))["session"]
        act(type="send", runId=run, content="Go on.")
        until(lambda: "Go on." in json.dumps(world.said()))
        act(type="interrupt", runId=run)
        until(lambda: "interrupt" in [each["subtype"] for each in world.asked()])
        act(type="stop", runId=run)
        over = {"type": "session_state", "conversationId": session, "state": "ended", "runId": run}
        live.until(lambda frame: over in bodies(frame))
