"""Tests of the scanner, which finds the end of one JSON value in one pass and can stop at any byte."""

import json

import pytest

from chorus.core.records.scan import MAX_DEPTH, Scanner, Verdict, nests_deeper
from chorus.testing.builders import Session, encode, thinking, tool_use
from chorus.testing.work import steps

VALUES = [
    b"{}",
    b"[]",
    b'""',
    b'"a"',
    b'{"a":1}',
    b'{"a":"b","c":[1,2.5e-3,true,false,null,"x"],"d":{"e":{}}}',
    b' \t\r\n{ "a" : [ { } , [ ] ] , "b" : "c" }',
    rb'{"a":"\"\\\/\u0041 {[,:]}"}',
    '{"ключ":"漢字 🙂 \u2028 \x85 \x7f"}'.encode(),
    rb'{"a":"\ud800","b":"\\"}',
    b"[" * MAX_DEPTH + b"]" * MAX_DEPTH,
    json.dumps({"a": {"b": [{"c": "d"}]}}, indent=2).encode(),
    encode(Session().assistant(thinking("Hm."))[0]).rstrip(),
    encode(Session().assistant(tool_use("Edit", {"old_string": 'a"b\\', "new_string": "\n"}))[0]).rstrip(),
]


@pytest.mark.parametrize("value", VALUES)
def test_a_value_ends_where_it_ends(value):
    """A value ends right after its last byte, and the scanner does not read what follows."""
    for rest in (b"", b" ", b"x", b"}", b'"', value):
        scanner = Scanner()
        verdict = scanner.feed(value + rest)

        assert (verdict, scanner.position) == (Verdict.COMPLETE, len(value))


@pytest.mark.parametrize("value", VALUES)
def test_a_value_may_be_cut_anywhere(value):
    """A value that is cut at any byte is open after the first part and complete at the end of the second part."""
    for cut in range(len(value)):
        scanner = Scanner()

        assert scanner.feed(value[:cut]) is Verdict.OPEN
        assert scanner.position == cut
        assert scanner.feed(value[cut:]) is Verdict.COMPLETE
        assert scanner.position == len(value) - cut


@pytest.mark.parametrize("value", VALUES)
def test_a_value_may_come_byte_by_byte(value):
    """A value may arrive one byte at a time."""
    scanner = Scanner()
    verdicts = [scanner.feed(value[n : n + 1]) for n in range(len(value))]

    assert verdicts == [Verdict.OPEN] * (len(value) - 1) + [Verdict.COMPLETE]


def test_scanning_may_start_inside_a_piece():
    """With a start position, the bytes before it are not read."""
    scanner = Scanner()

    assert scanner.feed(b']]{"a":1}{', 2) is Verdict.COMPLETE
    assert scanner.position == 9


@pytest.mark.parametrize(
    ("text", "at", "reason"),
    [
        (b"{a", 1, "a key was expected"),
        (b"{,", 1, "a key was expected"),
        (b'{"a":1,}', 7, "a key was expected"),
        (b"{1:2}", 1, "a key was expected"),
        (b'{"a" "b"}', 5, "a colon was expected"),
        (b'{"a"}', 4, "a colon was expected"),
        (b'{"a":}', 5, "a value was expected"),
        (b'{"a":NaN}', 5, "a value was expected"),
        (b"[1,,2]", 3, "a value was expected"),
        (b"x", 0, "a value was expected"),
        (b"}", 0, "a value was expected"),
        (b"]", 0, "a value was expected"),
        (b'{"a":1]', 6, "a comma or a closing bracket was expected"),
        (b"[1}", 2, "a comma or a closing bracket was expected"),
        (b'{"a":1 "b":2}', 7, "a comma or a closing bracket was expected"),
        (b'{"a":"b"{', 8, "a comma or a closing bracket was expected"),
        (b'{"a":"\x00"}', 6, "control character inside a string"),
        (b'{"a":"\n"}', 6, "control character inside a string"),
        (b"[" * (MAX_DEPTH + 1), MAX_DEPTH, f"nested deeper than {MAX_DEPTH}"),
        (b'{"a":' * (MAX_DEPTH + 1), 5 * MAX_DEPTH, f"nested deeper than {MAX_DEPTH}"),
    ],
)
def test_what_can_never_complete_is_broken(text, at, reason):
    """The scanner names the first byte that no JSON value can have there, and the reason, for any cut of the input."""
    for cut in range(at + 1):
        scanner = Scanner()
        assert scanner.feed(text[:cut]) is Verdict.OPEN

        assert scanner.feed(text[cut:]) is Verdict.BROKEN
        assert (scanner.position, scanner.reason) == (at - cut, reason)


def test_it_is_known_how_deep_json_nests():
    """The nesting depth of JSON is exact, and brackets inside strings do not count."""
    for nested in (b"[" * 40 + b"]" * 40, b'{"a":' * 40 + b"1" + b"}" * 40, b'{"a":[' * 20 + b"1" + b"]}" * 20):
        assert nests_deeper(nested, 39) and not nests_deeper(nested, 40)
    assert not nests_deeper(b'["' + b"[{" * 400 + b'"' + b",[]" * 400 + b"]", 2)


def test_a_number_at_the_end_is_open():
    """A number at the end of a part is open, because it may continue in the next part."""
    scanner = Scanner()

    assert scanner.feed(b"12") is Verdict.OPEN
    assert scanner.feed(b"34") is Verdict.OPEN
    assert scanner.feed(b" ") is Verdict.COMPLETE
    assert scanner.position == 0


@pytest.mark.parametrize(
    "piece",
    [b'{"a":[1,{"b":"c"}],', b'"\\\\\\"","', b"[[]],", b'"a" : "b" ,', b"{},", b'{"a":"' + b"x" * 50 + b'"},', b"1,"],
)
@pytest.mark.parametrize("size", [0, 1, 7])
def test_the_work_is_linear(piece, size):
    """Four times the input takes at most about four times the steps, in one piece or in many."""

    def scan(times):
        text = b"[" + piece * times
        scanner = Scanner()
        if not size:
            scanner.feed(text)
        else:
            for start in range(0, len(text), size):
                if scanner.feed(text[start : start + size]) is not Verdict.OPEN:
                    break

    once = steps(lambda: scan(100))
    assert steps(lambda: scan(400)) <= 4.5 * once + 50
