"""Tests that `but` is started in one place, with limited time and limited output."""

import os
from pathlib import Path

import pytest

from chorus.base import but as module
from chorus.base.but import find_but
from chorus.errors import GitFailed
from tests.support.gitbutler import ButlerRepository


@pytest.fixture
def butler(tmp_path, monkeypatch) -> ButlerRepository:
    return ButlerRepository(tmp_path, monkeypatch)


def test_the_version_is_read(butler):
    """The version is compared as numbers."""
    butler.install("0.19.13")
    found = find_but(butler.folder)

    assert found is not None
    assert found.version == (0, 19, 13)
    assert found.version < (0, 20, 0)


def test_too_much_output_ends_it(butler, monkeypatch):
    """A program that prints without end is stopped."""
    monkeypatch.setattr(module, "MAX_OUTPUT_BYTES", 100_000)
    butler.install("0.22.0", BUT_PRINTS="5000000")
    found = find_but(butler.folder)

    assert found is not None
    with pytest.raises(GitFailed, match="printed more than"):
        found.call(butler.folder, "status", "--json", patience_s=30)


def test_nothing_is_left_of_a_program_that_hangs(butler, tmp_path):
    """A call that takes too long is stopped together with the processes that it started."""
    program = tmp_path / "slow"
    program.write_text('#!/bin/sh\nsleep 600 &\necho $! > "$0.pid"\nwait\n')
    program.chmod(0o755)

    with pytest.raises(GitFailed, match="took longer than"):
        module.But(str(program), (1, 0, 0)).call(tmp_path, "status", patience_s=1.0)

    child = int((tmp_path / "slow.pid").read_text())
    for _ in range(200):
        if not _runs(child):
            break
        os.sched_yield()
    assert not _runs(child)


def test_a_large_input_does_not_block(butler, tmp_path):
    """A program that reads no input and prints first does not block the call."""
    program = tmp_path / "deaf"
    program.write_text("#!/bin/sh\nexec <&-\nhead -c 300000 /dev/zero\n")
    program.chmod(0o755)

    answer = module.But(str(program), (1, 0, 0)).call(tmp_path, "x", input_bytes=b"y" * 3_000_000, patience_s=30)

    assert len(answer.output) == 300_000


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except OSError:
        return False
