"""Tests row F1: after real signals kill writers at any moment on real files, no acknowledged line is lost."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("killing.py")


def kill(mode: str, root: Path, kills: int, seed: int) -> dict[str, int]:
    call = [sys.executable, str(PROGRAM), mode, str(root), str(kills), str(seed)]
    done = subprocess.run(call, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return {name: int(count) for name, count in re.findall(r"(\w+)=(\d+)", done.stdout)}


@pytest.mark.parametrize("kills", [100, pytest.param(300, marks=pytest.mark.long)])
def test_a_writer_killed_at_any_moment_loses_nothing(disk_path: Path, kills: int) -> None:
    """After each kill on a disk, every acknowledged line exists, and the next writer continues."""
    seen = kill("append", disk_path, kills, 1)

    assert seen["kills"] == kills
    assert seen["acknowledged"] > 0


@pytest.mark.parametrize("kills", [250, pytest.param(800, marks=pytest.mark.long)])
def test_a_writer_killed_in_the_middle_of_a_line_loses_nothing(tmp_path: Path, kills: int) -> None:
    """If most of the time is spent in writes, torn ends are cut off, and acknowledged lines stay."""
    seen = kill("append", tmp_path, kills, 2)

    assert seen["kills"] == kills
    assert seen["acknowledged"] > 0
    assert seen["torn"] > 0, "no kill met a write: the test tests nothing"


@pytest.mark.parametrize("kills", [80, pytest.param(200, marks=pytest.mark.long)])
def test_sealing_killed_at_any_moment_loses_nothing(tmp_path: Path, kills: int) -> None:
    """After each kill during sealing or unsealing, the stream reads the same from the remaining files."""
    seen = kill("seal", tmp_path, kills, 3)

    assert seen["acknowledged"] > 0
    assert seen["sealed"] > 0
    assert seen["halves"] > 0, "no kill met the sealing: the test tests nothing"
