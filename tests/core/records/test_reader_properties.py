"""Property tests of the reader: it never raises, keeps every byte, and has limited memory and work."""

import json
import random
import subprocess
import sys
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chorus.core.records.place import StreamId
from chorus.core.records.record import Record, Unread
from chorus.core.records.split import Splitter
from chorus.testing.builders import Flat, Run, Session, encode, image, text, thinking, tool_use, wrap
from chorus.testing.reading import assert_tiles, fingerprint, records, split, split_chunks

STREAMS = 420
LINES_EACH = (25, 60)
SEARCH = {"derandomize": True, "database": None, "deadline": None}


def samples():
    """Returns whole lines of every dialect."""
    talk, run, events = Session(), Run(), Flat()
    talk.user('Rename {it} to "that" — naïve 漢字 🙂 \\ \t end')
    talk.assistant(
        thinking("Hm.  Two  blanks."), "Yes:\n```\n{}\n```", tool_use("Edit", {"old_string": "{", "a": [1.5, None]})
    )
    talk.tool_result(
        "toolu_1", [text("x" * 300), image()], structured={"stdout": "\x1b[1mred\x1b[0m", "n": 12345678901234567890}
    )
    talk.queue("enqueue", "More")
    talk.compact("So far \u2028 so good")
    run.init()
    run.streamed("Y", "es")
    run.ask("toolu_1", "Bash", {"command": "ls"})
    run.result()
    events.start("s")
    events.tool_use("t", "Read", {"file_path": "/a"})
    events.result("s")
    unknown = [{"type": "hologram", "a": {"b": [{}, [], ""]}}, {}, {"type": None}, {"type": "user", "message": 5}]
    lines = [encode(line)[:-1] for line in (*talk.lines, *run.lines, *events.lines, *unknown)]
    return [*lines, json.dumps(talk.lines[0]).encode(), rb'{"type":"user","uuid":"\ud800","n":1e400}']


WHOLE = samples()
NOISE = [
    b"$ run",
    b"",
    b"   ",
    b"warning: {x}",
    b"[",
    b"]",
    b",",
    b"\x1b[0m",
    b"{",
    b"}",
    b'"',
    b"\0\0",
    b"\xff\xfe",
    b"[]",
    b"null",
]


def damage(line, how, chance):
    """Returns a line that is damaged in the way `how`; the same random state gives the same result."""
    at = chance.randrange(len(line) + 1)
    match how:
        case "cut":
            return line[:at]
        case "beheaded":
            return line[at:]
        case "flip":
            return line[:at] + bytes([chance.randrange(256)]) + line[at + 1 :]
        case "swap":
            return line[:at] + chance.choice(b'{}[]":,\\\x1b\0 ').to_bytes() + line[at + 1 :]
        case "splice":
            return line[:at] + chance.choice(WHOLE)
        case "insert":
            return line[:at] + chance.choice(NOISE) + line[at:]
        case "join":
            return line + chance.choice((b"", b" ", b",")) + chance.choice(WHOLE)
        case "wrap":
            return _rows(line, chance.randrange(1, 90))
        case "array":
            return b"[" + line + b"," + chance.choice(WHOLE) + b"]"
        case "colour":
            return b"\x1b[1m" + line[:at] + b"\x1b[0;32m" + line[at:] + b"\x1b[m"
        case "noise":
            return chance.choice(NOISE)
        case "bom":
            return b"\xef\xbb\xbf" + line
        case "pretty":
            return json.dumps(json.loads(line), indent=chance.randrange(3)).encode()
    return line


def _rows(line, columns):
    return b"\n".join(line[start : start + columns] for start in range(0, len(line), columns))


HOWS = [
    "whole",
    "cut",
    "beheaded",
    "flip",
    "swap",
    "splice",
    "insert",
    "join",
    "wrap",
    "array",
    "colour",
    "noise",
    "bom",
    "pretty",
]
PLAN = st.tuples(
    st.lists(st.tuples(st.sampled_from(HOWS), st.integers(0, 999)), min_size=LINES_EACH[0], max_size=LINES_EACH[1]),
    st.sampled_from([b"\n", b"\r\n"]),
    st.integers(0, 99),
)


def stream_of(plan):
    steps, end, last = plan
    lines = []
    for how, seed in steps:
        chance = random.Random(seed)
        lines.append(damage(chance.choice(WHOLE), how, chance))
    return end.join(lines) + (end if last % 2 else b"")


def test_any_stream_is_tiled():
    """For fifteen thousand whole and damaged lines, nothing raises and every byte is kept, for any chunks of input."""
    seen = 0

    @settings(max_examples=max(STREAMS, settings().max_examples), **SEARCH)
    @given(PLAN, st.lists(st.integers(0, 4000), max_size=6))
    def check(plan, cuts):
        nonlocal seen
        data = stream_of(plan)
        pieces = split(data)
        assert_tiles(data, pieces)
        assert all(isinstance(json.loads(piece.json), dict) for piece in pieces if type(piece) is Record)
        assert all(piece.reason for piece in pieces if isinstance(piece, Unread))
        edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
        chunks = [data[start:stop] for start, stop in pairwise(edges)]
        assert fingerprint(split_chunks(chunks)) == fingerprint(pieces)
        seen += len(plan[0])

    check()
    assert seen >= 15_000


TOKENS = st.sampled_from(
    (
        *(bytes([byte]) for byte in b'{}[]":, \n\r\t\x1b\x07\0a1\xff'),
        b"\x1b[0m",
        b"\x1b]0;t\x07",
        b'{"type":"user"}',
        b'"a":',
    )
)


@settings(max_examples=300, **SEARCH)
@given(
    st.binary(max_size=400)
    | st.text(alphabet='{}[]":,\\ \n\r\t\x1b[m01eEtrufalsn', max_size=400).map(str.encode)
    | st.lists(TOKENS, max_size=14).map(b"".join)
)
@example(b"\x1b {\x00")
@example(b"\x1b[0m{]")
def test_any_bytes_are_tiled(data):
    """Random bytes are kept as pieces without an error."""
    pieces = split(data)

    assert_tiles(data, pieces)
    assert fingerprint(split(data, chunk_bytes=3)) == fingerprint(pieces)


TREES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.sampled_from(["type", "uuid", "message", "subtype", "x"]) | st.text(), TREES, max_size=5)


@settings(max_examples=80, **SEARCH)
@given(st.lists(OBJECTS, min_size=1, max_size=8), st.booleans(), st.integers(1, 120))
def test_any_object_survives_lines_and_rows(objects, escaped, columns):
    """Any JSON object is read back: byte for byte from its own line, and equal from rows of any width."""
    lines = [json.dumps(tree, ensure_ascii=escaped).encode("utf-8", "surrogatepass") for tree in objects]
    lines = [text for text in lines if _is_utf8(text)]
    data = b"".join(text + b"\n" for text in lines)

    assert [(record.raw, record.tail) for record in records(data)] == [(text, b"\n") for text in lines]
    rows = wrap(data, columns) if lines else b""
    assert [json.loads(record.json) for record in records(rows)] == [json.loads(text) for text in lines]
    assert_tiles(rows, split(rows))


def _is_utf8(text):
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


MEASURE = """
import resource, sys
from chorus.core.records.split import Splitter
data = {data}
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
splitter, kinds = Splitter("hostile"), set()
for start in range(0, len(data), 1 << 18):
    kinds.update(type(piece).__name__ for piece in splitter.feed(data[start : start + (1 << 18)]))
kinds.update(type(piece).__name__ for piece in splitter.close())
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(len(data), grown * (1 if sys.platform == "darwin" else 1024), *sorted(kinds))
"""


def read_apart(data):
    """Reads the value of an expression in another process; returns its size, memory growth and kinds of pieces."""
    pytest.importorskip("resource", reason="memory of a process is measured where the system tells it")
    call = [sys.executable, "-c", MEASURE.format(data=data)]
    done = subprocess.run(call, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    size, grown, *kinds = done.stdout.split()
    return int(size), int(grown), kinds


HOSTILE = {
    "a million brackets": ("b'[' * 10**6", 4, ["Unread"]),
    "a million objects inside each other": ("b'{\"a\":' * 10**6", 4, ["Unread"]),
    "a million brackets in a field": (
        "b'{\"type\":\"user\",\"a\":' + b'[' * 10**6 + b']' * 10**6 + b'}\\n'",
        4,
        ["Unread"],
    ),
    "a string of 31 MiB": (
        'b\'{"type":"user","message":{"content":"\' + b\'a\' * (31 << 20) + b\'"}}\\n\'',
        4,
        ["Record"],
    ),
    "31 MiB in an unknown field": ('b\'{"type":"user","zzz":"\' + b\'a\' * (31 << 20) + b\'"}\\n\'', 4, ["Record"]),
    "a string of 64 MiB": (
        'b\'{"type":"user","message":{"content":"\' + b\'a\' * (64 << 20) + b\'"}}\\n\'',
        1,
        ["Unread"],
    ),
    "8 MiB in rows of 80": ("b'{\"x\":\"' + (b'a' * 80 + b'\\n') * (1 << 17) + b'\"}\\n'", 12, ["Record"]),
    "two million objects in a tool's result": (
        "b'{\"type\":\"user\",\"toolUseResult\":[' + b'{},' * 2_000_000 + b'{}]}\\n'",
        6,
        ["Unread"],
    ),
    "two million objects in an unknown type": (
        "b'{\"type\":\"zzz\",\"x\":[' + b'{},' * 2_000_000 + b'{}]}\\n'",
        6,
        ["Unread"],
    ),
    "two million blocks": (
        'b\'{"type":"user","message":{"content":[\' + b\'{},\' * 2_000_000 + b\'{}]}}\'',
        6,
        ["Unread"],
    ),
    "two hundred thousand keys": ("b'{' + b','.join(b'\"%d\":0' % n for n in range(200_000)) + b'}'", 6, ["Unread"]),
    "a million tiny lines": ("b'{}\\n' * 10**6", 4, ["Record"]),
    "a million blank rows in an open event": ("b'{\"a\":\"' + b'\\n' * 10**6", 20, ["Unread"]),
    "a million rows of one byte in an open event": ("b'{\"a\":\"' + b'b\\n' * 10**6", 40, ["Unread"]),
}
FREE_BYTES = 24 << 20


@pytest.mark.parametrize(("data", "factor", "kinds"), HOSTILE.values(), ids=HOSTILE)
def test_memory_stays_near_the_size_of_a_line(data, factor, kinds):
    """Hostile input neither raises nor hangs, and uses at most a small multiple of its size as memory."""
    size, grown, found = read_apart(data)

    assert found == kinds
    assert grown <= FREE_BYTES + factor * size


def test_a_line_without_end_is_given_up_in_parts():
    """A line that is longer than the limit for records becomes unread parts, and memory stays limited."""
    _, grown, kinds = read_apart("bytes(1) + b'a' * (140 << 20)")

    assert kinds == ["Unread"]
    assert grown <= 64 << 20


@pytest.mark.parametrize("chunk_bytes", [1, 7, 100, 10_000])
def test_a_line_that_is_too_long_has_the_same_parts_however_it_comes(monkeypatch, chunk_bytes):
    """The parts of a line that is too long cover the line, each has a reason, and the lines around it are records.

    The parts are the same for any chunks of input.
    """
    monkeypatch.setattr("chorus.core.records.split.MAX_RECORD_BYTES", 300)
    monkeypatch.setattr("chorus.core.records.split._PART_BYTES", 100)
    for length in (301, 400, 401, 1_000, 1_234):
        data = b'{"a":1}\n' + b"x" * length + b'\n{"b":2}\n'
        splitter = Splitter(StreamId("s"))
        pieces = [piece for n in range(0, len(data), chunk_bytes) for piece in splitter.feed(data[n : n + chunk_bytes])]
        pieces += splitter.close()
        assert b"".join(piece.raw + piece.tail for piece in pieces) == data
        assert [piece.offset for piece in pieces] == [data.index(b"{"), *range(8, 8 + length, 100), 9 + length]
        assert splitter.lines == 3
        parts = pieces[1:-1]
        assert all(isinstance(part, Unread) and "line longer than" in part.reason for part in parts)


@pytest.mark.long
@pytest.mark.parametrize(
    "data",
    [
        "b'{\"x\":\"' + (b'a' * 80 + b'\\n') * (1 << 20) + b'\"}\\n'",
        'b\'{"type":"zzz","s":"\\\\ud800","x":[\' + b\'{},\' * 2_000_000 + b\'{}]}\'',
        "b'{}' * 3_000_000",
        "b'{\"a\":\\n' * 300_000",
    ],
)
def test_larger_input_does_no_harm_either(data):
    """Larger hostile input, in the long tests, neither raises nor hangs, and its memory stays limited."""
    size, grown, _ = read_apart(data)

    assert grown <= FREE_BYTES + 60 * size
