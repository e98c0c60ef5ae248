"""Tests that the plan of a session is found where the client stored it."""

import json

import pytest

from chorus.steer.clients.plans import FoundPlan, find_plans, plan_file
from chorus.testing.builders import Session, lay_out, tool_use

SESSION = "34507028-425a-43ce-bee6-9ef6f0ed14ce"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "plans").mkdir()
    return tmp_path


def planned(folder, given, path=None):
    session = Session(SESSION)
    session.user("plan it")
    if path is not None:
        session.attachment("plan_mode", planFilePath=str(path))
    session.assistant(tool_use("ExitPlanMode", given, id="toolu_1"))
    lay_out(folder, session)


def test_what_the_call_says_and_what_the_file_holds(folder):
    """Equal plans of the call and of the file are one plan, that of the file; different ones are both returned."""
    path = folder / "plans" / "brave-otter.md"
    planned(folder, {"plan": "1. Look."}, path)
    assert find_plans([folder], SESSION) == [FoundPlan("1. Look.", "")]
    path.write_text("1. Look.\n")
    assert find_plans([folder], SESSION) == [FoundPlan("1. Look.\n", str(path))]
    path.write_text("1. Leap.\n")
    assert find_plans([folder], SESSION) == [FoundPlan("1. Look.", ""), FoundPlan("1. Leap.\n", str(path))]
    assert find_plans([folder], SESSION, "said") == [FoundPlan("said", ""), FoundPlan("1. Leap.\n", str(path))]


def test_the_file_alone(folder):
    path = folder / "plans" / "brave-otter.md"
    path.write_text("1. Leap.\n")
    planned(folder, {}, path)
    assert find_plans([folder], SESSION) == [FoundPlan("1. Leap.\n", str(path))]


@pytest.mark.parametrize("where", ["../secret.md", "../../secret.md", "/etc/passwd", "link.md", "pipe", "deep\0.md"])
def test_no_other_file_is_shown(folder, where):
    """A path in a record is untrusted: a file outside the client's folder of plans is not opened."""
    (folder / "secret.md").write_text("secret")
    (folder / "plans" / "link.md").symlink_to(folder / "secret.md")
    planned(folder, {}, folder / "plans" / where)
    assert find_plans([folder], SESSION) == []


def test_nothing_raises(folder):
    """A missing file, session or plan and records of any shape raise no error."""
    assert find_plans([folder], SESSION) == find_plans([folder], "../x") == []
    path = folder / "projects" / "-work" / f"{SESSION}.jsonl"
    path.parent.mkdir(parents=True)
    odd = [
        {"attachment": {"planFilePath": 7}},
        {"message": {"content": [{"type": "tool_use", "name": "ExitPlanMode"}]}},
    ]
    path.write_bytes(b"xit\n\xff planFilePath\n" + b"".join(json.dumps(each).encode() + b"\n" for each in odd))
    assert find_plans([folder], SESSION) == []
    assert plan_file(folder, str(folder / "plans" / "missing.md")) is None
