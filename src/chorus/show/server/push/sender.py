"""Sends push messages, and tries again where that helps. It never makes anybody wait: what is too much is dropped.

A newer message with the same tag replaces one that still waits. A push service that says that a subscription has ended
is believed.
"""

import asyncio
import contextlib
import itertools
import time
from collections.abc import Callable, Mapping

import msgspec
from msgspec import Struct

from chorus.base.outgoing import HttpAnswer, Outgoing
from chorus.core.notifications.notices import Notification
from chorus.errors import AddressRefused, Unreachable
from chorus.show.server import log
from chorus.show.server.push.devices import Devices, Subscription
from chorus.show.server.push.encryption import MAX_TEXT_BYTES, authorization, encrypt

MAX_WAITING = 200
DELAYS_S = (2.0, 15.0, 60.0, 300.0)
"""How long to wait before each further try."""
LIFE_S = 12 * 3_600
"""How long a push service keeps a message for a device that is switched off."""
_TOKEN_S = 12 * 3_600
"""The standard allows 24 hours at most."""
_AT_ONCE = 4
_GONE = (404, 410)
_LATER = (408, 425, 429)


class _Message(Struct):
    login: str
    notification: Notification
    number: int
    tries: int = 0
    due_at: float = 0.0


class PushSender:
    """The queue of one server. `send` may be called from any thread."""

    def __init__(
        self,
        devices: Devices,
        outgoing: Outgoing,
        contact: Callable[[], str],
        *,
        delays_s: tuple[float, ...] = DELAYS_S,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`contact` returns an address of the sender, which a push service may write to."""
        self._devices = devices
        self._outgoing = outgoing
        self._contact = contact
        self._delays_s = delays_s
        self._now = now
        self._waiting: dict[tuple[str, str], _Message] = {}
        self._numbers = itertools.count()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._wake = asyncio.Event()
        self.dropped = 0
        """How many messages were given up."""
        self.sent = 0
        """How many messages a push service has taken."""

    def send(self, login: str, notification: Notification) -> None:
        """Queues a message for the device of a login."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._put, login, notification)

    async def run(self) -> None:
        """Sends until cancelled."""
        self._loop = asyncio.get_running_loop()
        while True:
            self._wake.clear()
            due = sorted((each for each in self._waiting.values() if each.due_at <= self._clock()), key=_number)
            async with asyncio.TaskGroup() as group:
                for message in due[:_AT_ONCE]:
                    group.create_task(self._try(message))
            if not due:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(self._pause_s()):
                        await self._wake.wait()

    def _clock(self) -> float:
        return asyncio.get_running_loop().time()

    def _pause_s(self) -> float | None:
        due = [each.due_at for each in self._waiting.values()]
        return max(0.0, min(due) - self._clock()) if due else None

    def _put(self, login: str, notification: Notification) -> None:
        self._waiting.pop((login, notification.tag), None)
        self._waiting[login, notification.tag] = _Message(login, notification, next(self._numbers))
        while len(self._waiting) > MAX_WAITING:
            self._give_up(next(iter(self._waiting.values())), "too many wait")
        self._wake.set()

    async def _try(self, message: _Message) -> None:
        """Sends one message; afterwards it is gone, or due again later."""
        subscription = self._devices.of(message.login).subscription
        if subscription is None:
            self._remove(message)
            return
        try:
            answer = await self._post(subscription, message.notification)
        except Unreachable:
            self._again(message, None)
        except (AddressRefused, ValueError, OSError) as error:
            self._devices.unsubscribe(message.login, subscription.endpoint)
            self._give_up(message, type(error).__name__)
        else:
            self._judge(message, subscription, answer)

    def _judge(self, message: _Message, subscription: Subscription, answer: HttpAnswer) -> None:
        if 200 <= answer.status < 300:
            self.sent += 1
            self._remove(message)
        elif answer.status in _GONE:
            self._devices.unsubscribe(message.login, subscription.endpoint)
            self._give_up(message, "the subscription has ended")
        elif answer.status in _LATER or answer.status >= 500:
            self._again(message, answer.retry_after_s)
        else:
            self._give_up(message, f"status {answer.status}")

    async def _post(self, subscription: Subscription, notification: Notification) -> HttpAnswer:
        until = int(self._now()) + _TOKEN_S
        headers: Mapping[str, str] = {
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": str(LIFE_S),
            "Topic": notification.tag,
            "Urgency": "high" if notification.event == "needs-you" else "normal",
            "Authorization": authorization(
                self._devices.key, subscription.endpoint, subject=self._contact(), until=until
            ),
        }
        body = encrypt(_text(notification), subscription.key, subscription.secret)
        return await self._outgoing.post(subscription.endpoint, headers, body)

    def _again(self, message: _Message, asked_s: float | None) -> None:
        if message.tries >= len(self._delays_s):
            self._give_up(message, "tried too often")
            return
        message.due_at = self._clock() + max(self._delays_s[message.tries], asked_s or 0.0)
        message.tries += 1

    def _give_up(self, message: _Message, reason: str) -> None:
        self.dropped += 1
        log.logger.warning("push: a message was given up: %s", reason)
        self._remove(message)

    def _remove(self, message: _Message) -> None:
        """Removes a message, unless a newer one has its place."""
        key = message.login, message.notification.tag
        if self._waiting.get(key) is message:
            del self._waiting[key]


def _number(message: _Message) -> int:
    return message.number


def _text(notification: Notification) -> bytes:
    """Returns what the service worker reads. A body that is too long in UTF-8 is left out as a whole."""
    data = msgspec.json.encode(notification)
    if len(data) > MAX_TEXT_BYTES:
        data = msgspec.json.encode(msgspec.structs.replace(notification, body=""))
    return data
