"""Tests of a session file as a recording."""

from chorus.lab.fake_claude.derived import from_session_file, is_session_file
from chorus.lab.fake_claude.lines import read_all
from chorus.testing.builders import Run, Session, tool_use


def session():
    session = Session()
    session.user("Look at it")
    session.assistant(tool_use("Read", {"file_path": "/w/a.py"}, id="toolu_1"))
    session.tool_result("toolu_1", "import os", structured={"type": "text"})
    session.assistant("Looked.", stop="end_turn")
    session.user("And now?")
    session.assistant("Done.", stop="end_turn")
    return session


def test_turns_are_written_as_a_client_writes_them():
    """Each prompt gives an init, the messages and results of the file, and a turn result with the last text."""
    lines = read_all(bytes(session()))

    recording = from_session_file("run", lines)

    kinds = [(line.kind, line.subtype) for line in recording.lines]
    turn = [("assistant", ""), ("result", "success")]
    assert kinds == [("system", "init"), ("assistant", ""), ("user", ""), *turn, ("system", "init"), *turn]
    assert [line.value["result"] for line in recording.lines if line.kind == "result"] == ["Looked.", "Done."]
    assert recording.lines[2].value["tool_use_result"] == {"type": "text"}
    assert {line.value["session_id"] for line in recording.lines} == {session().id}
    assert [line.value["message"]["content"] for line in recording.sent] == ["Look at it", "And now?"]


def test_messages_keep_their_ids():
    """Messages keep the uuids of the file, and no two lines have the same uuid."""
    recording = from_session_file("run", read_all(bytes(session())))

    uuids = [line.value["uuid"] for line in recording.lines]
    assert len(set(uuids)) == len(uuids)
    assert {line["uuid"] for line in session().lines if line["type"] == "assistant"} <= set(uuids)


def test_the_two_kinds_of_files_are_distinguished():
    """A session file and a recorded output are recognised by their different spellings."""
    run = Run()
    run.init()

    assert is_session_file(read_all(bytes(session())))
    assert not is_session_file(read_all(bytes(run)))
    assert not is_session_file(read_all(b"garbage\n\n[]\n"))


def test_local_commands_are_no_turns():
    """A command that the client answered itself is left out, and a command for the model is a prompt."""
    session = Session()
    session.user("One")
    session.assistant("first", stop="end_turn")
    session.user("<command-name>/cost</command-name>")
    session.user("<local-command-stdout>nothing</local-command-stdout>")
    session.user("<command-message>review</command-message>\n<command-name>/review</command-name>")
    session.assistant("second", stop="end_turn")
    found = from_session_file("run", read_all(bytes(session)))

    assert [line.value["result"] for line in found.lines if line.kind == "result"] == ["first", "second"]
    assert len(found.sent) == 2
