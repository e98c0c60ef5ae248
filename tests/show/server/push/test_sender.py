"""Tests that push messages arrive, are tried again, and never pile up, against a push service with real TLS."""

import asyncio
import contextlib
import stat

import pytest
from msgspec import structs
from py_vapid import Vapid02

from chorus.core.notifications.notices import Notification
from chorus.show.server.push import sender as sender_module
from chorus.show.server.push.devices import Devices
from chorus.show.server.push.sender import MAX_WAITING, PushSender
from tests.show.server.push.push_service import PushService, until

NOTE = Notification(event="needs-you", title="An agent waits for you", body="", tag="t" * 32, conversation="w/main/s")


class World:
    """A service, a device that is subscribed to it, and a sender with short delays."""

    def __init__(self, folder, *, delays_s=(0.0, 0.0, 0.0)):
        self.service = PushService(folder)
        self.devices = Devices(folder / "state" / "notifications.json")
        self.sender = PushSender(
            self.devices, self.service.outgoing(), lambda: "mailto:a@example.org", delays_s=delays_s
        )

    @contextlib.asynccontextmanager
    async def running(self):
        async with self.service.open(), asyncio.TaskGroup() as group:
            self.devices.subscribe("phone", self.service.subscription())
            task = group.create_task(self.sender.run())
            await asyncio.sleep(0)
            yield self
            task.cancel()


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


def test_a_message_arrives(world, tmp_path):
    """The device reads what was sent, the sender is verified, and the state is readable by this user alone."""

    async def go():
        async with world.running():
            world.sender.send("phone", NOTE)
            await until(lambda: world.sender.sent == 1)

    asyncio.run(go())

    (text,), (head,) = world.service.texts, world.service.heads
    assert text == {"event": "needs-you", "title": NOTE.title, "body": "", "tag": NOTE.tag, "conversation": "w/main/s"}
    assert (head["Topic"], head["Urgency"], head["Content-Encoding"]) == (NOTE.tag, "high", "aes128gcm")
    assert Vapid02.verify(head["Authorization"])
    assert stat.S_IMODE((tmp_path / "state" / "notifications.json").stat().st_mode) == 0o600
    assert Devices(tmp_path / "state" / "notifications.json").key == world.devices.key


@pytest.mark.parametrize("trouble", ["503 Busy", "429 Too Many\r\nRetry-After: 0", "hang up", "500 Oh"])
def test_a_service_in_trouble_is_tried_again(world, trouble):
    """After a failure that may pass, the message is sent again."""
    world.service.answers = [trouble]

    async def go():
        async with world.running():
            world.sender.send("phone", NOTE)
            await until(lambda: world.sender.sent == 1)

    asyncio.run(go())
    assert len(world.service.texts) == 2 and world.sender.dropped == 0


@pytest.mark.parametrize("status", ["410 Gone", "404 Not Found"])
def test_a_subscription_that_ended_is_dropped(world, status):
    """The service says that the device is gone: nothing more is sent to it, and its rules stay."""
    world.service.answers = [status]

    async def go():
        async with world.running():
            world.sender.send("phone", NOTE)
            await until(lambda: world.sender.dropped == 1)
            world.sender.send("phone", NOTE)
            await until(lambda: not world.sender._waiting)

    asyncio.run(go())
    assert world.devices.of("phone").subscription is None and len(world.service.texts) == 1


@pytest.mark.parametrize(("answers", "tries"), [(["403 No"], 1), (["503 Busy"] * 9, 4)])
def test_what_does_not_help_is_given_up(world, answers, tries):
    """A refusal is not tried again, and trouble only a few times; the subscription stays."""
    world.service.answers = answers

    async def go():
        async with world.running():
            world.sender.send("phone", NOTE)
            await until(lambda: world.sender.dropped == 1)

    asyncio.run(go())
    assert len(world.service.texts) == tries and world.devices.of("phone").subscription is not None


def test_a_newer_message_replaces_one_that_waits(tmp_path):
    """While a message waits for its next try, a newer one with the same tag takes its place."""
    world = World(tmp_path, delays_s=(3_600.0,))
    world.service.answers = ["503 Busy"]

    async def go():
        async with world.running():
            world.sender.send("phone", NOTE)
            await until(lambda: len(world.service.texts) == 1)
            world.sender.send("phone", structs.replace(NOTE, title="newer"))
            await until(lambda: world.sender.sent == 1)

    asyncio.run(go())
    assert [text["title"] for text in world.service.texts] == [NOTE.title, "newer"] and world.sender.dropped == 0


def test_the_queue_is_bounded(tmp_path):
    """With a service that does not answer, the oldest messages are dropped and counted."""
    world = World(tmp_path, delays_s=(3_600.0,))
    world.service.answers = ["503 Busy"] * (MAX_WAITING * 2)

    async def go():
        async with world.running():
            for number in range(MAX_WAITING + 7):
                world.sender.send("phone", structs.replace(NOTE, tag=f"{number:032}"))
            await until(lambda: world.sender.dropped == 7)

    asyncio.run(go())
    assert len(world.sender._waiting) == sender_module.MAX_WAITING
