"""Tests that `chorus permission-tool` finds the client above it, whatever processes are between them."""

import json
import os
import subprocess
import sys

import pytest

from chorus.steer.hooks.prompt_tool import NO_SESSION, OLDEST_CLIENT, UNREACHABLE
from tests.cli.commands import PATIENCE_S

SESSION = "5e551011-0000-4000-8000-000000000001"
CLIENT = """
import json, os, pathlib, subprocess, sys
entry = {"pid": os.getpid(), "sessionId": SESSION, "cwd": "/", "startedAt": 0, "status": "busy"}
if pathlib.Path("/proc/self/stat").exists():
    entry["procStart"] = pathlib.Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]
folder = pathlib.Path(os.environ["CLAUDE_CONFIG_DIR"], "sessions")
folder.mkdir(parents=True)
(folder / f"{os.getpid()}.json").write_text(json.dumps(entry))
sys.exit(subprocess.call(sys.argv[1:]))
""".replace("SESSION", repr(SESSION))
TOOL = [sys.executable, "-m", "chorus", "permission-tool"]
WRAPPER = [sys.executable, "-c", "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))"]


def answered(tmp_path, call, *, version="2.1.325"):
    """Returns the answer of the tool, which `call` starts, to a client that asks."""
    asked = [
        {"method": "initialize", "params": {"clientInfo": {"name": "claude-code", "version": version}}},
        {"method": "tools/call", "params": {"name": "approve", "arguments": {"tool_name": "Bash", "input": {}}}},
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0", "id": n, **each}) + "\n" for n, each in enumerate(asked))
    environment = os.environ | {"CLAUDE_CONFIG_DIR": str(tmp_path / "claude"), "CHORUS_HOME": str(tmp_path / "home")}
    # The tool ends with its standard input, so this stays open until both requests are answered.
    with subprocess.Popen(call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True) as process:
        assert process.stdin and process.stdout
        process.stdin.write(lines)
        process.stdin.flush()
        told = [json.loads(process.stdout.readline()) for _ in asked]
        process.stdin.close()
        process.wait(PATIENCE_S)
    return json.loads(told[1]["result"]["content"][0]["text"])


@pytest.mark.parametrize("wrappers", [[], WRAPPER, ["sh", "-c", '"$@"; exit $?', "sh", *WRAPPER, *WRAPPER]])
def test_a_client_is_found_behind_wrappers(tmp_path, wrappers):
    """The tool finds the session through wrappers, so only a server is missing."""
    told = answered(tmp_path, [sys.executable, "-c", CLIENT, *wrappers, *TOOL])

    assert told == {"behavior": "deny", "message": UNREACHABLE}


def test_without_a_client_nobody_is_asked(tmp_path):
    """Without a client, the answer is no and names the version that is needed. An older client gets its own message."""
    assert answered(tmp_path, TOOL)["message"] == NO_SESSION
    assert "Claude Code 2.1.50 does not say it" in answered(tmp_path, TOOL, version="2.1.50")["message"]
    assert ".".join(map(str, OLDEST_CLIENT)) in NO_SESSION
