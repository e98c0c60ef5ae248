"""Tests that data from pipes is stored as it arrives, however the reader ends."""

import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from chorus.testing.builders import Session
from tests.keep.sources.keeping import Keeper

PATIENCE_S = 60.0
pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")


def lines(n, name="5e551013-0000-4000-8000-000000000001"):
    session = Session(name)
    for number in range(n):
        session.user(f"line {number}")
    return bytes(session)


@contextmanager
def reading(vault, *sources):
    command = [sys.executable, "-m", "chorus", "sync", "--vault", str(vault), *map(str, sources)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None
    try:
        yield process, process.stdin
    finally:
        process.kill()
        process.communicate()


@contextmanager
def watching(vault, *sources):
    """Runs `chorus sync --watch` and waits until it watches."""
    with reading(vault, "--watch", *sources) as (process, pipe):
        assert process.stderr is not None and b"watching" in process.stderr.readline()
        yield process, pipe


def until(holds):
    end = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)


def kept(vault):
    """Returns the stored bytes of each log, sorted by name; each log is the only source of its conversation."""
    keeper = Keeper(vault)
    return [keeper.kept(name) for name in sorted(keeper.streams()) if name.endswith("/session")]


def sync(vault, folder):
    folder.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "chorus", "sync", "--vault", str(vault), "--json", str(folder)]
    return json.loads(subprocess.run(command, capture_output=True, check=True, timeout=PATIENCE_S).stdout)


def test_a_reader_that_is_killed_has_kept_the_whole_lines(tmp_path):
    """If a reader is killed while its pipe is open, complete lines are stored, and the next pass stores the rest."""
    whole, vault = lines(5), tmp_path / "v"
    with reading(vault, "-") as (process, pipe):
        pipe.write(whole[:200])
        pipe.flush()
        pipe.write(whole[200:] + b'{"type":"us')
        pipe.flush()
        until(lambda: kept(vault) == [whole])
        # Other processes can sync while it reads.
        assert sync(vault, tmp_path / "nothing")["sources"] == 0
        process.kill()
        process.wait()
        assert kept(vault) == [whole]
    assert len(list((vault / "stdin").iterdir())) == 1

    sync(vault, tmp_path / "nothing")
    assert kept(vault) == [whole + b'{"type":"us'] and list((vault / "stdin").iterdir()) == []


def test_what_names_no_session_is_kept_too(tmp_path):
    """Text that is not a record, and never becomes one, is stored too."""
    vault = tmp_path / "v"
    with reading(vault, "-") as (_, pipe):
        pipe.write(b"noise\n")
        pipe.flush()
        until(lambda: list((vault / "stdin").glob("*")) != [])
        time.sleep(1.2)
        pipe.write(b"more noise\n")
        pipe.flush()
        until(lambda: kept(vault) == [b"noise\nmore noise\n"])


def test_named_pipes_are_read_side_by_side(tmp_path):
    """A person may name pipes as sources, and each is a separate log, whichever is written first."""
    vault, one, two = tmp_path / "v", tmp_path / "one", tmp_path / "two.jsonl"
    os.mkfifo(one)
    os.mkfifo(two)
    first, second = lines(3), lines(4, "5e551013-0000-4000-8000-000000000002")
    with reading(vault, one, two) as (process, _):
        with two.open("wb", buffering=0) as file:
            file.write(second)
            until(lambda: kept(vault) == [second])
            with one.open("wb", buffering=0) as other:
                other.write(first)
        output, _ = process.communicate(timeout=PATIENCE_S)

    assert process.returncode == 0 and b"2 sources: 2 new" in output
    assert kept(vault) == [first, second] and list((vault / "stdin").iterdir()) == []


def test_folders_are_watched_while_a_pipe_is_open(tmp_path):
    """A folder and a pipe are read at the same time. Neither waits for the other, and the end of the pipe is stored."""
    vault, folder = tmp_path / "v", tmp_path / "claude" / "projects" / "-p"
    folder.mkdir(parents=True)
    piped, written = lines(4), Session("5e551013-0000-4000-8000-000000000002")
    written.user("in the folder")
    path = folder / f"{written.id}.jsonl"
    with watching(vault, "-", tmp_path / "claude") as (process, pipe):
        path.write_bytes(bytes(written))
        until(lambda: kept(vault) == [bytes(written)])
        pipe.write(piped)
        pipe.flush()
        until(lambda: kept(vault) == [piped, bytes(written)])
        written.user("more")
        path.write_bytes(bytes(written))
        until(lambda: kept(vault) == [piped, bytes(written)])
        pipe.write(piped + b"no line")
        pipe.close()
        process.stdin = None
        until(lambda: kept(vault) == [piped + piped + b"no line", bytes(written)])
        until(lambda: list((vault / "stdin").iterdir()) == [])
        written.user("after the pipe")
        path.write_bytes(bytes(written))
        until(lambda: kept(vault)[1] == bytes(written))
        assert process.poll() is None


def test_a_watcher_that_is_ended_keeps_what_came_through_its_pipe(tmp_path):
    """If a watcher ends while its pipe is open, complete lines are stored, and the next pass stores the rest."""
    vault, piped = tmp_path / "v", lines(3)
    with watching(vault, "-") as (process, pipe):
        pipe.write(piped + b'{"type":"us')
        pipe.flush()
        until(lambda: [path.stat().st_size for path in (vault / "stdin").glob("*")] == [len(piped) + 11])
        process.terminate()
        assert process.wait(PATIENCE_S) == 0
    assert kept(vault) == [piped]

    sync(vault, tmp_path / "nothing")
    assert kept(vault) == [piped + b'{"type":"us']
