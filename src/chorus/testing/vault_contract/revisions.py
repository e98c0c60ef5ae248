"""Revisions: sources that were rewritten or truncated."""

from chorus.keep.vault.port import Tail, contents
from chorus.testing.vault_contract.samples import KEY, SEEN_AT, MakeVault, lines_of


def a_revision_follows_what_held(make_vault: MakeVault) -> None:
    """A rewritten source is read in its new state; earlier revisions stay and can be read by number."""
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
    assert [line.head.follows for line in lines_of(vault, KEY)] == [None, None, None, 4, 0, None]


def a_source_cut_to_a_prefix_goes_on(make_vault: MakeVault) -> None:
    """After a revision at the end of the source, or one that truncates it, new lines are appended there."""
    vault = make_vault()
    vault.append(KEY, b"one\ntwo\n", seen_at=SEEN_AT)
    vault.revise(KEY, 8)
    vault.append(KEY, b"three\n", seen_at=SEEN_AT)
    vault.revise(KEY, 4)
    vault.append(KEY, b"3\n", seen_at=SEEN_AT)

    assert [contents(vault, KEY, n) for n in range(3)] == [b"one\ntwo\n", b"one\ntwo\nthree\n", b"one\n3\n"]


def a_source_that_was_only_cut_is_a_revision(make_vault: MakeVault) -> None:
    """Appending nothing after `revise` stores the truncated state for all readers; later lines follow it."""
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
    lines = lines_of(vault, KEY)
    assert len({line.head.id for line in lines}) == len(lines)
    assert all(line.has_id_of(KEY.conversation, KEY.stream) for line in lines)
    assert [(line.bytes, line.head.follows) for line in lines[2:]] == [(b"", 4), (b"2\n", None), (b"", 0)]


def a_revision_begins_with_its_first_line(make_vault: MakeVault) -> None:
    """Two calls of `revise` before the next append are one revision; until then the source reads as before."""
    vault = make_vault()
    vault.append(KEY, b"one\ntwo\nthree\n", seen_at=SEEN_AT)
    vault.revise(KEY, 8)
    vault.flush()

    assert contents(vault, KEY) == b"one\ntwo\nthree\n"
    assert vault.revise(KEY, 4) == Tail(revision=1, offset=4, seq=3)
    vault.append(KEY, b"2\n", seen_at=SEEN_AT)
    assert contents(vault, KEY) == b"one\n2\n"


def more_than_was_kept_cannot_hold(make_vault: MakeVault) -> None:
    """A prefix that is longer than the source, or negative, raises ValueError."""
    vault = make_vault()
    vault.append(KEY, b"one\n", seen_at=SEEN_AT)
    for prefix in (5, -1):
        try:
            vault.revise(KEY, prefix)
        except ValueError:
            continue
        raise AssertionError(f"a prefix of {prefix} was accepted")
    assert contents(vault, KEY) == b"one\n"
