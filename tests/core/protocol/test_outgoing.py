"""Tests the lines that Chorus writes to a client."""

import json

from hypothesis import given
from hypothesis import strategies as st

from chorus.core.protocol import outgoing
from chorus.core.protocol.frames import Response
from chorus.core.protocol.incoming import parse_line


@given(st.text(), st.booleans())
def test_a_message_is_one_line_whatever_it_holds(text, is_later):
    """A message is one line, whatever characters it contains."""
    line = outgoing.user(text, uuid="u1", is_later=is_later)

    assert line.endswith(b"\n") and line.count(b"\n") == 1
    assert json.loads(line)["message"]["content"] == text.encode("utf-8", "replace").decode()


def test_pictures_come_before_the_words():
    """The images of a message come before its text."""
    line = json.loads(outgoing.user("look", uuid="u1", images=[outgoing.Image(media_type="image/png", data="AAAA")]))

    assert [block["type"] for block in line["message"]["content"]] == ["image", "text"]


def test_an_edited_input_is_spliced_in_as_it_was_written():
    """An edited input is inserted without parsing, so that its numbers, order and escapes stay."""
    line = outgoing.allow("R", input_text='{"b": 1.0,\n "a":"\\u00e9"}', suggestions=['{"type":"x", "n":1e2}'])

    assert line is not None
    assert b'"updatedInput":{"b": 1.0,  "a":"\\u00e9"}' in line
    assert b'"updatedPermissions":[{"type":"x", "n":1e2}]' in line
    assert line.count(b"\n") == 1


def test_what_is_no_object_is_never_allowed():
    """An input or a suggestion that is no JSON object is never sent with an approval."""
    for text in ("", "1", "[]", "{", '{"a":1} {"b":2}', "null", "{'a':1}"):
        assert outgoing.allow("R", input_text=text) is None
        assert outgoing.allow("R", input_text=None, suggestions=[text]) is None


def test_denials_and_failures_read_back_as_what_they_are():
    """A denial and an error can be read back with their messages."""
    denied = parse_line(outgoing.deny("R", "no\nway"))
    failed = parse_line(outgoing.fail("R", "nobody home"))

    assert isinstance(denied, Response) and json.loads(denied.body) == {"behavior": "deny", "message": "no\nway"}
    assert isinstance(failed, Response) and failed.error == "nobody home"
