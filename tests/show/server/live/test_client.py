"""Tests the queue of one socket: it is bounded, keeps the order, and reports every frame that it dropped."""

import asyncio
import json

from hypothesis import given
from hypothesis import strategies as st

from chorus.show.server.edge.limits import Limits
from chorus.show.server.live.client import Client, Outgoing


def _changed(since: int, seq: int, size_bytes: int = 10) -> Outgoing:
    return Outgoing(json.dumps({"type": "changed", "since": since, "seq": seq}), size_bytes, seq)


def _gap(since: int, seq: int) -> Outgoing:
    return Outgoing(json.dumps({"type": "gap", "since": since, "seq": seq}), 10, seq)


async def _taken(client: Client, number: int) -> list[dict]:
    found = []
    for _ in range(number):
        frame = await client.next()
        assert frame is not None
        client.sent()
        found.append(json.loads(frame.text))
    return found


def test_a_full_queue_becomes_one_gap():
    """A full queue is replaced by one gap frame, and later frames are sent as usual."""

    async def act() -> list[dict]:
        client = Client("me", Limits(queue_frames=3), 0, _gap)
        for seq in range(1, 6):
            client.offer([_changed(seq - 1, seq)])
        return await _taken(client, 2)

    assert asyncio.run(act()) == [
        {"type": "gap", "since": 0, "seq": 4},
        {"type": "changed", "since": 4, "seq": 5},
    ]


def _frame(number: int) -> Outgoing:
    return Outgoing(json.dumps({"type": "runs", "number": number}), 10, key="runs", is_snapshot=True)


def test_the_current_state_is_sent_whatever_is_left_out():
    """A gap or a restart drops changes of the feed, and the latest snapshot frame is sent after it."""

    async def act() -> list[dict]:
        client = Client("me", Limits(queue_frames=3), 0, _gap)
        client.offer([_frame(1)])
        for seq in range(1, 4):
            client.offer([_changed(seq - 1, seq)])
        client.offer([_frame(2)])
        full = Client("me", Limits(queue_frames=1), 0, _gap)
        full.offer([_changed(0, 1)])
        full.offer([_frame(3)])
        anew = Client("me", Limits(), 0, _gap)
        anew.offer([_changed(0, 1), _frame(4)])
        anew.restart(_changed(0, 9), 9)
        return [each for client in (client, full, anew) for each in await _taken(client, 2)]

    assert asyncio.run(act()) == [
        {"type": "gap", "since": 0, "seq": 3},
        {"type": "runs", "number": 2},
        {"type": "gap", "since": 0, "seq": 1},
        {"type": "runs", "number": 3},
        {"type": "changed", "since": 0, "seq": 9},
        {"type": "runs", "number": 4},
    ]


def test_bytes_count_as_well():
    """The queue also has a limit in bytes, because few frames may be large."""

    async def act() -> list[dict]:
        client = Client("me", Limits(queue_bytes=100), 0, _gap)
        client.offer([_changed(0, 1, 60)])
        client.offer([_changed(1, 2, 60)])
        return await _taken(client, 1)

    assert asyncio.run(act()) == [{"type": "gap", "since": 0, "seq": 2}]


def test_frames_of_one_key_replace_each_other_in_their_place():
    """A new frame replaces a waiting frame of the same key at its position, so only the last state needs room."""

    async def act() -> list[str]:
        client = Client("me", Limits(), 0, _gap)
        client.offer([Outgoing("a1", 2, key="a"), Outgoing("b", 1), Outgoing("c1", 2, key="c")])
        client.offer([Outgoing("a2", 2, key="a")])
        found = [frame.text for frame in [await client.next() for _ in range(3)] if frame]
        client.offer([Outgoing("a3", 2, key="a")])
        last = await client.next()
        return [*found, last.text if last else ""]

    assert asyncio.run(act()) == ["a2", "b", "c1", "a3"]


def test_a_socket_is_stalled_only_when_it_takes_nothing_after_a_gap():
    """A slow reader gets a gap frame, and only a reader that takes nothing after that counts as stalled."""

    async def act() -> list[bool]:
        client = Client("me", Limits(queue_frames=1, stalled_s=0.0), 0, _gap)
        client.offer([_changed(0, 1)])
        found = [client.is_stalled]
        client.offer([_changed(1, 2)])
        await asyncio.sleep(0.01)
        found.append(client.is_stalled)
        await _taken(client, 1)
        return [*found, client.is_stalled]

    assert asyncio.run(act()) == [False, True, False]


def test_to_end_is_to_send_nothing_more():
    """When a client ends, a task that waits for a frame wakes up and gets none, and the first code stays."""

    async def act() -> tuple[object, int | None]:
        client = Client("me", Limits(), 0, _gap)
        asyncio.get_running_loop().call_later(0.01, client.end, 1001)
        waited = await client.next()
        client.end(4401)
        return waited, client.ending

    assert asyncio.run(act()) == (None, 1001)


@given(st.lists(st.one_of(st.integers(1, 4), st.none()), max_size=60), st.integers(1, 5))
def test_a_reader_gets_every_change_whatever_it_does(steps, room):
    """Each frame, including a gap, begins where the previous one ended, and the last one ends where the feed ends."""

    async def act() -> None:
        client = Client("me", Limits(queue_frames=room), 0, _gap)
        told, place = 0, 0
        for step in steps:
            if step is not None:
                rows = [Outgoing('{"type": "rows"}', 5)] * (step - 1)
                client.offer([*rows, _changed(told, told + 1)])
                told += 1
                continue
            if client.is_idle:
                continue
            (frame,) = await _taken(client, 1)
            if frame["type"] != "rows":
                assert frame["since"] == place
                place = frame["seq"]
        while not client.is_idle:
            (frame,) = await _taken(client, 1)
            if frame["type"] != "rows":
                assert frame["since"] == place
                place = frame["seq"]
        assert place == told

    asyncio.run(act())
