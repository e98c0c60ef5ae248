"""Tests that the session file shows whether a call has a result."""

import json
import os

from chorus.steer.clients.calls import AskedCall

SESSION = "34507028-425a-43ce-bee6-9ef6f0ed14ce"
INPUT = '{"command":  "touch a.txt"}'


def write(folder, *lines, agent=None):
    below = f"{SESSION}/subagents/agent-{agent}.jsonl" if agent else f"{SESSION}.jsonl"
    path = folder / "projects" / "-work" / below
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        for line in lines:
            file.write(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n")
    return path


def use(number, command="touch a.txt", name="Bash"):
    block = {"type": "tool_use", "id": number, "name": name, "input": {"command": command}}
    return {"type": "assistant", "message": {"content": [block]}}


def result(number):
    return {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": number}]}}


def call(folder, agent=None):
    return AskedCall([folder / "missing", folder], session=SESSION, agent=agent, tool="Bash", input_text=INPUT)


def test_it_is_done_when_its_result_is_there(tmp_path):
    """A call is done when its own result is in the file; an earlier call of the same kind does not count."""
    asked = call(tmp_path)
    assert not asked.look()
    write(tmp_path, use("1"), result("1"))
    assert asked.look()

    again = call(tmp_path)
    assert not again.look()
    write(tmp_path, use("2"), use("3", "touch b.txt"), use("4", name="Read"), result("3"), result("4"))
    assert not again.look()
    write(tmp_path, result("2"))
    assert again.look()


def test_a_half_line_is_waited_for(tmp_path):
    """A line that is still being written is read when it is complete."""
    asked = call(tmp_path)
    write(tmp_path, use("1"))
    assert not asked.look()
    line = json.dumps(result("1")).encode() + b"\n"
    write(tmp_path, line[:20])
    assert not asked.look()
    write(tmp_path, line[20:])
    assert asked.look()


def test_a_sub_agent_has_a_file_of_its_own(tmp_path):
    """The same call in another thread is another call."""
    asked = call(tmp_path, agent="a1b2c3")
    write(tmp_path, use("1"), result("1"))
    assert not asked.look()
    write(tmp_path, use("2"), agent="a1b2c3")
    write(tmp_path, result("2"), agent="a1b2c3")
    assert asked.look()
    assert not call(tmp_path, agent="../../x").look()


def test_hostile_files_raise_nothing(tmp_path):
    """Garbage, a truncated file or a pipe in place of the file gives no result and raises no error."""
    asked = call(tmp_path)
    path = write(tmp_path, b'{"tool_use\n', b"\xff\x00\n", b'{"message": {"content": [1, {"type": "tool_result"}]}}\n')
    assert not asked.look()
    path.write_bytes(b"")
    assert not asked.look()
    path.unlink()
    os.mkfifo(path)
    assert not asked.look()
    assert not AskedCall([tmp_path], session=SESSION, agent=None, tool="Bash", input_text="not json").look()
