"""What every back end of the vault must do: run it on yours.

    from chorus.testing.vault_contract import BEHAVIOURS, Behaviour

    @pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=lambda behaviour: behaviour.__name__)
    def test_my_vault(behaviour: Behaviour, tmp_path: Path) -> None:
        behaviour(lambda: MyVault(tmp_path))

`make_vault` is called as often as a behaviour needs a vault object; all of one behaviour's share what is kept. A back
end that cannot share (memory) gives the same object each time. Nothing here needs a test framework.
"""

from collections.abc import Callable, Iterator
from uuid import UUID

from chorus.store.keys import StreamKey, safe_name
from chorus.store.line import StoredLine, encode, line_id
from chorus.store.port import Damaged, Tail, Vault, contents

MakeVault = Callable[[], Vault]
Behaviour = Callable[[MakeVault], None]
SEEN_AT = "2026-03-01T12:00:00.000Z"
KEY = StreamKey("work-12345678", "main", "5f0d2a34-1111-4222-8333-444455556666")
SIDE = StreamKey(KEY.workspace, KEY.agent, KEY.conversation, "agent-a1")
RECORD = b'{"type":"user","timestamp":"2026-02-03T04:05:06.789Z","message":{"content":"h\xc3\xa9llo"}}'
SOURCES: dict[str, bytes] = {
    "records": RECORD + b"\n" + RECORD + b"\n",
    "windows line ends": RECORD + b"\r\n" + RECORD + b"\r\n",
    "no final newline": RECORD + b"\n" + RECORD,
    "not UTF-8": b'\xff\xfe{"a":1}\n{"a":"\xed\xa0\x80"}\n',
    "NUL bytes": b'\x00\x00\n{"a":"\x00"}\n\x00',
    "joined records": RECORD + RECORD + b"\n",
    "empty lines": b"\n\n\r\n\n",
    "carriage returns": b'\r\n\r\r\n{"a":1,\r"b":2}\r\n\r',
    "line separators": '{"a":"\u2028\u2029\x85"}\nplain \u2028 text\n'.encode(),
    "arrays and numbers": b'[{"a":1}]\n7\n"text"\nnull\n',
    "the envelope's own words": b'{"claudeMessage":{"a":1},"crc":1}\nand ,"claudeMessage":{}\n{"raw":"x","end":""}\n',
    "nested deeply": b'{"a":' * 5_000 + b"1" + b"}" * 5_000 + b"\n",
    "numbers out of range": b'{"costUSD":1e400,"durationMs":-1e308}\n{"costUSD":"free","timestamp":7}\n',
    "a long line": b'{"a":"' + b"x" * 5_000_000 + b'"}\n' + b"y" * 5_000_000 + b"\n",
}
"""Every kind of bytes a source was seen to hold, and some it was not."""


def nothing_is_kept_at_first(make_vault: MakeVault) -> None:
    """A stream that nobody wrote has no lines, the first end and no place among the keys."""
    vault = make_vault()

    assert vault.tail(KEY) == Tail()
    assert list(vault.lines(KEY)) == []
    assert contents(vault, KEY) == b""
    assert list(vault.keys()) == []


def any_bytes_come_back(make_vault: MakeVault) -> None:
    """Whatever a source holds, the contents are its bytes."""
    vault = make_vault()
    for name, source in SOURCES.items():
        key = StreamKey("w", "main", safe_name(name))

        tail = vault.append(key, source, seen_at=SEEN_AT)

        assert contents(vault, key) == source, name
        assert tail.offset == len(source), name
        assert tail.seq == len(_split(source)), name


def pieces_follow_each_other(make_vault: MakeVault) -> None:
    """What is appended in pieces, in the middle of lines too, gives the source."""
    vault = make_vault()
    source = SOURCES["records"] * 3
    for start in range(0, len(source), 37):
        vault.append(KEY, source[start : start + 37], seen_at=SEEN_AT)

    assert contents(vault, KEY) == source


def the_end_is_told(make_vault: MakeVault) -> None:
    """`append` gives the end that `tail` gives, before and after `flush`; appending nothing changes nothing."""
    vault = make_vault()

    told = vault.append(KEY, RECORD + b"\nrest", seen_at=SEEN_AT)

    assert told == Tail(revision=0, offset=len(RECORD) + 5, seq=2)
    assert vault.tail(KEY) == told
    vault.flush()
    assert vault.tail(KEY) == told
    assert vault.append(KEY, b"", seen_at=SEEN_AT) == told
    assert vault.append(SIDE, b"", seen_at=SEEN_AT) == Tail()
    assert list(vault.keys()) == [KEY]


def lines_say_where_they_stood(make_vault: MakeVault) -> None:
    """Numbers count up, offsets are the source's, and each line has its conversation, agent and time."""
    vault = make_vault()
    source = RECORD + b"\r\n\nno time\n"
    vault.append(KEY, source, seen_at=SEEN_AT)

    heads = [line.head for line in _lines(vault, KEY)]

    assert [head.seq for head in heads] == [0, 1, 2]
    assert [head.offset for head in heads] == [0, len(RECORD) + 2, len(RECORD) + 3]
    assert [head.end for head in heads] == ["\r\n", "\n", "\n"]
    assert {(head.conversation_id, head.agent_id, head.revision) for head in heads} == {(KEY.conversation, "main", 0)}
    assert [(head.timestamp, head.seen) for head in heads] == [
        ("2026-02-03T04:05:06.789Z", False),
        (SEEN_AT, True),
        (SEEN_AT, True),
    ]


def ids_are_stable_and_unique(make_vault: MakeVault) -> None:
    """An id follows from conversation, stream, revision and offset alone, and no two lines share one."""
    vault = make_vault()
    for key in (KEY, SIDE):
        vault.append(key, SOURCES["records"], seen_at=SEEN_AT)
    vault.revise(KEY, 0)
    vault.append(KEY, SOURCES["records"], seen_at=SEEN_AT)

    found = [(key.stream, line.head) for key in (KEY, SIDE) for line in _lines(vault, key)]

    assert len({head.id for _, head in found}) == len(found) == 6
    assert all(str(UUID(head.id)) == head.id for _, head in found)
    assert [head.id for _, head in found] == [
        line_id(KEY.conversation, stream, head.revision, head.offset) for stream, head in found
    ]


def messages_are_a_slice_of_their_line(make_vault: MakeVault) -> None:
    """The stored form of a record holds its exact bytes, after everything else."""
    vault = make_vault()
    vault.append(KEY, RECORD + b"\n", seen_at=SEEN_AT)

    (line,) = _lines(vault, KEY)
    stored = encode(
        RECORD + b"\n", conversation=KEY.conversation, agent="main", stream="session", seq=0, offset=0, seen_at=SEEN_AT
    )

    assert line.body == RECORD
    assert stored.endswith(b',"claudeMessage":' + RECORD + b"}\n")


def a_revision_follows_what_held(make_vault: MakeVault) -> None:
    """A rewritten source reads as it is now; what it was before is kept, and can be asked for."""
    vault = make_vault()
    first, second, third = b"one\ntwo\nthree\n", b"one\n2\n", b"new\n"
    vault.append(KEY, first, seen_at=SEEN_AT)

    assert vault.revise(KEY, 4) == Tail(revision=1, offset=4, seq=3)
    vault.append(KEY, second[4:], seen_at=SEEN_AT)
    vault.revise(KEY, 0)
    vault.append(KEY, third, seen_at=SEEN_AT)
    vault.append(KEY, b"more\n", seen_at=SEEN_AT)

    assert contents(vault, KEY) == third + b"more\n"
    assert [contents(vault, KEY, revision) for revision in range(3)] == [first, second, third + b"more\n"]
    assert contents(vault, KEY, 3) == b""
    assert [line.head.follows for line in _lines(vault, KEY)] == [None, None, None, 4, 0, None]


def a_source_cut_to_a_prefix_goes_on(make_vault: MakeVault) -> None:
    """A revision at the very end, or one that only cuts, adds what comes next."""
    vault = make_vault()
    vault.append(KEY, b"one\ntwo\n", seen_at=SEEN_AT)
    vault.revise(KEY, 8)
    vault.append(KEY, b"three\n", seen_at=SEEN_AT)
    vault.revise(KEY, 4)
    vault.append(KEY, b"3\n", seen_at=SEEN_AT)

    assert [contents(vault, KEY, n) for n in range(3)] == [b"one\ntwo\n", b"one\ntwo\nthree\n", b"one\n3\n"]


def a_source_that_was_only_cut_is_a_revision(make_vault: MakeVault) -> None:
    """To append nothing after `revise` keeps that state; it reads so for all, and what comes next follows it."""
    vault = make_vault()
    vault.append(KEY, b"one\ntwo\n", seen_at=SEEN_AT)
    vault.revise(KEY, 4)

    assert vault.append(KEY, b"", seen_at=SEEN_AT) == Tail(revision=1, offset=4, seq=3)
    vault.flush()
    assert make_vault().tail(KEY) == Tail(revision=1, offset=4, seq=3)
    assert [contents(make_vault(), KEY, n) for n in range(2)] == [b"one\ntwo\n", b"one\n"]
    vault.append(KEY, b"2\n", seen_at=SEEN_AT)
    vault.revise(KEY, 0)
    vault.append(KEY, b"", seen_at=SEEN_AT)
    vault.flush()
    vault.seal(KEY)

    assert [contents(make_vault(), KEY, n) for n in range(3)] == [b"one\ntwo\n", b"one\n2\n", b""]
    assert vault.tail(KEY) == Tail(revision=2, offset=0, seq=5)
    lines = _lines(vault, KEY)
    assert len({line.head.id for line in lines}) == len(lines)
    assert all(line.has_id_of(KEY.conversation, KEY.stream) for line in lines)
    assert [(line.bytes, line.head.follows) for line in lines[2:]] == [(b"", 4), (b"2\n", None), (b"", 0)]


def a_revision_begins_with_its_first_line(make_vault: MakeVault) -> None:
    """Rewritten twice before anything followed is one revision; until then the source reads as before."""
    vault = make_vault()
    vault.append(KEY, b"one\ntwo\nthree\n", seen_at=SEEN_AT)
    vault.revise(KEY, 8)
    vault.flush()

    assert contents(vault, KEY) == b"one\ntwo\nthree\n"
    assert vault.revise(KEY, 4) == Tail(revision=1, offset=4, seq=3)
    vault.append(KEY, b"2\n", seen_at=SEEN_AT)
    assert contents(vault, KEY) == b"one\n2\n"


def more_than_was_kept_cannot_hold(make_vault: MakeVault) -> None:
    """A prefix beyond the end, or below zero, is refused."""
    vault = make_vault()
    vault.append(KEY, b"one\n", seen_at=SEEN_AT)
    for prefix in (5, -1):
        try:
            vault.revise(KEY, prefix)
        except ValueError:
            continue
        raise AssertionError(f"a prefix of {prefix} was taken")
    assert contents(vault, KEY) == b"one\n"


def keys_are_in_order(make_vault: MakeVault) -> None:
    """Every stream is listed once, in order of its names, sealed or not."""
    vault = make_vault()
    keys = [StreamKey(w, a, c, s) for w in "ba" for a in "yx" for c in ("c2", "c1") for s in ("session", "out", "zz")]
    for key in keys:
        vault.append(key, b"x\n", seen_at=SEEN_AT)
    vault.flush()
    for key in keys[::3]:
        vault.seal(key)

    assert list(vault.keys()) == sorted(keys)
    assert vault.streams("a/x/c1") == sorted(key for key in keys if key.owner == "a/x/c1")
    assert vault.streams("a/x/c") == vault.streams("z/x/c1") == []


def blobs_are_kept_by_content(make_vault: MakeVault) -> None:
    """The same bytes have one name, any bytes come back, and an unknown name gives None."""
    vault = make_vault()
    for data in (b"", b"text\n", bytes(range(256)) * 5_000):
        name = vault.put_blob(data)

        assert vault.put_blob(data) == name
        assert vault.blob(name) == data
    vault.flush()
    assert make_vault().blob(name) == data
    assert vault.blob("0" * 64) is None


def sealing_changes_nothing_to_a_reader(make_vault: MakeVault) -> None:
    """A sealed stream has the same lines and end; the next append goes on from there, and it can be sealed again."""
    vault = make_vault()
    source = SOURCES["records"] * 50 + SOURCES["not UTF-8"]
    tail = vault.append(KEY, source, seen_at=SEEN_AT)
    vault.flush()
    before = _lines(vault, KEY)

    vault.seal(KEY)
    vault.seal(KEY)

    assert _lines(vault, KEY) == before
    assert vault.tail(KEY) == tail
    vault.append(KEY, RECORD, seen_at=SEEN_AT)
    assert contents(vault, KEY) == source + RECORD
    vault.seal(KEY)
    assert contents(vault, KEY) == source + RECORD


def sealing_nothing_is_nothing(make_vault: MakeVault) -> None:
    """To seal a stream that is not there makes none."""
    vault = make_vault()
    vault.seal(KEY)

    assert list(vault.keys()) == []


def what_is_forgotten_is_gone(make_vault: MakeVault) -> None:
    """A forgotten stream, sealed or not, is as if never kept; the others stay."""
    vault = make_vault()
    for key in (KEY, SIDE):
        vault.append(key, b"secret\n", seen_at=SEEN_AT)
    vault.flush()
    vault.seal(SIDE)

    vault.forget(SIDE)

    assert list(vault.keys()) == [KEY]
    assert list(vault.lines(SIDE)) == []
    assert vault.tail(SIDE) == Tail()
    assert contents(vault, KEY) == b"secret\n"
    vault.append(KEY, b"more", seen_at=SEEN_AT)
    vault.forget(KEY)
    vault.forget(KEY)
    assert list(vault.keys()) == []
    assert vault.append(KEY, b"again\n", seen_at=SEEN_AT) == Tail(offset=6, seq=1)
    assert contents(vault, KEY) == b"again\n"


def a_line_is_found_by_its_place(make_vault: MakeVault) -> None:
    """Every line can be had by the place it says it has, packed or not, and reading can begin at any of them."""
    vault = make_vault()
    source = b"".join(b'{"n":%d,"x":"%s"}\n' % (n, b"y" * (n * 37 % 9000)) for n in range(400)) + b"raw\n" * 10
    vault.append(KEY, source, seen_at=SEEN_AT)
    vault.flush()
    before = _lines(vault, KEY)
    for _ in range(2):
        assert [vault.line_at(KEY, line.at) for line in before] == before
        for n in (0, 1, 17, 250, len(before) - 1):
            assert list(vault.lines(KEY, before[n].at)) == before[n:]
            assert before[n].next_at == (before[n + 1].at if n + 1 < len(before) else before[n].next_at)
        assert list(vault.lines(KEY, before[-1].next_at)) == []
        assert vault.line_at(KEY, before[-1].next_at) is None
        assert vault.line_at(KEY, -1) is None
        assert vault.line_at(SIDE, 0) is None
        vault.seal(KEY)
    vault.append(KEY, b"more\n", seen_at=SEEN_AT)
    (more,) = vault.lines(KEY, before[-1].next_at)
    assert isinstance(more, StoredLine)
    assert more.bytes == b"more\n"


def others_see_what_was_flushed(make_vault: MakeVault) -> None:
    """Two vault objects on the same place read and go on from each other's lines."""
    one, other = make_vault(), make_vault()
    for turn, vault in enumerate((one, other, one, other)):
        told = vault.append(KEY, b"%d\n" % turn, seen_at=SEEN_AT)
        vault.flush()

        assert told == Tail(offset=2 * turn + 2, seq=turn + 1)
        assert contents(one, KEY) == contents(other, KEY) == b"0\n1\n2\n3\n"[: 2 * turn + 2]
    one.seal(KEY)
    assert other.append(KEY, b"4\n", seen_at=SEEN_AT).seq == 5
    other.flush()
    assert contents(one, KEY) == b"0\n1\n2\n3\n4\n"


def wrong_names_are_refused(make_vault: MakeVault) -> None:
    """No name of a stream or blob leads out of the vault or to a file of another kind."""
    for name in (
        "",
        ".",
        "..",
        "../x",
        "a/b",
        "a\\b",
        ".hidden",
        "a\0b",
        "a\n",
        "x" * 121,
        "a.jsonl",
        "a.zst",
        "a.tmp",
    ):
        try:
            StreamKey("w", "main", name)
        except ValueError:
            assert StreamKey("w", "main", safe_name(name)).conversation.startswith("x-")
            continue
        raise AssertionError(f"{name!r} was taken for a name")
    vault = make_vault()
    for name in ("", "..", "../../etc/passwd", "ab/cd"):
        try:
            found = vault.blob(name)
        except ValueError:
            continue
        assert found is None


BEHAVIOURS: tuple[Behaviour, ...] = (
    nothing_is_kept_at_first,
    any_bytes_come_back,
    pieces_follow_each_other,
    the_end_is_told,
    lines_say_where_they_stood,
    ids_are_stable_and_unique,
    messages_are_a_slice_of_their_line,
    a_revision_follows_what_held,
    a_source_cut_to_a_prefix_goes_on,
    a_source_that_was_only_cut_is_a_revision,
    a_revision_begins_with_its_first_line,
    more_than_was_kept_cannot_hold,
    keys_are_in_order,
    blobs_are_kept_by_content,
    sealing_changes_nothing_to_a_reader,
    sealing_nothing_is_nothing,
    what_is_forgotten_is_gone,
    a_line_is_found_by_its_place,
    others_see_what_was_flushed,
    wrong_names_are_refused,
)
"""Each takes a maker of vaults, all empty at first, and raises AssertionError when a promise of the port is broken."""


def _lines(vault: Vault, key: StreamKey) -> list[StoredLine]:
    return list(_whole(vault.lines(key)))


def _whole(lines: Iterator[StoredLine | Damaged]) -> Iterator[StoredLine]:
    for line in lines:
        assert isinstance(line, StoredLine), line
        yield line


def _split(source: bytes) -> list[bytes]:
    lines = source.split(b"\n")
    return lines if lines[-1] else lines[:-1]
