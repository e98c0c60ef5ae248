"""Tests that long answers about one conversation do not delay other requests."""

import asyncio
import threading
import time

import pytest

from chorus.show.server.errors import Refused
from chorus.show.server.services.lanes import HEAVY_S, Lanes


def inside(lanes, *names):
    """Returns the names that have a place after all have asked in order and none has left, and then frees all."""

    async def run():
        held, found = asyncio.Event(), []

        async def ask(name):
            async with lanes.lane(name):
                found.append(name)
                await held.wait()

        async with asyncio.TaskGroup() as group:
            for name in names:
                group.create_task(ask(name))
                await asyncio.sleep(0.001)
            seen = list(found)
            held.set()
        return seen, found

    seen, found = asyncio.run(run())
    assert sorted(found) == sorted(names), "somebody never got a place"
    return seen


def make_heavy(lanes, name):
    """Records an answer about a conversation that computes for a long time."""
    until = time.thread_time() + 1.5 * HEAVY_S

    def act():
        while time.thread_time() < until:
            pass

    lanes.timed(name, act)


def test_one_request_of_a_name_at_a_time():
    """While a conversation is read, the next request about it waits, and a request about another one does not."""
    assert inside(Lanes(4), "giant", "giant", "small") == ["giant", "small"]


def test_heavy_names_take_one_place_together():
    """Heavy conversations share one place, so a light one finds a place at once."""
    lanes, heavy = Lanes(4), [f"heavy{number}" for number in range(4)]
    for name in heavy:
        make_heavy(lanes, name)

    assert inside(lanes, *heavy, "light") == ["heavy0", "light"]


def test_what_is_not_about_a_conversation_keeps_a_reader():
    """Conversations that were never read before use all readers but one, which is left for other requests."""
    assert len(inside(Lanes(4), *(f"new{number}" for number in range(8)))) == 3


def test_a_name_becomes_light_again_by_and_by():
    """One short answer does not make a heavy conversation light at once; several do."""
    lanes = Lanes(2)
    make_heavy(lanes, "a")
    make_heavy(lanes, "a")
    told = [lanes.is_heavy("a")]
    for _ in range(3):
        lanes.timed("a", lambda: None)
        told.append(lanes.is_heavy("a"))

    assert told[0] is True
    assert told[-1] is False


def test_too_many_for_one_name_are_refused():
    """A request is refused at once if too many wait for its conversation, and later requests are not affected."""
    lanes = Lanes(4)
    with pytest.raises(ExceptionGroup) as refused:
        inside(lanes, *["one"] * 33)

    assert refused.group_contains(Refused)
    assert inside(lanes, "one", "other") == ["one", "other"]


def test_times_are_those_of_the_reader():
    """Only computing makes a conversation heavy, and the time that an answer waits does not count."""
    lanes, done = Lanes(2), threading.Event()
    threading.Timer(2 * HEAVY_S, done.set).start()
    lanes.timed("waits", lambda: done.wait(10))

    assert not lanes.is_heavy("waits")
