"""Tests that a fork continues after a whole message, whichever of its lines is named."""

import json

from hypothesis import given
from hypothesis import strategies as st

from chorus.steer.workspaces.fork_point import cut, read_line
from chorus.testing.builders import Session, tool_use


def lines_of(session):
    return [line for each in session.lines if (line := read_line(json.dumps(each).encode())) is not None]


@given(st.permutations(["a", "b", "c"]), st.integers(0, 3), st.data())
def test_any_line_of_a_message_leads_behind_all_of_it(order, missing, data):
    """Any line of a message leads to the end of its blocks and results in any order; open calls are not waited for."""
    session = Session()
    asked = session.user("go")
    spoken = session.assistant("Three at once.", *(tool_use("Bash", {}, id=each) for each in "abc"))
    results = [session.tool_result(each, "done") for each in order[missing:]]
    after = session.assistant("All done.")
    lines = lines_of(session)
    end = (results or spoken)[-1]["uuid"]
    for line in (*spoken, *results):
        assert cut(lines, line["uuid"]) == end
    assert cut(lines, asked["uuid"]) == asked["uuid"] and cut(lines, after[0]["uuid"]) == after[0]["uuid"]
    assert cut(lines, "no such line") is None


def test_what_is_no_line_of_a_session_is_passed_over():
    assert [read_line(each) for each in (b"", b"[]", b'{"uuid": 7}', b'{"type":"user"}', b"\xff")] == [None] * 5
