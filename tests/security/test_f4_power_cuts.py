"""Tests of F4: a power cut at any moment, with lost and torn writes, loses nothing that was acknowledged."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("crash_images.py")
PATIENCE_S = 1_800


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="the test's file layer needs /proc")
@pytest.mark.parametrize(("count", "seed"), [(30, 1), pytest.param(500, 2, marks=pytest.mark.long)])
def test_no_power_cut_takes_what_was_acknowledged(tmp_path, count, seed):
    """Every image of the disk contains what was acknowledged, and another pass makes the vault equal to the sources."""
    call = [sys.executable, str(PROGRAM), str(tmp_path), str(count), str(seed)]
    done = subprocess.run(call, capture_output=True, text=True, timeout=PATIENCE_S, check=False)

    assert done.returncode == 0, done.stderr[-3_000:]
    assert f"images={count} acknowledged_lost=0" in done.stdout
    print(f"F4: {done.stdout.strip()}")
