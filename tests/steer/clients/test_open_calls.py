"""Tests of the calls without a result in the files of a session."""

from chorus.steer.clients.open_calls import OpenCalls
from chorus.testing.builders import Session, blocks

ID = "4b1e2c3d-0000-4000-8000-000000000003"


def write(folder, data, name=f"{ID}.jsonl", place="-w"):
    path = folder / "projects" / place / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def asking(*ids):
    session = Session(ID)
    session.user("go")
    for each in ids:
        session.assistant(blocks.tool_use("Bash", {"command": each}, id=each))
    return session


def test_calls_are_open_until_their_result(tmp_path):
    """A call is listed with its exact input while the file has no result of it; growth is read from where it began."""
    session = asking("a", "b")
    write(tmp_path, bytes(session))
    calls = OpenCalls([tmp_path], ID)
    assert [(each.id, each.tool, each.input) for each in calls.look() or ()] == [
        ("a", "Bash", '{"command":"a"}'),
        ("b", "Bash", '{"command":"b"}'),
    ]
    session.tool_result("a", "done")
    write(tmp_path, bytes(session))
    assert [each.id for each in calls.look() or ()] == ["b"]
    write(tmp_path, bytes(asking("c")))
    assert [each.id for each in calls.look() or ()] == ["c"]


def test_calls_of_sub_agents_count(tmp_path):
    """An open call in the file of a sub-agent is listed with its agent."""
    write(tmp_path, bytes(asking("a")))
    write(tmp_path, bytes(asking("s")), "agent-x1.jsonl", f"-w/{ID}/subagents")
    assert [(each.id, each.agent) for each in OpenCalls([tmp_path], ID).look() or ()] == [("a", None), ("s", "x1")]


def test_nothing_is_said_about_files_that_cannot_be_judged(tmp_path):
    """No file, two files, an incomplete or damaged line: the answer is None, and not an empty list."""
    assert OpenCalls([tmp_path], ID).look() is None
    assert OpenCalls([tmp_path], "../x").look() is None
    write(tmp_path, bytes(asking("a"))[:-1])
    assert OpenCalls([tmp_path], ID).look() is None
    write(tmp_path, bytes(asking("a")) + b'{"type":"user","message":{"content":[{"tool_use_id":1}]}}\n')
    assert OpenCalls([tmp_path], ID).look() is None
    write(tmp_path, bytes(asking("a")))
    write(tmp_path, bytes(asking("a")), place="-other")
    assert OpenCalls([tmp_path], ID).look() is None


def test_links_are_not_followed(tmp_path):
    """A link to a file outside of the client's folder is not read."""
    outside = tmp_path / "outside.jsonl"
    outside.write_bytes(bytes(asking("a")))
    link = tmp_path / "claude" / "projects" / "-w" / f"{ID}.jsonl"
    link.parent.mkdir(parents=True)
    link.symlink_to(outside)
    assert OpenCalls([tmp_path / "claude"], ID).look() is None
