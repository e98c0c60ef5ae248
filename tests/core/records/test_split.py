"""E1: tests of splitting a stream into pieces that cover it, even after damage by a terminal, a shell or a crash."""

import json

import pytest

from chorus.core.records.decode import decode
from chorus.core.records.place import Place
from chorus.core.records.record import Filling, Record, Unread
from chorus.core.records.scan import Scanner
from chorus.core.records.split import Splitter
from chorus.testing.builders import Session, encode, tool_use, wrap
from chorus.testing.reading import STREAM, assert_tiles, fingerprint, records, split, split_chunks, unread
from chorus.testing.work import returns_of, steps


def line(number, words="some words"):
    return json.dumps({"type": "user", "uuid": f"u{number}", "message": {"role": "user", "content": words}}).encode()


A, B, C = line(1), line(2, 'x {"type":"text"} [y] \\ "z"'), line(3, "ü 漢 🙂")
LINES = [A, B, C]


def uuids(data):
    return [record.value.uuid for record in records(data)]


def outline(data):
    """Returns the kinds and bytes of the pieces, after checking that they cover the data for any chunk size."""
    pieces = split(data)
    assert_tiles(data, pieces)
    for size in (1, 2, 3, 5, 64):
        assert fingerprint(split(data, chunk_bytes=size)) == fingerprint(pieces)
    return [(type(piece), piece.raw) for piece in pieces]


def test_one_record_on_each_line():
    """Each line is one record, with the bytes of the line as raw and the line end as tail."""
    data = b"\n".join(LINES) + b"\n"
    pieces = split(data)

    assert_tiles(data, pieces)
    assert [(piece.raw, piece.tail) for piece in pieces] == [(text, b"\n") for text in LINES]
    assert not any(record.reassembled for record in records(data))
    assert pieces[1].place == Place(STREAM, len(A) + 1, len(B))


def test_offsets_go_on_from_where_a_reader_left_off():
    """A splitter that starts inside a file gives offsets within the file."""
    splitter = Splitter(STREAM, offset=1000)
    pieces = [*splitter.feed(A + b"\n" + B), *splitter.close()]

    assert_tiles(A + b"\n" + B, pieces, offset=1000)


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_line_ends_are_not_content(end, last):
    """Files with LF or CRLF, with or without a line end at the end, give the same records."""
    data = end.join(LINES) + (end if last else b"")

    assert outline(data) == [(Record, text) for text in LINES]


def test_blank_lines_bom_and_nuls_are_filling():
    """Blank lines, BOM and NUL bytes are kept as filling, and no record is lost."""
    data = b"\xef\xbb\xbf" + A + b"\n\n  \t\n" + b"\0" * 4096 + b"\n" + b"\0" * 9 + B + b"\0\0\n\r\n" + C

    assert [raw for kind, raw in outline(data) if kind is Record] == LINES
    assert {kind for kind, _ in outline(data)} == {Record, Filling}


def test_separators_of_unicode_do_not_split():
    """U+2028, U+2029, U+0085, VT and FF inside a string do not end a line."""
    text = json.dumps({"type": "user", "uuid": "u", "x": "a\u2028b\u2029c\x85d"}, ensure_ascii=False).encode()

    assert outline(text + b"\n" + A) == [(Record, text), (Record, A)]


def test_noise_of_a_shell_is_unread_and_nothing_else():
    """Prompts, warnings and log lines of a shell are unread with a reason, and the records around them are read."""
    data = b"$ run -p x\n" + A + b"\nwarning: slow {really}\n[info] hello\n" + B + b"\n[1] 123\n}\n" + C + b"\n$ "

    assert [raw for kind, raw in outline(data) if kind is Record] == LINES
    assert all(piece.reason for piece in unread(data))
    assert [piece.raw for piece in unread(data)] == [
        b"$ run -p x",
        b"warning: slow {really}",
        b"[info] hello",
        b"[1] 123",
        b"}",
        b"$ ",
    ]


def test_ansi_before_after_and_inside_a_record():
    """ANSI escapes are removed from the text of a record, and its raw bytes keep them."""
    coloured = b"\x1b[1m" + A[:20] + b"\x1b[0m\x1b]0;title\x07" + A[20:] + b"\x1b[m"
    data = b"\x1b[?2004l\r" + A + b"\r\n" + coloured + b"\r\n" + B + b"\r\n"
    first, second, third = records(data)

    assert outline(data)
    assert [record.json for record in (first, second, third)] == [A, A, B]
    assert second.reassembled and b"\x1b[0m" in second.raw
    assert not first.reassembled


@pytest.mark.parametrize("columns", [1, 2, 3, 7, 20, 79, 80, 81])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_events_cut_into_rows_are_put_together(columns, end):
    """Records that were wrapped at any width are restored, are marked as reassembled, and keep the captured rows."""
    data = wrap(b"\n".join(LINES) + b"\n", columns, end=end)
    found = records(data)

    assert [record.json for record in found] == LINES
    assert all(record.reassembled for record in found)
    assert b"".join(record.raw + record.tail for record in found) == data
    outline(data)


def test_rows_may_carry_escapes():
    """Rows may begin and end with ANSI escapes, as in a coloured terminal pane."""
    rows = wrap(B + b"\n" + C + b"\n", 30).splitlines()
    data = b"".join(b"\x1b[32m" + row + b"\x1b[0m\r\n" for row in rows)

    outline(data)
    assert [record.json for record in records(data)] == [B, C]


def test_a_row_that_begins_like_an_event_may_go_on_with_one():
    """A continuation row that starts with `{` is part of the open record and not a new one."""
    event = b'{"type":"user","uuid":"u","message":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}'
    cuts = [n for n, byte in enumerate(event) if byte == ord("{") and n]
    rows = b"\n".join(event[start:stop] for start, stop in zip([0, *cuts], [*cuts, None], strict=True))

    assert [record.json for record in records(rows + b"\n" + A)] == [event, A]
    assert not unread(rows + b"\n" + A)
    outline(rows + b"\n" + A)


def test_a_pretty_printed_record_is_one_record():
    """A pretty-printed record is one record, because line breaks between tokens are white space."""
    pretty = json.dumps(json.loads(B), indent=4).encode()

    outline(pretty + b"\n" + A)
    assert [json.loads(record.json) for record in records(pretty + b"\n" + A)] == [json.loads(B), json.loads(A)]


FRAGMENTS = {
    "inside a string": A[:-12],
    "after an escape": b'{"type":"user","uuid":"f","x":"a\\',
    "inside a key": b'{"type":"user","uu',
    "after a key": b'{"type":"user","uuid"',
    "after a colon": b'{"type":"user","message":',
    "after a comma": b'{"type":"user","uuid":"f",',
    "inside a number": b'{"type":"user","n":12',
    "inside a literal": b'{"type":"user","n":tr',
    "in a nested object": b'{"type":"user","message":{"content":{"a":{"b":1',
    "in an array": b'{"type":"user","message":{"content":[{"type":"text","text":"a"},',
    "in an empty array": b'{"type":"user","message":{"content":[',
    "at the brace": b"{",
}


@pytest.mark.parametrize("fragment", FRAGMENTS.values(), ids=FRAGMENTS)
@pytest.mark.parametrize("columns", [None, 80, 11])
def test_a_fragment_is_reported_and_the_next_event_is_not_lost(fragment, columns):
    """An incomplete record is unread, and the records before and after it are read, in one row or in many."""
    after = b"\n".join([B, C, A]) + b"\n"
    data = A + b"\n" + fragment + b"\n" + (wrap(after, columns) if columns else after)

    assert [record.json for record in records(data)] == [A, B, C, A]
    (lost,) = unread(data)
    assert lost.raw == fragment
    assert "never completed" in lost.reason
    outline(data)


@pytest.mark.parametrize("fragment", FRAGMENTS.values(), ids=FRAGMENTS)
def test_a_fragment_at_the_end_is_reported(fragment):
    """If the stream ends inside a record, the incomplete part is unread."""
    for end in (b"", b"\n"):
        data = A + b"\n" + fragment + end
        assert outline(data) == [(Record, A), (Unread, fragment)]


@pytest.mark.parametrize("fragment", FRAGMENTS.values(), ids=FRAGMENTS)
def test_an_event_after_a_last_fragment_is_read(fragment):
    """A record after an incomplete one is read, even if nothing follows that proves the first one broken."""
    data = fragment + b"\n" + A

    assert uuids(data) == ["u1"]
    outline(data)


def test_several_fragments_in_a_row():
    """Each of several incomplete records in a row is reported, and the whole records at the end are read."""
    data = b"".join(fragment + b"\n" for fragment in FRAGMENTS.values()) + A + b"\n" + B

    assert uuids(data)[-2:] == ["u1", "u2"]
    outline(data)


def test_a_fragment_cut_into_rows():
    """The rows of an incomplete record are unread, and the record after it is read."""
    data = wrap(line(9, "lost " * 40)[:-30] + b"\n", 20) + wrap(B + b"\n", 20)

    assert uuids(data) == ["u2"]
    outline(data)


def test_rows_that_each_begin_an_event_and_then_break():
    """Hundreds of nested incomplete records are all given up, and the record after them is read."""
    data = b'{"a":\n' * 510 + b"!\n" + A + b"\n"

    assert uuids(data) == ["u1"]
    assert_tiles(data, split(data))


@pytest.mark.parametrize("between", [b"", b" ", b"\t\t", b"\0"])
def test_records_joined_on_one_line(between):
    """Several records on one line without a newline between them are read as separate records."""
    for texts in ([A, B], [A, B, C], [B, B, B, B]):
        data = between.join(texts) + b"\n"
        assert [raw for kind, raw in outline(data) if kind is Record] == texts


def test_a_record_joined_with_the_beginning_of_a_wrapped_one():
    """A whole record and the first row of a wrapped record on the same line are both read."""
    data = A + wrap(B + b"\n", 25) + C

    assert [record.json for record in records(data)] == [A, B, C]
    outline(data)


@pytest.mark.parametrize("indent", [None, 0, 2])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""])
def test_a_whole_session_as_one_array(indent, bom, end):
    """A session exported as an array, on one line or pretty-printed, gives its records.

    The punctuation of the array is filling.
    """
    whole = json.dumps([json.loads(text) for text in LINES], indent=indent).encode()
    data = bom + whole.replace(b"\n", end or b"\n") + end + (A + b"\n" if end else b"")
    expected = [json.loads(text) for text in ([*LINES, A] if end else LINES)]

    assert [json.loads(record.json) for record in records(data)] == expected
    assert not unread(data)
    outline(data)


def test_a_wrapped_array():
    """An array of records that is wrapped into rows gives its records."""
    data = wrap(b"[" + b", ".join(LINES) + b"]\n", 40)

    assert [json.loads(record.json) for record in records(data)] == [json.loads(text) for text in LINES]
    outline(data)


@pytest.mark.parametrize("fragment", FRAGMENTS.values(), ids=FRAGMENTS)
def test_a_record_spliced_into_a_broken_one(fragment):
    """If a truncated record and a whole one share a line, the truncated part is unread and the whole one is read."""
    data = A + b"\n" + fragment + B + b"\n" + C + b"\n"

    assert outline(data) == [(Record, A), (Unread, fragment), (Record, B), (Record, C)]


def test_a_splice_into_a_long_record():
    """A whole record after a truncated one is found, no matter how many objects the truncated one contains."""
    content = [{"type": "text", "text": f"part {n}"} for n in range(40)]
    broken = encode(Session().user(content))[:-40]
    data = broken + B + b"\n" + C + b"\n"

    assert uuids(data) == ["u2", "u3"]
    assert [piece.raw for piece in unread(data)] == [broken]


def test_text_that_is_not_utf8_is_unread():
    """A line that is not UTF-8 is unread, the reason names the encoding, and the next record is read."""
    bad = b'{"type":"user","uuid":"u","message":{"content":"caf\xe9"}}'

    assert outline(bad + b"\n" + A + b"\n") == [(Unread, bad), (Record, A)]
    assert "UTF-8" in unread(bad)[0].reason


def test_a_large_event_in_a_narrow_pane_is_read_once():
    """A record of 800 KB in rows of 80 bytes is decoded once, and the scanner reads each row once."""
    event = line(1, "w" * 800_000)
    data = wrap(event + b"\n", 80)
    rows = data.count(b"\n")

    assert returns_of(Scanner.feed, lambda: split(data)) == rows
    # The decoder also tries the first row, because it could be a whole record.
    assert returns_of(decode, lambda: split(data)) == 2
    assert [record.json for record in records(data)] == [event]


def test_restarts_are_bounded():
    """Rows that could each begin a record do not make the reader scan the stream again and again."""
    data = b'{"a":\n' * 20_000
    scanned = returns_of(Scanner.feed, lambda: split(data), lambda seen: seen["self"].position - seen["start"])

    assert scanned <= (1 << 20) + 6 * len(data)


def test_restarts_over_blank_rows_are_bounded():
    """Rows without text also count towards the limit on repeated scans."""
    data = (b'{"a":\n' + b"\n" * 10) * 1000

    assert returns_of(Scanner.feed, lambda: split(data)) <= 60 * data.count(b"\n")


@pytest.mark.parametrize(
    "rows",
    [
        b'{"a":"b\n',
        b'{"a":1}{"b":\n',
        b'{"a":{"b":1}\n{"c":\n',
        b'x{"a":1}\n',
        b'{"a":"\\\n',
        b"[\n",
        b'[{"a":1},\n',
        b"\n",
        b'{"a":1}\n\0',
    ],
)
def test_the_work_is_linear_in_the_rows(rows):
    """Four times the rows take about four times the steps, after the free restarts are used up."""
    free = steps(lambda: split(rows * 1200))

    assert steps(lambda: split(rows * 4800)) <= 6 * free


@pytest.mark.parametrize(
    "part", [b"{}", b'\x1b[0m{"a":1}', b"{} ", b'{"a":"\x1b[1mb"}', b"[{}]", b"{},", b'{"a":[1]}\0']
)
def test_the_work_is_linear_in_one_line(part):
    """Four times as much data on one line takes about four times the steps."""
    assert steps(lambda: split(part * 800)) <= 5 * steps(lambda: split(part * 200)) + 100


def test_physical_lines_are_counted():
    """The splitter counts lines with content, not records."""
    splitter = Splitter(STREAM)
    data = A + b"\n\n" + wrap(B + b"\n", 60) + A + C + b"\nnoise\n"
    list(splitter.feed(data))
    list(splitter.close())

    assert splitter.lines == sum(1 for row in data.split(b"\n") if row.strip())


def test_empty_streams():
    """An empty stream has no pieces."""
    assert split(b"") == []
    assert split_chunks([b"", b"", b""]) == []


def test_a_tool_call_of_the_builders_survives_every_width():
    """A tool call from the builders is read back equal when it is wrapped at any width."""
    (call,) = Session().assistant(tool_use("Edit", {"old_string": "a  b\t{", "new_string": '"}\\n  '}))

    for columns in range(1, 120, 7):
        (record,) = records(wrap(encode(call), columns))
        assert json.loads(record.json) == call
