"""Contents: what was appended is returned."""

from chorus.keep.vault.keys import StreamKey, safe_name
from chorus.keep.vault.port import Tail, contents
from chorus.testing.vault_contract.samples import KEY, RECORD, SEEN_AT, SIDE, SOURCES, MakeVault


def nothing_is_kept_at_first(make_vault: MakeVault) -> None:
    """A stream that was never written has no lines and the initial tail, and is not listed."""
    vault = make_vault()

    assert vault.tail(KEY) == Tail()
    assert list(vault.lines(KEY)) == []
    assert contents(vault, KEY) == b""
    assert list(vault.keys()) == []


def any_bytes_come_back(make_vault: MakeVault) -> None:
    """Whatever a source contains, its bytes are returned unchanged."""
    vault = make_vault()
    for name, source in SOURCES.items():
        key = StreamKey("w", "main", safe_name(name))

        tail = vault.append(key, source, seen_at=SEEN_AT)

        assert contents(vault, key) == source, name
        assert tail.offset == len(source), name
        assert tail.seq == len(_split(source)), name


def pieces_follow_each_other(make_vault: MakeVault) -> None:
    """A source that is appended in pieces, even cut inside lines, is returned as a whole."""
    vault = make_vault()
    source = SOURCES["records"] * 3
    for start in range(0, len(source), 37):
        vault.append(KEY, source[start : start + 37], seen_at=SEEN_AT)

    assert contents(vault, KEY) == source


def append_returns_the_tail(make_vault: MakeVault) -> None:
    """`append` returns the same as `tail`, before and after `flush`; appending nothing changes nothing."""
    vault = make_vault()

    tail = vault.append(KEY, RECORD + b"\nrest", seen_at=SEEN_AT)

    assert tail == Tail(revision=0, offset=len(RECORD) + 5, seq=2)
    assert vault.tail(KEY) == tail
    vault.flush()
    assert vault.tail(KEY) == tail
    assert vault.append(KEY, b"", seen_at=SEEN_AT) == tail
    assert vault.append(SIDE, b"", seen_at=SEEN_AT) == Tail()
    assert list(vault.keys()) == [KEY]


def others_see_what_was_flushed(make_vault: MakeVault) -> None:
    """Two vault objects with the same data read each other's lines and append after them."""
    one, other = make_vault(), make_vault()
    for turn, vault in enumerate((one, other, one, other)):
        tail = vault.append(KEY, b"%d\n" % turn, seen_at=SEEN_AT)
        vault.flush()

        assert tail == Tail(offset=2 * turn + 2, seq=turn + 1)
        assert contents(one, KEY) == contents(other, KEY) == b"0\n1\n2\n3\n"[: 2 * turn + 2]
    one.seal(KEY)
    assert other.append(KEY, b"4\n", seen_at=SEEN_AT).seq == 5
    other.flush()
    assert contents(one, KEY) == b"0\n1\n2\n3\n4\n"


def _split(source: bytes) -> list[bytes]:
    lines = source.split(b"\n")
    return lines if lines[-1] else lines[:-1]
