"""Tests that the real client resumes a session that was packed and unpacked on another machine under another path.

The client talks only to a scripted API on loopback.
"""

import json
import subprocess

import pytest

from chorus.keep.sources.layout import project_key
from tests.cli.commands import run, run_json
from tests.keep.packs.packs import listed, packed
from tests.support.real_client import PATIENCE_S, Client
from tests.support.scripted_api import ScriptedApi

TOOLS = ("--permission-mode", "acceptEdits", "--allowedTools", "Bash,Write,Edit,Read,Agent,SendMessage")


def calls(number, name, **given):
    return [{"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": given}]


def says(text):
    return [{"type": "text", "text": text}]


@pytest.fixture
def api(tmp_path):
    work = tmp_path / "person" / "work"
    with ScriptedApi(
        calls(1, "Agent", description="look", prompt="Look around.", subagent_type="general-purpose"),
        says("Nothing there."),
        calls(2, "Bash", command="seq 1 20000", description="count"),
        calls(3, "Edit", file_path=str(work / "a.py"), old_string="hi", new_string="yo"),
        calls(4, "Write", file_path=str(tmp_path / "person" / "outside.txt"), content="changed"),
        says("The answer is heliotrope."),
    ) as api:
        yield api


@pytest.fixture
def moved(client, api, tmp_path, monkeypatch):
    """Returns the id of a session and the client on the machine it was moved to; the first machine is gone."""
    client.environment["CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING"] = "true"
    (client.workspace / "a.py").write_text("print('hi')\n")
    (client.workspace.parent / "outside.txt").write_text("as it was")
    session = client.run("-p", "What is the colour?", "--add-dir", str(client.workspace.parent), *TOOLS)["session_id"]
    assert run("sync").exit_code == 0
    pack = tmp_path / "it.tar.zst"
    assert run("pack", session[:8], "-o", pack).exit_code == 0
    (tmp_path / "person").rename(tmp_path / "gone")

    other = Client(tmp_path / "another person", api.url)
    other.environment["CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING"] = "true"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(other.config))
    (other.workspace / "a.py").write_text("print('yo')\n")
    unpacked = run_json("unpack", pack, "--as", other.workspace)
    assert unpacked["resume"] == f"cd '{other.workspace}' && claude --resume {session}"
    assert unpacked["outside"] == [f"file backup {tmp_path / 'person' / 'outside.txt'}"]
    return session, other


def test_a_moved_session_goes_on(moved, api, tmp_path):
    """The client resumes the session, knows its history, reports the new folder, and no path leads to the old one."""
    session, other = moved
    api.answer_next(
        calls(11, "Bash", command='tail -n 1 "$(ls -d $HOME/.claude/projects/*/*/tool-results/*)"', description="x"),
        says("Heliotrope again."),
    )

    again = other.run("--resume", session, "-p", "Say it again.", *TOOLS)

    (file,) = (other.config / "projects").glob("*/*.jsonl")
    assert again["session_id"] == session == file.stem
    asked = "\n".join(api.prompts())
    assert "What is the colour?" in asked and "heliotrope" in asked and "Say it again." in asked
    assert f"Primary working directory: {other.workspace} (was {tmp_path / 'person' / 'work'})" in asked
    outputs = [path for path in other.config.rglob("tool-results/*") if path.is_file()]
    assert len(outputs) == 1 and f"Full output saved to: {outputs[0]}" in asked
    assert "20000" in asked
    system = json.dumps([request for request in api.requests if request.get("tools")][-1]["system"])
    assert str(other.config / "projects") in system and str(tmp_path / "person" / "home") not in system


def test_a_sub_agent_goes_on(moved, api):
    """A sub-agent from before the move gets a message and answers in its own file."""
    session, other = moved
    (agent,) = other.config.rglob("agent-*.jsonl")
    size_bytes = agent.stat().st_size
    api.answer_next(
        calls(21, "SendMessage", to=agent.stem.removeprefix("agent-"), message="More.", summary="more"), says("ok")
    )

    other.run("--resume", session, "-p", "Ask it for more.", *TOOLS)

    assert agent.stat().st_size > size_bytes
    assert any("Resuming agent" in json.dumps(request["messages"]) for request in api.requests)


def test_files_are_rewound_in_the_new_folder_only(moved, tmp_path):
    """A rewind restores the file of the project and changes nothing outside of it."""
    session, other = moved
    (tmp_path / "person").mkdir()
    outside = tmp_path / "person" / "outside.txt"
    outside.write_text("of somebody else")
    (file,) = (other.config / "projects").glob("*/*.jsonl")
    records = [json.loads(line) for line in file.read_text().splitlines()]
    message = next(each["messageId"] for each in records if each["type"] == "file-history-snapshot")

    answer = rewind(other, session, message)

    assert answer["response"]["canRewind"] is True, answer
    assert (other.workspace / "a.py").read_text() == "print('hi')\n"
    assert outside.read_text() == "of somebody else"


HIDDEN = {
    "end": lambda record: record + b" x",
    "second": lambda record: record + b',{"type":"user"}',
    "lines": lambda record: record.replace(b",", b",\n", 1),
    "start": lambda record: b"{\n" + record[1:],
    "cut": lambda record: b'{"type":"\n' + record,
}
"""Ways to write a record so that the client reads it, and a reader of lines does not."""


@pytest.mark.parametrize("way", HIDDEN)
def test_a_hidden_backup_leads_nowhere(client, api, tmp_path, monkeypatch, way):
    """A backup in a record that is no line of its own changes nothing outside of the project when files are rewound."""
    client.environment["CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING"] = "true"
    (client.workspace / "a.py").write_text("print('hi')\n")
    outside = client.workspace.parent / "outside.txt"
    outside.write_text("as it was")
    session = client.run("-p", "What is the colour?", "--add-dir", str(client.workspace.parent), *TOOLS)["session_id"]
    (path,) = client.config.rglob(f"{session}.jsonl")
    hidden = [
        HIDDEN[way](each) if b'"file-history-delta"' in each and b"outside.txt" in each else each
        for each in path.read_bytes().splitlines()
    ]
    message = next(json.loads(each)["uuid"] for each in hidden if b'"type":"user"' in each)
    backups = {
        f"client/file-history/{session}/{each.name}": each.read_bytes()
        for each in (client.config / "file-history" / session).iterdir()
    }
    files = {f"project/{session}.jsonl": b"\n".join(hidden) + b"\n", **backups}
    contents = listed(
        files,
        session=session,
        project=str(client.workspace),
        configDir=str(client.config),
        projectKey=path.parent.name,
    )
    pack = tmp_path / "it.tar.zst"
    pack.write_bytes(packed(files, contents))

    other = Client(tmp_path / "another person", api.url)
    other.environment["CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING"] = "true"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(other.config))
    assert run("unpack", pack, "--as", other.workspace).exit_code == 0
    outside.write_text("of somebody else")
    answer = rewind(other, session, message)

    assert answer["response"]["canRewind"] is True, answer
    assert outside.read_text() == "of somebody else"


def test_a_long_folder_gets_the_name_that_the_client_gives_it(client, tmp_path):
    """The project's folder has the same name that the client uses, also when a long name is shortened with a digest."""
    client.workspace = client.workspace / ("é" * 60) / ("x" * 180)
    client.workspace.mkdir(parents=True)
    client.run("-p", "hello")

    (folder,) = (client.config / "projects").iterdir()
    assert folder.name == project_key(str(client.workspace)) and len(folder.name) > 200


def rewind(client, session, message):
    call = [client.binary, "-p", "--resume", session, "--input-format", "stream-json"]
    call += ["--output-format", "stream-json", "--verbose"]
    given = [
        {"type": "control_request", "request_id": "1", "request": {"subtype": "initialize", "hooks": None}},
        {
            "type": "control_request",
            "request_id": "2",
            "request": {"subtype": "rewind_files", "user_message_id": message},
        },
    ]
    with subprocess.Popen(
        call,
        cwd=client.workspace,
        env=client.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin and process.stdout
        for line in given:
            process.stdin.write(json.dumps(line) + "\n")
        process.stdin.flush()
        answers = map(json.loads, process.stdout)
        found = next(each["response"] for each in answers if each.get("response", {}).get("request_id") == "2")
        process.stdin.close()
        process.wait(PATIENCE_S)
    return found
