"""Tests that files are shared between processes completely and evenly, and that errors are reported."""

import os
import signal
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chorus.errors import ChorusError
from chorus.lab.census import parallel
from chorus.lab.census.parallel import chunks_of, count
from chorus.lab.census.stats import Stats
from chorus.testing.builders import Session
from tests.support.running import is_alive, until

SIZES = st.dictionaries(st.text(min_size=1), st.integers(1, 10**9))


@given(SIZES, st.integers(1, 30))
def test_each_file_is_in_one_chunk(sizes, number):
    """Every file is in exactly one chunk."""
    chunks = chunks_of(sizes, number)

    assert sorted(name for chunk in chunks for name in chunk) == sorted(sizes)
    assert len(chunks) == min(number, len(sizes)) and all(chunks)


@given(SIZES, st.integers(1, 30))
def test_chunks_are_balanced(sizes, number):
    """The largest chunk exceeds the smallest by at most its own last file, so that no core waits long for another."""
    loads = [[sizes[name] for name in chunk] for chunk in chunks_of(sizes, number)]
    if len(loads) > 1:
        largest, smallest = max(loads, key=sum), min(loads, key=sum)

        assert sum(largest) - sum(smallest) <= largest[-1] or len(largest) == 1


def files_of(folder, number):
    names = []
    for n in range(number):
        session = Session(f"5e551011-0000-4000-8000-{n:012d}")
        session.user("hi")
        session.assistant("hello")
        names.append(str(folder / f"{n}.jsonl"))
        (folder / f"{n}.jsonl").write_bytes(bytes(session))
    return names


def counted(names):
    advanced, failures = [], []
    found = count(Stats, names, advance=advanced.append, failed=failures.append)
    return found.as_json(), sum(advanced), [str(failure) for failure in failures]


@pytest.fixture
def eager(monkeypatch):
    """Makes the code use two workers even for small files and on a machine with one core."""
    monkeypatch.setattr(parallel, "SMALL_BYTES", 0)
    monkeypatch.setattr("os.cpu_count", lambda: 2)


def test_workers_count_what_one_process_counts(tmp_path, eager, monkeypatch):
    """Workers give the same numbers and the same progress as one process."""
    names = files_of(tmp_path, 5)
    shared_out = counted(names)
    monkeypatch.setattr(parallel, "SMALL_BYTES", 1 << 40)

    assert shared_out == counted(names)
    assert shared_out[0]["files"] == 5 and shared_out[1] == shared_out[0]["bytes"]


def test_a_failure_in_a_worker_is_reported(tmp_path, eager, monkeypatch):
    """A file that disappears between listing and reading is reported, and the other files are counted."""
    names = files_of(tmp_path, 3)
    monkeypatch.setattr("chorus.keep.sources.reading.is_regular", lambda name: True)
    (tmp_path / "1.jsonl").unlink()
    numbers, _, failures = counted(names)

    assert numbers["files"] == 2
    assert len(failures) == 1 and failures[0].startswith(str(tmp_path / "1.jsonl"))


class Dying(Stats):
    """A count that ends its worker process."""

    def take(self, name, advance=None):
        import os

        os._exit(9)


def test_a_worker_that_dies_is_one_clear_error(tmp_path, eager):
    """If a worker dies, one error says what happened, without a hang or a traceback."""
    with pytest.raises(ChorusError, match="worker process was killed"):
        count(Dying, files_of(tmp_path, 2), advance=lambda _: None, failed=lambda _: None)


KILLED = """
import os, signal
from chorus.base.pool import open_pool
if __name__ == "__main__":
    pool = open_pool(2)
    print(*{pool.submit(os.getpid).result() for _ in range(20)}, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_workers_end_with_who_started_them(tmp_path):
    """Workers end with the process that started them, even if it was killed."""
    script = tmp_path / "killed.py"
    script.write_text(KILLED)
    ended = subprocess.run([sys.executable, script], check=False, capture_output=True, text=True, timeout=60)
    workers = [int(pid) for pid in ended.stdout.split()]

    assert ended.returncode == -signal.SIGKILL and workers and os.getpid() not in workers
    until(lambda: not any(map(is_alive, workers)))
