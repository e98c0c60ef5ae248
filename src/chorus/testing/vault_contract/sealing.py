"""Sealing and forgetting streams."""

from chorus.keep.vault.port import Tail, contents
from chorus.testing.vault_contract.samples import KEY, RECORD, SEEN_AT, SIDE, SOURCES, MakeVault, lines_of


def sealing_changes_nothing_to_a_reader(make_vault: MakeVault) -> None:
    """A sealed stream has the same lines and tail; it can be appended to and sealed again."""
    vault = make_vault()
    source = SOURCES["records"] * 50 + SOURCES["not UTF-8"]
    tail = vault.append(KEY, source, seen_at=SEEN_AT)
    vault.flush()
    before = lines_of(vault, KEY)

    vault.seal(KEY)
    vault.seal(KEY)

    assert lines_of(vault, KEY) == before
    assert vault.tail(KEY) == tail
    vault.append(KEY, RECORD, seen_at=SEEN_AT)
    assert contents(vault, KEY) == source + RECORD
    vault.seal(KEY)
    assert contents(vault, KEY) == source + RECORD


def sealing_nothing_is_nothing(make_vault: MakeVault) -> None:
    """Sealing a stream that does not exist creates none."""
    vault = make_vault()
    vault.seal(KEY)

    assert list(vault.keys()) == []


def what_is_forgotten_is_gone(make_vault: MakeVault) -> None:
    """A forgotten stream, sealed or not, is as if it had never been stored; the others stay."""
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
