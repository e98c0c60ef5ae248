"""Tests row F5: a full disk gives a clear error, shows nothing partial, and work continues when there is room again."""

import subprocess
import sys
from pathlib import Path

import pytest

from chorus.errors import VaultUnwritable
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.port import contents
from tests.keep.vault.lines import KEY, SEEN_AT, SIDE, line, source

LIMITED = """
import resource, signal, sys
from pathlib import Path
from chorus.errors import VaultUnwritable
from chorus.keep.vault.files import FileVault
from tests.keep.vault.lines import KEY, SEEN_AT, line

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
resource.setrlimit(resource.RLIMIT_FSIZE, (9_999, hard))
vault = FileVault(Path(sys.argv[1]))
kept = 0
try:
    while kept < 100:
        vault.append(KEY, line(kept, most=300), seen_at=SEEN_AT)
        kept += 1
except VaultUnwritable as error:
    print(error)
vault.flush()
assert [each.head.seq for each in FileVault(Path(sys.argv[1])).lines(KEY)] == list(range(kept))
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
for number in range(kept, 60):
    vault.append(KEY, line(number, most=300), seen_at=SEEN_AT)
vault.close()
"""


def fill(vault: FileVault, key, start: int) -> int:
    """Appends until the disk is full, and returns the number of the first line that was refused."""
    for number in range(start, 10_000):
        try:
            vault.append(key, line(number, most=300), seen_at=SEEN_AT)
        except VaultUnwritable:
            return number
    raise AssertionError("the disk is never full")


def test_a_full_disk_loses_nothing(small_disk: Path) -> None:
    """A line is written whole or not at all. When there is room again, the same vault continues without a restart."""
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(30_000))
    vault = FileVault(small_disk / "vault")
    vault.append(SIDE, b"first\n", seen_at=SEEN_AT)
    vault.flush()

    stopped = fill(vault, KEY, 0)
    vault.flush()
    assert contents(FileVault(small_disk / "vault"), KEY) == source(stopped, most=300)
    with pytest.raises(VaultUnwritable, match="No space left"):
        vault.put_blob(b"x" * 70_000)
    with pytest.raises(VaultUnwritable, match="No space left"):
        vault.append(SIDE, b"y" * 70_000, seen_at=SEEN_AT)

    ballast.unlink()
    went_on = fill(vault, KEY, stopped)
    vault.close()
    assert went_on > stopped
    assert contents(FileVault(small_disk / "vault"), KEY) == source(went_on, most=300)
    assert contents(vault, SIDE) == b"first\n"
    assert not list((small_disk / "vault").rglob("*.tmp"))


def test_a_file_that_may_not_grow_takes_no_half_line(tmp_path: Path) -> None:
    """If the system cuts a write short and then refuses it, the partial line is removed and written again later."""
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path)], cwd=root, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    assert "File too large" in done.stdout
    assert contents(FileVault(tmp_path), KEY) == source(60, most=300)
