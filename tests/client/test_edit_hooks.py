"""Tests of the snapshots that installed hooks take around the edits of a client that a person started."""

import pytest

from chorus.base import config
from chorus.keep.snapshots.commits import Feed
from chorus.keep.snapshots.edits import edits_of
from chorus.keep.snapshots.repository import SnapshotRepository
from chorus.steer.hooks.home import Home
from chorus.steer.workspaces.registry import add_workspace
from tests.cli.commands import run
from tests.show.server.serving import until
from tests.support.scripted_api import ScriptedApi

ALLOWED = ("--allowedTools", "Write,Edit,Read,Bash")


def call(name, tool, **given):
    return [{"type": "tool_use", "id": name, "name": tool, "input": given}]


ANSWERS = (
    call("toolu_r", "Read", file_path="old.txt"),
    call("toolu_e", "Edit", file_path="old.txt", old_string="before", new_string="after"),
    call("toolu_b", "Bash", command="echo shell > shell.txt", description="write"),
    [{"type": "text", "text": "Done."}],
)


@pytest.fixture
def api():
    with ScriptedApi(*ANSWERS) as api:
        yield api


@pytest.fixture
def home(tmp_path, client):
    """Installed hooks that report edits, in a workspace that the person named."""
    assert run("hooks", "install", "--git", "--yes").exit_code == 0
    with config.edit(tmp_path / "chorus") as settings:
        add_workspace(settings, client.workspace)
    (client.workspace / "old.txt").write_bytes(b"before\r\n")
    return Home(tmp_path / "chorus")


def edits(home):
    (workspace,) = config.load(home.root).workspaces
    store = SnapshotRepository(home.root, workspace.id)
    found = {edit.path: edit for edit in edits_of(store, None)} if store.exists else {}
    contents = {
        path: tuple(store.reader.read(each.id, "blob") if each else None for each in (edit.old, edit.new))
        for path, edit in found.items()
    }
    store.reader.close()
    return found, contents


def test_a_client_in_a_terminal_has_snapshots_before_and_after(client, home, server):
    """The hooks store an edit and a shell command of `claude -p` with the bytes before and after."""
    client.run("-p", "Change the files.", *ALLOWED)
    until(lambda: len(edits(home)[0]) == 2)
    found, contents = edits(home)

    assert contents == {b"old.txt": (b"before\r\n", b"after\r\n"), b"shell.txt": (None, b"shell\n")}
    assert found[b"old.txt"].commit.facts.call == "toolu_e"
    assert {edit.commit.facts.feed for edit in found.values()} == {Feed.HOOK}


def test_without_a_server_the_hooks_change_nothing(client, home):
    """Without a server every edit runs as if there were no hook, and none is blocked."""
    result = client.run("-p", "Change the files.", *ALLOWED)

    assert not result["is_error"]
    assert (client.workspace / "old.txt").read_bytes() == b"after\r\n"
    assert edits(home)[0] == {}


def test_the_status_says_whether_edits_are_reported(home):
    """`hooks status` says that the hooks for snapshots are installed."""
    assert '"reports_edits": true' in run("hooks", "status", "--json").stdout
