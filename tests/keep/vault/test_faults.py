"""Tests row F3: if the N-th call fails, flushed data is durable, nothing partial is visible, and work continues."""

import contextlib
import os
from pathlib import Path

import pytest

from chorus.errors import VaultUnwritable
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.port import contents
from tests.keep.vault.faults import CALLS, ERRORS, Faults, injected
from tests.keep.vault.lines import KEY, SEEN_AT, SIDE, line

TRIES = 4


class Work:
    """The steps of typical work with a vault, and the content that the vault must have after each step."""

    def __init__(self, root: Path) -> None:
        self.vault = FileVault(root, patience_s=1)
        self.root = root
        self.texts = {KEY: b"", SIDE: b""}
        self.durable = dict(self.texts)
        self.earlier: dict[object, bytes] = {}
        self.blobs: list[bytes] = []
        self.steps = [
            lambda: self.append(KEY, 0),
            self.flush,
            lambda: self.append(KEY, 1),
            lambda: self.append(SIDE, 2),
            lambda: self.blob(b"a plan"),
            self.flush,
            lambda: self.vault.seal(KEY),
            lambda: self.append(KEY, 3),
            lambda: self.append(KEY, 4),
            self.flush,
            self.rewrite,
            self.flush,
        ]

    def append(self, key, number) -> None:
        data = line(number, most=30) + line(number + 100, most=30)
        self.vault.append(key, data, seen_at=SEEN_AT)
        self.texts[key] += data

    def blob(self, data) -> None:
        self.vault.put_blob(data)
        self.blobs.append(data)

    def rewrite(self) -> None:
        data = line(50, most=30)
        if self.vault.tail(SIDE).offset and SIDE not in self.earlier:
            self.earlier[SIDE] = self.texts[SIDE]
        self.vault.revise(SIDE, 0)
        self.vault.append(SIDE, data, seen_at=SEEN_AT)
        self.texts[SIDE] = data

    def flush(self) -> None:
        self.vault.flush()
        self.durable = dict(self.texts)

    def look(self) -> None:
        """Checks that a reader sees all acknowledged data, and beyond it only data that was appended."""
        reader = FileVault(self.root)
        for key, text in self.texts.items():
            seen = contents(reader, key)
            assert seen == text or seen == self.earlier.get(key), "half of something is visible"
            assert self.durable[key] in (seen[: len(self.durable[key])], self.earlier.get(key))


def run(faults: Faults, patch: pytest.MonkeyPatch) -> None:
    work = Work(faults.root)
    with injected(faults, patch):
        for step in work.steps:
            for attempt in range(TRIES):
                try:
                    step()
                except VaultUnwritable:
                    assert attempt < TRIES - 1, "it does not go on though the fault is gone"
                    is_on, faults.is_on = faults.is_on, False
                    work.look()
                    # A lasting fault occurs twice before it is removed.
                    faults.is_on = is_on and attempt == 0
                    continue
                break
            if step == work.flush:
                assert faults.undurable() == [], "it said flushed, and a power cut would take this"
        assert faults.repeats == []
    work.look()
    assert contents(FileVault(faults.root), KEY) == work.texts[KEY]
    assert all(work.vault.blob(work.vault.put_blob(data)) == data for data in work.blobs)
    work.vault.close()
    assert open_below(faults.root) == [], "a descriptor was left open"


def open_below(root: Path) -> list[Path]:
    """Returns the files below a folder that this process has open."""
    found: list[Path] = []
    for fd in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            found.append(fd.readlink())
    return [path for path in found if path.is_relative_to(root)]


SWEEPS = [(call, error) for call in CALLS for error in ERRORS] + [("write", "short")]


@pytest.mark.parametrize("is_lasting", [False, True], ids=["once", "lasting"])
@pytest.mark.parametrize(("call", "error"), SWEEPS)
def test_the_nth_call_fails(call, error, is_lasting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If any call fails, once or until the fault is removed, flushed data is durable and every step can be repeated."""
    for nth in range(1, 200):
        faults = Faults(tmp_path / str(nth), call, nth, error, is_lasting)
        run(faults, monkeypatch)
        if not faults.hits:
            break
    assert nth > 1, "the fault was never met"
    assert not faults.hits


def test_what_a_dead_writer_left_is_made_durable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that takes over unflushed lines of a dead writer syncs them before it acknowledges them."""
    with injected(Faults(tmp_path, "write", 10_000, "EIO"), monkeypatch) as faults:
        dead = FileVault(tmp_path)
        dead.append(KEY, line(1), seen_at=SEEN_AT)
        del dead
        assert faults.undurable()

        heir = FileVault(tmp_path, patience_s=1)
        assert heir.tail(KEY).seq == 1
        heir.flush()
        assert faults.undurable() == []


def test_the_layer_sees_a_flush_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes that were written and not synced, or whose sync failed once, count as lost."""
    path = tmp_path / "x.jsonl"
    with injected(Faults(tmp_path, "fsync", 1, "EIO"), monkeypatch) as faults:
        fd = os.open(path, os.O_CREAT | os.O_WRONLY)
        os.write(fd, b"x")
        assert faults.undurable() == ["bytes of x.jsonl", "the name x.jsonl"]
        with pytest.raises(OSError, match="Input/output"):
            os.fsync(fd)
        os.fsync(fd)
        assert faults.undurable() == ["bytes of x.jsonl", "the name x.jsonl"]
        assert faults.repeats == [fd]
        os.close(fd)
