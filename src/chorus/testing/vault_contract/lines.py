"""Lines: their fields, and how they are found."""

from uuid import UUID

from chorus.keep.vault.line import StoredLine, encode, line_id
from chorus.testing.vault_contract.samples import KEY, RECORD, SEEN_AT, SIDE, SOURCES, MakeVault, lines_of


def lines_say_where_they_stood(make_vault: MakeVault) -> None:
    """Numbers increase, offsets are those of the source, and each line has its conversation, agent and time."""
    vault = make_vault()
    source = RECORD + b"\r\n\nno time\n"
    vault.append(KEY, source, seen_at=SEEN_AT)

    heads = [line.head for line in lines_of(vault, KEY)]

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
    """An id depends on conversation, stream, revision and offset only, and no two lines have the same."""
    vault = make_vault()
    for key in (KEY, SIDE):
        vault.append(key, SOURCES["records"], seen_at=SEEN_AT)
    vault.revise(KEY, 0)
    vault.append(KEY, SOURCES["records"], seen_at=SEEN_AT)

    found = [(key.stream, line.head) for key in (KEY, SIDE) for line in lines_of(vault, key)]

    assert len({head.id for _, head in found}) == len(found) == 6
    assert all(str(UUID(head.id)) == head.id for _, head in found)
    assert [head.id for _, head in found] == [
        line_id(KEY.conversation, stream, head.revision, head.offset) for stream, head in found
    ]


def messages_are_a_slice_of_their_line(make_vault: MakeVault) -> None:
    """A stored line ends with the exact bytes of the record."""
    vault = make_vault()
    vault.append(KEY, RECORD + b"\n", seen_at=SEEN_AT)

    (line,) = lines_of(vault, KEY)
    stored = encode(
        RECORD + b"\n", conversation=KEY.conversation, agent="main", stream="session", seq=0, offset=0, seen_at=SEEN_AT
    )

    assert line.body == RECORD
    assert stored.endswith(b',"claudeMessage":' + RECORD + b"}\n")


def a_line_is_found_by_its_place(make_vault: MakeVault) -> None:
    """Every line can be read by its position, sealed or not, and reading can start at any line."""
    vault = make_vault()
    source = b"".join(b'{"n":%d,"x":"%s"}\n' % (n, b"y" * (n * 37 % 9000)) for n in range(400)) + b"raw\n" * 10
    vault.append(KEY, source, seen_at=SEEN_AT)
    vault.flush()
    before = lines_of(vault, KEY)
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
