"""Tests that damage in the vault is located to the line, and that the rest stays readable."""

import random
from pathlib import Path

import pytest

from chorus.keep.vault import packed_frames, sealing
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.line import StoredLine
from chorus.keep.vault.port import Damaged, contents
from tests.keep.vault.lines import KEY, SEEN_AT, line, source

COUNT = 40


@pytest.fixture
def vault(tmp_path: Path) -> FileVault:
    vault = FileVault(tmp_path)
    vault.append(KEY, source(COUNT), seen_at=SEEN_AT)
    vault.flush()
    return vault


def damage(vault: FileVault) -> list[Damaged]:
    return [line for line in vault.lines(KEY) if isinstance(line, Damaged)]


def numbers(vault: FileVault) -> list[int]:
    """Returns the numbers of the readable lines, and checks the content of each."""
    found = [kept for kept in vault.lines(KEY) if isinstance(kept, StoredLine)]
    assert all(kept.bytes == line(kept.head.seq) for kept in found)
    return [kept.head.seq for kept in found]


def stored(vault: FileVault) -> list[bytes]:
    return vault.path(KEY).read_bytes().splitlines(keepends=True)


def test_a_flipped_byte_costs_its_line(vault: FileVault) -> None:
    """A changed byte loses only its own line, or two lines if the byte separated them."""
    path, whole = vault.path(KEY), vault.path(KEY).read_bytes()
    for seed in range(200):
        chance = random.Random(seed)
        at = chance.randrange(len(whole) - 1)
        path.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << chance.randrange(8))]) + whole[at + 1 :])
        hit = whole[:at].count(b"\n")

        assert damage(vault)[0].number == hit + 1
        assert set(range(COUNT)) - set(numbers(vault)) <= {hit, hit + 1}
        with pytest.raises(ValueError, match=f"line {hit + 1} of session"):
            contents(vault, KEY)


def test_deleted_lines_are_missed(vault: FileVault) -> None:
    """If lines were removed, the next line is reported with the number of missing lines before it."""
    lines = stored(vault)
    vault.path(KEY).write_bytes(b"".join(lines[:10] + lines[13:]))

    assert damage(vault) == [Damaged(KEY, 11, "3 lines before it are missing")]
    assert numbers(vault) == [*range(10), *range(13, COUNT)]


def test_swapped_lines_are_reported(vault: FileVault) -> None:
    """Exchanged lines are read, and the place where the order is wrong is reported."""
    lines = stored(vault)
    lines[3], lines[4] = lines[4], lines[3]
    vault.path(KEY).write_bytes(b"".join(lines))

    assert [(found.number, found.reason.partition(":")[0]) for found in damage(vault)] == [
        (4, "1 line before it is missing"),
        (5, "is out of order"),
        (6, "1 line before it is missing"),
    ]
    assert sorted(numbers(vault)) == list(range(COUNT))


def test_a_truncated_file_goes_on_from_what_is_left(vault: FileVault) -> None:
    """A file that is cut within a line ends with the line before, and appending again makes it whole."""
    path = vault.path(KEY)
    path.write_bytes(b"".join(stored(vault)[:20])[:-7])

    assert numbers(vault) == list(range(19))
    tail = vault.tail(KEY)
    vault.append(KEY, source(COUNT)[tail.offset :], seen_at=SEEN_AT)
    vault.flush()
    assert contents(vault, KEY) == source(COUNT)


def test_a_last_line_without_its_newline_is_kept(vault: FileVault) -> None:
    """A line without its newline, or with a damaged one, was acknowledged, so the next writer repairs it."""
    path, whole = vault.path(KEY), vault.path(KEY).read_bytes()
    for end in (b"", b"\x0b"):
        path.write_bytes(whole[:-1] + end)
        assert vault.tail(KEY).seq == COUNT
        vault.flush()
        assert path.read_bytes() == whole


def test_damage_at_the_end_is_kept_again(vault: FileVault) -> None:
    """Everything after the last whole line is appended again from the source, and then nothing is missing."""
    lines = stored(vault)
    vault.path(KEY).write_bytes(b"".join([*lines[:-2], lines[-2][:-9] + b"#\n", b"\n"]))
    tail = vault.tail(KEY)

    assert tail.seq == COUNT - 2
    vault.append(KEY, source(COUNT)[tail.offset :], seen_at=SEEN_AT)
    vault.flush()
    assert contents(vault, KEY) == source(COUNT)
    assert [found.number for found in damage(vault)] == [COUNT - 1, COUNT]


def sealed_frames(vault: FileVault, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, list[bytes]]:
    """Returns the sealed file of a stream with several frames, and the frames."""
    monkeypatch.setattr(packed_frames, "FRAME_BYTES", 20_000)
    vault.seal(KEY)
    path = sealing.sealed(vault.path(KEY))
    first, *rest = path.read_bytes().split(packed_frames._MAGIC)
    assert not first
    assert len(rest) > 4
    return path, [packed_frames._MAGIC + frame for frame in rest]


def test_a_damaged_frame_costs_no_other(vault: FileVault, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a frame of a sealed file is damaged, the others are read, and the lost lines are reported by number."""
    path, frames = sealed_frames(vault, monkeypatch)
    frames[1] = frames[1][:30] + bytes(10) + frames[1][40:]
    path.write_bytes(b"".join(frames))

    (found,) = damage(vault)
    lost = sorted(set(range(COUNT)) - set(numbers(vault)))
    assert lost == list(range(lost[0], lost[-1] + 1))
    assert found == Damaged(KEY, lost[0] + 1, f"it and what follows before line {lost[-1] + 2} cannot be unpacked")


def test_every_byte_of_a_sealed_file_counts(vault: FileVault, monkeypatch: pytest.MonkeyPatch) -> None:
    """A changed bit in a sealed file is noticed or harmless, and the other frames stay readable."""
    path, frames = sealed_frames(vault, monkeypatch)
    whole = b"".join(frames)
    for seed in range(150):
        chance = random.Random(seed)
        at = chance.randrange(len(whole))
        path.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << chance.randrange(8))]) + whole[at + 1 :])

        assert damage(vault) or numbers(vault) == list(range(COUNT))
        assert len(numbers(vault)) > COUNT // 3


def test_swapped_and_cut_frames_are_reported(vault: FileVault, monkeypatch: pytest.MonkeyPatch) -> None:
    """Frames in the wrong order, or a file that ends within a frame, are reported, and all whole lines are read."""
    path, frames = sealed_frames(vault, monkeypatch)
    path.write_bytes(b"".join([frames[0], frames[2], frames[1], *frames[3:]]))
    assert damage(vault)
    assert sorted(numbers(vault)) == list(range(COUNT))

    path.write_bytes(b"".join(frames)[:-5])
    assert damage(vault)[-1].reason == "it and all that follows cannot be unpacked"


def test_a_damaged_sealed_file_is_set_aside(vault: FileVault, monkeypatch: pytest.MonkeyPatch) -> None:
    """Appending to a damaged sealed stream keeps every byte of the damaged file, and continues with the rest."""
    path, frames = sealed_frames(vault, monkeypatch)
    frames[1] = frames[1][:30] + bytes(10) + frames[1][40:]
    path.write_bytes(b"".join(frames))
    before = numbers(vault)

    vault.append(KEY, line(COUNT), seen_at=SEEN_AT)
    vault.flush()

    assert numbers(vault) == [*before, COUNT]
    assert damage(vault)
    assert path.with_name(path.name + ".damaged").read_bytes() == b"".join(frames)
    assert list(vault.keys()) == [KEY]
    vault.seal(KEY)
    assert numbers(vault) == [*before, COUNT]
    vault.forget(KEY)
    assert list(path.parent.iterdir()) == []
