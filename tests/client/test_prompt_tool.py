"""Tests of `claude -p` with Chorus as its permission tool, on the real client: a person is asked once."""

import json
import shutil
import sys
import threading

import pytest

from chorus.steer.approvals.model import Row
from chorus.steer.hooks.home import Home
from chorus.steer.hooks.prompt_tool import UNREACHABLE
from tests.support.scripted_api import ScriptedApi
from tests.support.wrappers import find_uvx, npx, uvx

TOUCH = {
    "type": "tool_use",
    "id": "toolu_1",
    "name": "Bash",
    "input": {"command": "touch made.txt", "description": "Make a file"},
}
DONE = [{"type": "text", "text": "That was all."}]


@pytest.fixture
def api():
    with ScriptedApi([TOUCH], DONE) as api:
        yield api


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path / "chorus")


class Asking:
    """Runs a client without a person, which calls the tool."""

    def __init__(self, client, home, *wrapper, chorus=(sys.executable, "-m", "chorus")):
        call = [*wrapper, *chorus, "permission-tool", "--vault", str(home.root)]
        tool = {"command": call[0], "args": call[1:]}
        servers = json.dumps({"mcpServers": {"chorus": tool}})
        asks = ("--permission-mode", "default", "--permission-prompt-tool", "mcp__chorus__approve")
        self._options = (*asks, "--mcp-config", servers)
        self._client = client
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self):
        self.result = self._client.run("-p", "Make a file.", *self._options)

    def end(self):
        self._thread.join(60)
        assert not self._thread.is_alive()
        return self.result


def test_what_is_approved_runs(client, home, person, server):
    """The request is a row with its own source and with the session that asks, and the approved call runs."""
    asking = Asking(client, home)
    row = person.asked()
    assert (row.request.source, row.request.tool, row.request.cwd) == ("prompt-tool", "Bash", str(client.workspace))
    assert json.loads(row.request.input) == TOUCH["input"]
    assert isinstance(person.allow(row), Row)
    ended = asking.end()
    assert ended["permission_denials"] == [] and ended["session_id"] == row.request.session
    assert (client.workspace / "made.txt").exists()


def test_the_tool_may_stand_behind_a_shell(client, home, person, server):
    """Behind a shell, the tool finds the session of the client, and the answer reaches it."""
    works(client, person, Asking(client, home, "sh", "-c", '"$@"; exit $?', "sh"))


def test_the_tool_may_stand_behind_npx(client, home, person, server, tmp_path):
    """Behind a local npm package, the tool finds the session of the client, and the answer reaches it."""
    if shutil.which("npx") is None:
        pytest.skip("npx is not installed")
    works(client, person, Asking(client, home, *npx(tmp_path)))


def test_the_tool_may_be_run_by_uvx(client, home, person, server, tmp_path, request):
    """Started with `uvx --from WHEEL`, the tool finds the session of the client, and the answer reaches it."""
    program = find_uvx(tmp_path, may_install=request.config.getoption("--long"))
    if program is None:
        pytest.skip("uvx is not installed; with --long it is brought with pip")
    works(client, person, Asking(client, home, chorus=uvx(program, tmp_path)))


def works(client, person, asking):
    """Checks that the request belongs to the client's session and that the approved call runs."""
    row = person.asked()
    assert isinstance(person.allow(row), Row)
    assert asking.end()["session_id"] == row.request.session
    assert (client.workspace / "made.txt").exists()


def test_what_is_denied_does_not_and_the_model_reads_why(client, api, home, person, server):
    """A denied call does not run, and the message of the denial reaches the model."""
    asking = Asking(client, home)
    person.deny(person.asked(), "Ask the harbour master first.")
    assert asking.end()["permission_denials"] != []
    assert "Ask the harbour master first." in "".join(api.prompts())
    assert not (client.workspace / "made.txt").exists()


def test_with_chorus_off_it_is_a_no_that_says_what_to_do(client, api, home):
    """Without a server nothing runs, and the message says what to do."""
    assert Asking(client, home).end()["permission_denials"] != []
    assert UNREACHABLE in "".join(api.prompts())
    assert not (client.workspace / "made.txt").exists()
