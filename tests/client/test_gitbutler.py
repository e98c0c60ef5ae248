"""Tests that GitButler gets the edits of the real client."""

import subprocess
import uuid

import pytest

from chorus.base import config
from chorus.base.config import Workspace
from chorus.core.protocol.launch import Launch
from chorus.steer.edits.gitbutler_state import StateFile
from chorus.steer.runs.attached import Attached
from tests.client.test_run import calls, desk, says, told
from tests.support.gitbutler import ButlerRepository
from tests.support.running import WORKSPACE, events_until, is_ended

__all__ = ["desk"]

ALLOWED = ("Edit", "Write", "Read")


@pytest.mark.parametrize("version", ["0.19.13", "0.22.0"])
def test_a_run_reaches_gitbutler(desk, tmp_path, monkeypatch, version):
    """A strict `but` accepts the client's reports in both versions, and one conversation is one stack or branch."""
    (tmp_path / "other").mkdir()
    butler = ButlerRepository(tmp_path / "other", monkeypatch)
    butler.install(version)
    person = desk(
        calls(("toolu_w", "Write", {"file_path": "new.txt", "content": "one\n"})),
        calls(("toolu_r", "Read", {"file_path": "old.txt"})),
        calls(("toolu_e", "Edit", {"file_path": "old.txt", "old_string": "before", "new_string": "after"})),
        says("Done."),
    )
    work = person.place.work
    (work / "old.txt").write_text("before\n")
    subprocess.run(["git", "init", "--quiet"], cwd=work, check=True)
    (work / ".git" / "gitbutler").mkdir()
    butler.folder = work
    with config.edit(person.place.home) as settings:
        settings.workspaces.append(Workspace(id=WORKSPACE, path=str(work), is_named=True))
    with (
        person.running(is_once=True, launch=Launch(session=str(uuid.uuid4()), allowed_tools=ALLOWED)) as folder,
        Attached(folder) as attached,
    ):
        told(attached, "Change the files.")
        events_until(attached, is_ended)
    session = folder.read().session

    assert StateFile(person.place.home, WORKSPACE).read().problem == ""
    if version.startswith("0.19"):
        assert butler.state()["stacks"] == {session: {"assigned": [], "commits": [["new.txt", "old.txt"]]}}
        assert butler.state()["locks"] == {}
    else:
        commits = [{"message": "Change the files.", "files": ["new.txt", "old.txt"]}]
        assert butler.state()["branches"] == {f"chorus-{session[:13]}": commits}
