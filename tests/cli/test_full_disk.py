"""Tests of `chorus sync` on a full disk."""

import subprocess

import pytest

from chorus.keep.vault.files import FileVault
from chorus.keep.vault.port import Damaged
from tests.cli.commands import run_process
from tests.support.keeping import SESSION, client_folder

LINES = [b'{"type":"mode","mode":"%d","filling":"%s"}\n' % (number, b"x" * 1000) for number in range(200)]


@pytest.fixture
def session(tmp_path_factory):
    """A session of 200 kB in a client's folder on another disk."""
    folder = tmp_path_factory.mktemp("claude")
    client_folder(folder)
    (path,) = folder.rglob(f"{SESSION}.jsonl")
    with path.open("ab") as file:
        file.writelines(LINES)
    return path


def give_room(disk):
    subprocess.run(["mount", "-o", "remount,size=8m", str(disk)], check=True)


def verified(home):
    return run_process("verify", "--vault", home)


def test_a_pass_onto_a_full_disk_says_so_and_the_next_one_goes_on(small_disk, session):
    """The pass fails without a traceback or damage, and after there is room, the next pass records the rest."""
    home = small_disk / "home"
    full = run_process("sync", session.parents[2], "--vault", home)

    assert full.returncode == 2 and b"No space left" in full.stderr and b"Traceback" not in full.stderr
    kept = [line for key in FileVault(home).keys() for line in FileVault(home).lines(key)]  # noqa: SIM118 - a method
    assert not any(isinstance(line, Damaged) for line in kept)
    give_room(small_disk)
    assert run_process("sync", session.parents[2], "--vault", home).returncode == 0
    done = verified(home)
    assert done.returncode == 0 and b"2 equal" in done.stdout, done.stdout


def test_a_pipe_onto_a_full_disk_says_so(small_disk):
    """A pipe cannot be read again, so the message names the file with the part that was written."""
    home = small_disk / "home"
    full = run_process("sync", "-", "--vault", home, given=b"".join(LINES))

    assert full.returncode == 2 and b"No space left" in full.stderr and b"Traceback" not in full.stderr
    (path,) = (home / "stdin").iterdir()
    assert str(path).encode() in full.stderr
    assert path.stat().st_size and b"".join(LINES).startswith(path.read_bytes())
