"""F1: writers killed at any moment, by real signals on real files: nothing that was acknowledged is lost."""

import re
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).with_name("killing.py")


def kill(mode: str, root: Path, kills: int, seed: int) -> dict[str, int]:
    call = [sys.executable, str(PROGRAM), mode, str(root), str(kills), str(seed)]
    done = subprocess.run(call, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return {name: int(count) for name, count in re.findall(r"(\w+)=(\d+)", done.stdout)}


def test_a_writer_killed_at_any_moment_loses_nothing(disk_path: Path) -> None:
    """300 kills on a disk: every acknowledged line is there, and the next writer goes on."""
    seen = kill("append", disk_path, 300, 1)

    assert seen["kills"] == 300
    assert seen["acknowledged"] > 0


def test_a_writer_killed_in_the_middle_of_a_line_loses_nothing(tmp_path: Path) -> None:
    """800 kills where writes are most of the time: torn tails are cut off, acknowledged lines stay."""
    seen = kill("append", tmp_path, 800, 2)

    assert seen["kills"] == 800
    assert seen["acknowledged"] > 0
    assert seen["torn"] > 0, "no kill met a write: the test tests nothing"


def test_sealing_killed_at_any_moment_loses_nothing(tmp_path: Path) -> None:
    """200 kills among sealing and unsealing: the stream reads the same from whatever files are left."""
    seen = kill("seal", tmp_path, 200, 3)

    assert seen["acknowledged"] > 0
    assert seen["sealed"] > 0
    assert seen["halves"] > 0, "no kill met the sealing: the test tests nothing"
