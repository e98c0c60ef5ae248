"""Tests row F6: several processes write one vault at the same time."""

import json
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest

from chorus.errors import VaultUnwritable
from chorus.keep.vault import verification
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.line import StoredLine
from chorus.keep.vault.port import contents
from tests.keep.vault.lines import KEY, SEEN_AT
from tests.keep.vault.together import SHARED

PROGRAM = Path(__file__).with_name("together.py")
WRITERS = 8
LINES = 120


def test_eight_processes_append_at_once(tmp_path: Path) -> None:
    """Own and shared streams that are sealed in between have every line once and whole, in its writer's order."""
    call = [sys.executable, str(PROGRAM), str(tmp_path / "vault")]
    running = [subprocess.Popen([*call, str(who), str(LINES)], stderr=subprocess.PIPE) for who in range(WRITERS)]
    for process in running:
        _, said = process.communicate(timeout=300)
        assert process.returncode == 0, said.decode()

    vault = FileVault(tmp_path / "vault")
    assert set(vault.keys()) == {*SHARED, *(StreamKey("w", "main", f"own-{who}") for who in range(WRITERS))}
    for key in list(vault.keys()):
        found = list(vault.lines(key))
        assert all(isinstance(line, StoredLine) for line in found)
        said = [json.loads(line) for line in contents(vault, key).splitlines()]
        writers = range(WRITERS) if key in SHARED else [int(key.conversation.removeprefix("own-"))]
        assert Counter(line["who"] for line in said) == dict.fromkeys(writers, LINES)
        for who in writers:
            assert [line["n"] for line in said if line["who"] == who] == list(range(LINES))
    assert list(verification.findings(vault, is_full=True)) == []


def test_threads_share_a_vault(tmp_path: Path) -> None:
    """Threads that append to one stream of one vault object leave every line whole."""
    vault = FileVault(tmp_path)

    def write(who: int) -> None:
        for number in range(100):
            vault.append(KEY, b"%d %d\n" % (who, number), seen_at=SEEN_AT)
            if number % 10 == who:
                vault.flush()

    threads = [threading.Thread(target=write, args=(who,)) for who in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    vault.close()

    assert Counter(contents(vault, KEY).splitlines()) == {b"%d %d" % (w, n): 1 for w in range(4) for n in range(100)}


def test_nobody_else_appends_between_tail_and_flush(tmp_path: Path) -> None:
    """A second writer gets an error between `tail` and `flush` of the first, and can append after it."""
    one, other = FileVault(tmp_path), FileVault(tmp_path, patience_s=0.05)
    one.append(KEY, b"a\n", seen_at=SEEN_AT)
    one.flush()
    one.tail(KEY)

    with pytest.raises(VaultUnwritable, match="another process"):
        other.append(KEY, b"b\n", seen_at=SEEN_AT)
    one.flush()
    assert other.append(KEY, b"b\n", seen_at=SEEN_AT).seq == 2
    other.close()


def test_an_end_that_moved_is_not_gone_on_from(tmp_path: Path) -> None:
    """Reading the end of a sealed stream takes no lock.

    If another writer appended since, the append is refused, so no line comes twice.
    """
    one, other = FileVault(tmp_path), FileVault(tmp_path)
    one.append(KEY, b"a\n", seen_at=SEEN_AT)
    one.seal(KEY)
    one.tail(KEY)
    other.append(KEY, b"b\n", seen_at=SEEN_AT)
    other.flush()

    with pytest.raises(VaultUnwritable, match="new end"):
        one.append(KEY, b"b\n", seen_at=SEEN_AT)
    assert one.tail(KEY).offset == 4
    assert contents(one, KEY) == b"a\nb\n"
    one.close()


def test_more_streams_than_open_files(tmp_path: Path) -> None:
    """A vault accepts any number of streams and has only a few of them open."""
    vault = FileVault(tmp_path)
    keys = [StreamKey("w", "main", f"talk-{n}") for n in range(200)]
    for turn in (b"1\n", b"2\n"):
        for key in keys:
            vault.append(key, turn, seen_at=SEEN_AT)
    assert len(list(Path("/proc/self/fd").iterdir())) < 150
    vault.close()

    assert all(contents(vault, key) == b"1\n2\n" for key in keys)
