"""Tests that the server returns unused memory to the system."""

import asyncio

import pytest

from chorus.show.server import memory


def given_back(monkeypatch, counts, *, busy_s=1e9):
    """Returns how often memory is returned while the work counter has the given values, one per look."""
    given = []
    looks = iter(counts)
    monkeypatch.setattr(memory, "LOOK_S", 0)
    monkeypatch.setattr(memory, "BUSY_S", busy_s)
    monkeypatch.setattr(memory, "give_back", lambda: given.append(None))

    class Over(Exception):  # noqa: N818 - no error
        pass

    def done():
        found = next(looks, None)
        if found is None:
            raise Over
        return found

    with pytest.raises(Over):
        asyncio.run(memory.tidy(done))
    return len(given)


def test_memory_is_given_back_when_work_is_over(monkeypatch):
    """Memory is returned once after each period of work, and never while nothing happens."""
    assert given_back(monkeypatch, [0, 0, 0, 0]) == 0
    assert given_back(monkeypatch, [0, 1, 2, 3, 3, 3, 3]) == 1
    assert given_back(monkeypatch, [0, 1, 1, 1, 2, 2, 2]) == 2


def test_memory_is_given_back_now_and_then_under_load(monkeypatch):
    """Memory is also returned from time to time during work that does not end."""
    assert given_back(monkeypatch, [0, 1, 2, 3, 4], busy_s=0) == 4
    assert given_back(monkeypatch, [0, 1, 2, 3, 4]) == 0


def test_it_runs_wherever_the_server_does():
    """Nothing happens on a system whose C library does not have the functions."""
    memory.share()
    memory.give_back()
