"""Tests that the real client resumes a session that was deleted and restored, and does not delete it again.

The client talks only to a scripted API on loopback.
"""

import json
import os
import re
import shutil
import time

import pytest

from tests.cli.commands import run, run_json
from tests.support.keeping import files
from tests.support.scripted_api import ScriptedApi

SUB_AGENT = {
    "type": "tool_use",
    "id": "toolu_1",
    "name": "Agent",
    "input": {"description": "look around", "prompt": "Look around.", "subagent_type": "general-purpose"},
}
OLD_S = 90 * 86_400
SWEEP_S = 45


def says(text):
    return [{"type": "text", "text": text}]


@pytest.fixture
def api():
    with ScriptedApi([SUB_AGENT], says("The answer is heliotrope.")) as api:
        yield api


def test_a_swept_session_is_resumed(client, api):
    """After sync, deletion and restore, `claude --resume` knows the history and continues in the same file."""
    session = client.run("-p", "What is the colour?")["session_id"]
    assert run("sync").exit_code == 0
    originals = {path: path.read_bytes() for path in files(client.config / "projects")}
    shutil.rmtree(client.config / "projects")

    restored = run_json("restore", session[:8])

    assert {path: path.read_bytes() for path in files(client.config / "projects")} == originals
    assert {path.name.partition("-")[0] for path in originals if path.suffix == ".jsonl"} > {"agent"}
    assert restored["left_out"] == []
    assert restored["resume"] == f"cd {client.workspace} && claude --resume {session}"

    again = client.run("--resume", session, "-p", "Say it again.")

    (file,) = (client.config / "projects").glob("*/*.jsonl")
    assert again["session_id"] == session == file.stem
    assert file.read_bytes().startswith(originals[file]) and len(file.read_bytes()) > len(originals[file])
    asked = "".join(api.prompts())
    assert "What is the colour?" in asked and "heliotrope" in asked and "Say it again." in asked

    synced = run_json("sync")
    assert (synced["grown"] >= 1, synced["revised"]) == (True, 0)
    assert run_json("verify")["sources"]["differs"] == 0


def test_the_sweep_spares_what_was_restored(client):
    """The client deletes an old session file, but not a restored one whose records are as old."""
    session = client.run("-p", "What is the colour?")["session_id"]
    (file,) = (client.config / "projects").glob("*/*.jsonl")
    aged = re.sub(rb'"timestamp":"\d{4}', b'"timestamp":"2020', file.read_bytes())
    file.write_bytes(aged)
    assert run("sync").exit_code == 0
    file.unlink()
    control = file.with_name("11111111-1111-4111-8111-111111111111.jsonl")
    control.write_bytes(aged.replace(session.encode(), control.stem.encode()))
    os.utime(control, (time.time() - OLD_S,) * 2)

    assert run("restore", session).exit_code == 0
    waiting = client.start()
    try:
        prompt = {"type": "user", "message": {"role": "user", "content": "hello"}}
        waiting.stdin.write(json.dumps(prompt).encode() + b"\n")
        waiting.stdin.flush()
        deadline = time.monotonic() + SWEEP_S
        while control.exists() and time.monotonic() < deadline:
            time.sleep(0.2)
    finally:
        waiting.stdin.close()
        waiting.wait(20)

    assert not control.exists(), "the client did not sweep, so nothing was shown"
    assert file.read_bytes() == aged
