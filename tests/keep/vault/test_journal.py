"""Tests a journal: whole lines, each bound to the line before it, after any damage to the file."""

import contextlib
import errno
import os
import threading
from pathlib import Path

import pytest

from chorus.errors import SourceUnreadable, VaultUnwritable
from chorus.keep.vault import journal_line
from chorus.keep.vault.journal import Journal
from tests.keep.vault.faults import Faults, injected


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "vault" / "state" / "some.jsonl"


def add(path: Path, *bodies: bytes) -> None:
    journal = Journal(path)
    for body in bodies:
        with journal.transaction() as held:
            list(held.news())
            held.append(body)


def bodies(path: Path) -> list[bytes]:
    return [entry.body for entry in Journal(path).news()]


def flaws(path: Path) -> list[int]:
    journal = Journal(path)
    list(journal.news())
    return [flaw.line for flaw in journal.flaws]


def test_what_was_added_is_read(path):
    """Lines come back in order, each named by the next, in a file that only this user can read."""
    add(path, b"1", b'{"a":2}')
    journal = Journal(path)

    first, second = journal.news()

    assert (first.body, second.body, second.prev) == (b"1", b'{"a":2}', first.digest)
    assert first.prev == journal_line.START and journal.head == second.digest and not journal.flaws
    assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700
    assert list(journal.news()) == [] and not journal.has_changed()
    add(path, b"3")
    assert journal.has_changed() and [entry.body for entry in journal.news()] == [b"3"]


def test_there_is_no_file_yet(path):
    """A file that was never written has no lines, and reading creates no file."""
    assert bodies(path) == [] and not path.parent.exists()


@pytest.mark.parametrize("torn", [b"{", b'{"sum":"0123456789abcdef","n":3', b"\x00" * 5_000, b"x" * 70_000])
def test_a_torn_tail_is_cut_by_the_next_writer(path, torn):
    """No reader sees the incomplete end of a dead writer, and the next writer removes it."""
    add(path, b"1", b"2")
    with path.open("ab") as file:
        file.write(torn)

    assert bodies(path) == [b"1", b"2"]
    add(path, b"3")

    assert bodies(path) == [b"1", b"2", b"3"] and flaws(path) == []
    assert path.read_bytes().count(b"\n") == 3 and all(map(journal_line.decode, path.read_bytes().splitlines()))


def test_a_whole_last_line_without_its_end_is_kept(path):
    """A whole last line of a dead writer gets its missing line end, and is not removed."""
    add(path, b"1", b"2")
    path.write_bytes(path.read_bytes()[:-1])

    assert bodies(path) == [b"1"]
    add(path, b"3")

    assert bodies(path) == [b"1", b"2", b"3"] and flaws(path) == []


def test_every_flipped_bit_costs_its_line_alone(path):
    """A changed bit is noticed: its line is ignored, and all other lines are read."""
    add(path, b'"one"', b'"two"', b'"three"')
    whole = path.read_bytes()
    ends = [number for number, byte in enumerate(whole) if byte == ord("\n")]
    for place in range(len(whole)):
        if place in ends:
            continue
        changed = bytearray(whole)
        changed[place] ^= 1
        path.write_bytes(changed)
        line = sum(end < place for end in ends)
        left = [body for number, body in enumerate([b'"one"', b'"two"', b'"three"']) if number != line]
        assert bodies(path) == left, place
        assert flaws(path)[0] == line + 1


def test_lines_that_are_put_in_taken_out_or_copied_are_named(path):
    """Hand-written lines and copies are ignored and named, and a missing line is noticed at the next line."""
    add(path, b"1", b"2", b"3", b"4")
    one, two, three, four = path.read_bytes().splitlines(keepends=True)

    path.write_bytes(one + b'{"entry":9}\n' + two + three + four)
    assert bodies(path) == [b"1", b"2", b"3", b"4"] and flaws(path) == [2]
    path.write_bytes(one + two + one + two + three + four)
    assert bodies(path) == [b"1", b"2", b"3", b"4"] and flaws(path) == [3, 4]
    path.write_bytes(one + two + four)
    assert bodies(path) == [b"1", b"2", b"4"] and flaws(path) == [3]
    path.write_bytes(one + three + two + four)
    assert bodies(path) == [b"1", b"3", b"4"] and flaws(path) == [2, 3]
    forged = journal_line.encode(2, "0" * 64, b"9") + b"\n"
    path.write_bytes(one + forged + three + four)
    assert bodies(path) == [b"1", b"9", b"3", b"4"] and flaws(path) == [2, 3]


def test_a_rewritten_file_is_read_anew(path):
    """If the file is shorter, replaced or changed, the journal reports it and reads from the start."""
    add(path, b"1", b"2")
    journal = Journal(path)
    list(journal.news())
    whole = path.read_bytes()

    path.write_bytes(whole.splitlines(keepends=True)[0])
    assert [entry.body for entry in journal.news()] == [b"1"] and journal.generation == 1
    assert journal.flaws[0].line == 0
    path.unlink()
    assert list(journal.news()) == [] and journal.generation == 2
    add(path, b"7", b"8")
    assert [entry.body for entry in journal.news()] == [b"7", b"8"]
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    other.replace(path)
    assert [entry.body for entry in journal.news()] == [b"7", b"8"] and journal.generation == 3


def test_an_entry_is_read_again_only_as_it_was(path):
    """An entry whose line was changed cannot be read again."""
    add(path, b'"one"', b'"two"')
    journal = Journal(path)
    first, second = journal.news()
    path.write_bytes(path.read_bytes().replace(b"one", b"eno"))

    assert journal.read(first) is None and journal.read(second) == b'"two"'
    other = journal_line.encode(2, second.prev, b'"owt"')
    assert len(other) == second.length
    path.write_bytes(path.read_bytes()[: second.offset] + other + b"\n")
    assert journal.read(second) is None
    path.unlink()
    assert journal.read(second) is None


def test_a_line_of_any_length_is_survived(path):
    """A line beyond the limit is skipped in pieces, and the chain continues after it."""
    add(path, b"1")
    with path.open("ab") as file:
        for _ in range(10):
            file.write(b"x" * (1 << 20))
        file.write(b"\n")
    add(path, b"2")

    assert bodies(path) == [b"1", b"2"] and flaws(path) == [2]
    with pytest.raises(ValueError, match="too long"):
        add(path, b'"' + b"x" * journal_line.LONGEST_BYTES + b'"')
    with pytest.raises(ValueError, match="not one line"):
        add(path, b"1\n2")


def test_bytes_that_are_nothing_are_passed_over(path):
    """Deep, incomplete and empty JSON, with or without a correct sum, is named and raises no error."""
    add(path, b"1")
    deep = b"[" * 5_000 + b"]" * 5_000
    with path.open("ab") as file:
        for line in (
            b"",
            b"{}",
            b"\xff\xfe",
            b"null",
            journal_line.encode(9, "x", b'"\xff"'),
            journal_line.encode(9, "x", deep),
        ):
            file.write(line + b"\n")
    add(path, b"2")

    found = bodies(path)
    assert found[0] == b"1" and found[-1] == b"2"
    assert flaws(path)[:4] == [2, 3, 4, 5]


@pytest.mark.parametrize("kind", ["link", "dangling", "folder", "pipe", "linked folder"])
def test_what_is_no_file_of_ours_is_refused(path, kind, tmp_path):
    """Links, pipes and folders are neither read nor written, and no call blocks."""
    elsewhere = tmp_path / "elsewhere"
    if kind == "linked folder":
        elsewhere.mkdir()
        path.parent.parent.mkdir(parents=True)
        path.parent.symlink_to(elsewhere)
    else:
        path.parent.mkdir(parents=True)
    if kind == "link":
        elsewhere.write_text("mine\n")
        path.symlink_to(elsewhere)
    elif kind == "dangling":
        path.symlink_to(elsewhere)
    elif kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)

    with pytest.raises(SourceUnreadable):
        bodies(path)
    with pytest.raises(VaultUnwritable):
        add(path, b"1")
    assert not elsewhere.exists() or elsewhere.is_dir() or elsewhere.read_text() == "mine\n"


def test_who_holds_the_file_for_ever_is_not_waited_for(path):
    """If another process never releases the file, there is an error after some time, and nothing is written."""
    add(path, b"1")
    impatient = Journal(path, patience_s=0.05)
    with Journal(path).transaction():
        late = impatient.transaction()
        with pytest.raises(VaultUnwritable, match="another process has held it"):
            late.__enter__()
    assert bodies(path) == [b"1"]


def test_modes_are_mended(path):
    """If others could read the file, the next writer makes it private."""
    add(path, b"1")
    path.chmod(0o666)
    add(path, b"2")

    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("call", ["write", "fsync", "open", "ftruncate", "mkdir"])
@pytest.mark.parametrize("error", ["EIO", "ENOSPC", "short"])
@pytest.mark.parametrize("is_lasting", [False, True])
def test_the_nth_call_fails(call, error, is_lasting, path, tmp_path, monkeypatch):
    """If any call fails, an entry is whole and durable if and only if it was acknowledged."""
    if error == "short" and call != "write":
        return
    for nth in range(1, 30):
        folder = path.parent / str(nth) / "state"
        file = folder / "some.jsonl"
        faults = Faults(tmp_path, call, nth, error, is_lasting)
        said = []
        with injected(faults, monkeypatch):
            journal = Journal(file)
            for body in (b'"a"', b'"b"', b'"c"'):
                try:
                    with journal.transaction() as held:
                        list(held.news())
                        held.append(body)
                except VaultUnwritable:
                    continue
                said.append(body)
                faults.is_on = False
                assert bodies(file) == said
                assert only_the_newline_is_not_durable(faults)
                faults.is_on = True
            faults.is_on = False
            assert bodies(file) == said
            add(file, b'"d"')
            assert [body for body in bodies(file) if body in said] == said and bodies(file)[-1] == b'"d"'
            assert flaws(file) == []
        assert not faults.repeats
        if not faults.hits:
            break


def only_the_newline_is_not_durable(faults: Faults) -> bool:
    return faults.undurable() in ([], ["bytes of some.jsonl"]) and all(
        len(left) <= 3 for left in faults._dirty.values()
    )


def test_a_full_disk_takes_no_half_line(small_disk):
    """On a full disk no write is acknowledged, and writing continues when there is room again."""
    path = small_disk / "state" / "some.jsonl"
    line = b'"' + b"x" * 5_000 + b'"'
    written = 0
    with contextlib.suppress(VaultUnwritable):
        while True:
            add(path, line)
            written += 1
    with pytest.raises(VaultUnwritable, match="No space left"):
        add(path, line)
    assert 0 < len(bodies(path)) == written and flaws(path) == []
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))
    add(path, b'"again"')
    assert bodies(path)[-1] == b'"again"'


def test_threads_take_turns(path):
    """Journals of several threads append every line once, in one chain."""

    def write(who: int) -> None:
        for number in range(30):
            add(path, b"[%d,%d]" % (who, number))

    threads = [threading.Thread(target=write, args=(who,)) for who in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(bodies(path)) == len(set(bodies(path))) == 120 and flaws(path) == []


def test_a_reader_without_permission_gets_an_error(path, monkeypatch):
    """A reader without permission gets an error message."""
    add(path, b"1")
    real = os.open

    def refuse(name, *rest, **more):
        if Path(os.fspath(name)) == path:
            raise PermissionError(errno.EACCES, "Permission denied", str(name))
        return real(name, *rest, **more)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(SourceUnreadable, match="Permission denied"):
        bodies(path)
    with pytest.raises(VaultUnwritable, match="Permission denied"):
        add(path, b"2")
