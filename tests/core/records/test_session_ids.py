"""Tests of session ids and of streams that are named after one."""

import pytest

from chorus.core.records.session_ids import base_of, id_in, is_session_id

ID = "5e551011-0000-4000-8000-000000000001"


@pytest.mark.parametrize(
    "name", ["", "session", ID[:-1], f"{ID}0", ID.upper(), f"{ID}\n", ID.replace("-", ""), "é" * 36]
)
def test_anything_else_is_no_session_id(name):
    """A session id has only the form that the client writes: lower case, with dashes, and nothing around it."""
    assert is_session_id(ID)
    assert not is_session_id(name)


@pytest.mark.parametrize("stream", [ID, f"{ID}.jsonl", f"/home/dev/{ID}.jsonl", f"C:\\dev\\{ID}.jsonl", f"x/{ID}"])
def test_a_file_is_named_by_its_session(stream):
    """The name of a session file does not include its folders, of any system, or its extension."""
    assert base_of(stream) == id_in(stream) == ID


def test_other_files_name_no_session():
    """A log has a name but no session id."""
    assert base_of("/var/log/run.jsonl") == "run" and id_in("/var/log/run.jsonl") is None
    assert id_in(f"{ID}/agent-a1.jsonl") is None
