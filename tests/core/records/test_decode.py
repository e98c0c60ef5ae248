"""Tests of decoding: every JSON object gets a typed value, and anything else is refused with a reason."""

import json
from typing import Any

import msgspec
import pytest

from chorus.core.records.decode import Refused, decode, decode_with_replacements
from chorus.core.records.model import flat, session, stream, system, turns
from chorus.core.records.model.base import Other, is_present
from chorus.testing.reading import records, unread

DIGITS = b"9" * 5000


def value(text) -> Any:
    (record,) = records(text)
    return record.value


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (b'{"type":"user"}', turns.User),
        (b'{"type":"assistant"}', turns.Assistant),
        (b'{"type":"result"}', turns.Result),
        (b'{"type":"system"}', system.System),
        (b'{"type":"stream_event"}', stream.StreamEvent),
        (b'{"type":"queue-operation"}', session.QueueOperation),
        (b'{"type":"tool_use"}', flat.ToolUse),
        (b'{"type":"hologram"}', Other),
        (b'{"type":null}', Other),
        (b'{"type":7}', Other),
        (b"{}", Other),
    ],
)
def test_the_type_decides_the_struct(text, kind):
    """A known type has its own struct; a record with an unknown type or without a type is `Other`."""
    assert type(decode(text)) is kind


@pytest.mark.parametrize(
    "text",
    [b"", b"1", b"[]", b'"a"', b"null", b"{", b'{"a":1}x', b'{"a":tru}', b'{"a":01}', rb'{"a":"\q"}', b'{"a":NaN}'],
)
def test_what_is_no_object_is_refused(text):
    """Anything except one JSON object is refused with a reason."""
    for attempt in (decode, decode_with_replacements):
        with pytest.raises(Refused) as refusal:
            attempt(text)
        assert str(refusal.value)


def test_a_reason_reads_well():
    """A reason is a phrase in which names such as JSON keep their spelling."""
    with pytest.raises(Refused) as refusal:
        decode(b'{"a":tru}')

    assert "jSON" not in str(refusal.value)


@pytest.mark.parametrize("bad", [b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\xe2\x82"])
@pytest.mark.parametrize("field", [b'"uuid"', b'"zzz"', b'"toolUseResult"'])
@pytest.mark.parametrize("kind", [b"user", b"hologram"])
def test_bytes_that_are_not_utf8_are_refused(bad, field, kind):
    """Bytes that are not UTF-8 are refused in known, unknown and raw fields, and the reason says so."""
    with pytest.raises(Refused, match="not UTF-8"):
        decode(b'{"type":"%s",%s:"%s"}' % (kind, field, bad))


@pytest.mark.parametrize(
    ("text", "field", "kept"),
    [
        (b'{"type":"user","uuid":7,"sessionId":"s"}', "sessionId", "s"),
        (b'{"type":"assistant","message":"hi","uuid":"u"}', "uuid", "u"),
        (b'{"type":"result","num_turns":"three","result":"ok"}', "result", "ok"),
        (b'{"type":"system","subtype":["init"],"cwd":"/w"}', "cwd", "/w"),
        (b'{"type":"system","subtype":"init","tools":[1,"Read",{}]}', "tools", ["Read"]),
        (b'{"type":"hologram","uuid":7,"sessionId":"s"}', "sessionId", "s"),
        (b'{"type":"mode","isSidechain":"yes","mode":"plan"}', "mode", "plan"),
    ],
)
def test_a_field_of_another_shape_costs_only_itself(text, field, kept):
    """A known field with an unexpected type of value stays empty, and the other fields are read."""
    assert getattr(decode(text), field) == kept


def test_a_block_of_another_shape_costs_only_itself():
    """In a message with one malformed block, the other blocks are read."""
    read = value(b'{"type":"user","message":{"content":[{"type":"text","text":"a"},7,{"type":"text","text":[]}]}}')

    assert [(block.type, block.text) for block in read.message.content] == [("text", "a"), ("text", None)]


def test_unknown_fields_and_blocks_are_kept_in_the_bytes():
    """Unknown fields stay in the JSON of the record, and an unknown block keeps its type and its position."""
    content = b'[{"type":"hologram","rays":3},{"type":"text","text":"a"}]'
    text = b'{"type":"user","new":{"a":[1]},"message":{"content":%s}}' % content
    (record,) = records(text)

    assert json.loads(record.json)["new"] == {"a": [1]}
    assert [block.type for block in value(text).message.content] == ["hologram", "text"]


@pytest.mark.parametrize(
    "text",
    [
        b'{"type":"system","subtype":"new","a":1}',
        b'{"type":"hologram","subtype":"new","a":1}',
        b'{"a":1,"subtype":"new"}',
    ],
)
def test_unknown_types_and_subtypes_are_records(text):
    """A record with an unknown type or subtype is a normal record."""
    (record,) = records(text)

    assert (record.raw, record.subtype) == (text, "new")
    assert record.type == json.loads(text).get("type", "")


def test_of_a_repeated_key_the_last_counts():
    """Of duplicate keys the last one counts, as in other JSON readers."""
    read = value(b'{"type":"user","uuid":"a","uuid":"b","message":{"content":"x"},"message":{"content":"y"}}')

    assert (read.uuid, read.message.content) == ("b", "y")
    assert type(value(b'{"type":"user","type":"assistant"}')) is turns.Assistant


NUMBERS = [DIGITS, b"-" + DIGITS, DIGITS + b".5", b"1e999", b"-1e999", b"1e-999", b"1" * 400]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("kind", ["result", "hologram"])
@pytest.mark.parametrize("field", ["num_turns", "total_cost_usd", "zzz"])
def test_numbers_of_any_size_are_read(number, kind, field):
    """A number that is too large for the machine does not affect the other fields, in known and unknown fields."""
    text = b'{"type":"%s","%s":%s,"uuid":"u"}' % (kind.encode(), field.encode(), number)
    (record,) = records(text + b"\n")

    assert (record.raw, record.type, record.value.uuid) == (text, kind, "u")


def test_a_huge_number_beside_half_a_character_is_read():
    """A record with both a huge number and a lone surrogate is read, although the fast decoder supports neither."""
    lines = [rb'{"type":"result","zzz":%s,"uuid":"\ud800","result":"ok"}' % number for number in NUMBERS]

    assert [value(line).result for line in lines] == ["ok"] * len(lines)


def test_nan_is_not_json():
    """Lines with NaN or Infinity are unread with a reason, because they are not JSON, and the next record is read."""
    data = b'{"type":"user","x":NaN}\n{"type":"user","x":-Infinity}\n{"type":"user","uuid":"u"}\n'

    assert [piece.raw for piece in unread(data)] == data.splitlines()[:2]
    assert [record.value.uuid for record in records(data)] == ["u"]
    assert all(piece.reason for piece in unread(data))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (rb'{"type":"user","message":{"content":"a\ud800b"}}', "a�b"),
        (rb'{"type":"user","message":{"content":"\udc00\ud800"}}', "��"),
        (rb'{"type":"user","message":{"content":"\ud83d\ude42"}}', "🙂"),
    ],
)
def test_a_lone_surrogate_is_shown_as_a_replacement(text, shown):
    """E4: a lone surrogate becomes U+FFFD in the value, and the bytes stay unchanged."""
    assert value(text).message.content == shown
    assert records(text)[0].raw == text


def test_a_lone_surrogate_in_a_type_or_key_is_no_harm():
    """A record with a lone surrogate in any position is read, and its type can be encoded."""
    for text in (rb'{"type":"a\ud800"}', rb'{"\ud800":1,"type":"user"}', rb'{"type":"user","zzz":"\udfff"}'):
        (record,) = records(text)
        assert record.type.encode()


@pytest.mark.parametrize("depth", [1, 100, 500])
def test_deep_nesting_is_kept(depth):
    """Nesting deeper than any client writes is read, in raw and in unknown fields."""
    for field in (b"toolUseResult", b"zzz"):
        text = b'{"type":"user","%s":%s1%s}' % (field, b'{"a":' * depth, b"}" * depth)
        (record,) = records(text)
        assert record.json == text


def test_raw_fields_are_the_bytes_themselves():
    """The bodies of tools keep the exact bytes of the source: spelling, order and spaces."""
    read = value(b'{"type":"user","toolUseResult": {"b": 1.0, "a": "\\u0041"} }')

    assert bytes(read.toolUseResult) == b'{"b": 1.0, "a": "\\u0041"}'
    assert is_present(read.toolUseResult)
    assert not is_present(read.tool_use_result)
    assert not is_present(msgspec.Raw(b"null"))
