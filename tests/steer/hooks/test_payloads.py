"""Tests of the bytes that hooks send and receive."""

import json

from hypothesis import given
from hypothesis import strategies as st

from chorus.steer.hooks.payloads import output_of, read_event, read_head, read_permission_payload
from tests.steer.hooks.calling import RULE, SESSION, payload


def test_the_texts_are_those_that_came():
    """The input and the suggestions are taken from the payload unchanged."""
    asked = read_permission_payload(payload("echo 'ü'  \\u0041"))
    assert asked is not None
    assert '"command":  "echo' in asked.input and asked.input.encode() in payload("echo 'ü'  \\u0041")
    assert asked.suggestions == [RULE]
    assert (asked.session, asked.agent, asked.tool) == (SESSION, None, "Bash")


def test_texts_go_back_as_they_are():
    """An edited input and a rule are returned byte for byte, and a message is exactly the text of the person."""
    out = output_of("allow", input_text='{"a":  1}', suggestions=(RULE, '{"b": 2}'))
    assert b'"updatedInput":{"a":  1}' in out and RULE.encode() in out
    decision = json.loads(out)["hookSpecificOutput"]["decision"]
    assert decision["updatedPermissions"] == [json.loads(RULE), {"b": 2}]
    denied = json.loads(output_of("deny", message='"}]\n'))["hookSpecificOutput"]["decision"]
    assert denied == {"behavior": "deny", "message": '"}]\n'}


def test_no_session_no_event():
    """A payload with a malformed session id or without an event name gives no event."""
    assert read_event(payload()) is not None
    assert read_event(payload(session="../../x")) is None
    assert read_event(payload(event="")) is None


@given(st.binary(max_size=200))
def test_no_bytes_raise(data):
    """Random bytes give no payload and raise no error."""
    assert read_head(data) is None and read_event(data) is None and read_permission_payload(data) is None


@given(
    st.dictionaries(
        st.sampled_from(["key", "id", "size", "run", "session_id", "tool_name", "tool_input", "cwd", "agent_id"]),
        st.none() | st.integers() | st.text(max_size=40) | st.lists(st.integers(), max_size=2),
    )
)
def test_no_values_raise(told):
    """Fields of any shape raise no error."""
    data = json.dumps(told).encode()
    read_head(data), read_event(data), read_permission_payload(data)


def test_halves_of_characters_raise_nothing():
    """Half a character, which JSON can express and UTF-8 cannot, is kept unchanged or refused as a whole."""
    broken = payload().replace(b"touch a.txt", b"touch \\ud800")
    asked = read_permission_payload(broken)
    assert asked is None or "\\ud800" in asked.input
