"""Which device is notified of what: for each login its rules and, if the browser allows it, its push subscription.

Everything is in `state/notifications.json`, readable by this user only, together with the key that Chorus signs with.
Neither gives a right to read or decide anything.
"""

import contextlib
import threading
from pathlib import Path

import msgspec
from msgspec import Struct, structs

from chorus.core.notifications.rules import USUAL, NotificationRules
from chorus.keep.vault.safe_files import make_folders, put_file, read_file
from chorus.show.server.push.encryption import new_key

NAME = "notifications.json"
_MAX_DEVICES = 60
_MAX_BYTES = 4 << 20


class Subscription(Struct, frozen=True):
    """Where a browser receives messages, and what they are encrypted with."""

    endpoint: str
    key: bytes
    secret: bytes


class Device(Struct, frozen=True, kw_only=True):
    """A logged-in browser."""

    login: str
    rules: NotificationRules = USUAL
    subscription: Subscription | None = None


class _Stored(Struct):
    key: bytes
    devices: list[Device]


class Devices:
    """The devices of one server. May be used from any thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._mutex = threading.Lock()
        self._stored = _read(path)
        self._key = self._stored.key if self._stored else b""
        self._devices = {each.login: each for each in self._stored.devices} if self._stored else {}

    @property
    def key(self) -> bytes:
        """The private key that messages are signed with. It is made and stored when it is first needed. Raises OSError
        if it cannot be stored: a subscription to a key that is lost is useless."""
        with self._mutex:
            if not self._key:
                self._key = new_key()
                self._save()
            return self._key

    def all(self) -> list[Device]:
        with self._mutex:
            return list(self._devices.values())

    def of(self, login: str) -> Device:
        """Returns the device of a login, with the usual rules if it chose none."""
        with self._mutex:
            return self._devices.get(login) or Device(login=login)

    def put_rules(self, login: str, rules: NotificationRules) -> None:
        """Stores the rules of a login. Raises OSError."""
        self._put(structs.replace(self.of(login), rules=rules))

    def subscribe(self, login: str, subscription: Subscription) -> None:
        """Stores where the browser of a login receives messages. The same address of another login is dropped: the
        browser has logged in again. Raises OSError."""
        with self._mutex:
            for each in list(self._devices.values()):
                if each.subscription and each.subscription.endpoint == subscription.endpoint:
                    self._devices[each.login] = structs.replace(each, subscription=None)
        self._put(structs.replace(self.of(login), subscription=subscription))

    def unsubscribe(self, login: str, endpoint: str | None = None) -> None:
        """Forgets where a login receives messages; with `endpoint`, only if it is still this one."""
        with self._mutex:
            device = self._devices.get(login)
            if device is None or device.subscription is None:
                return
            if endpoint is None or device.subscription.endpoint == endpoint:
                self._devices[login] = structs.replace(device, subscription=None)
                self._save_if_possible()

    def drop_login(self, login: str) -> None:
        """Forgets a login with its rules and its subscription: it has ended."""
        with self._mutex:
            if self._devices.pop(login, None) is not None:
                self._save_if_possible()

    def _put(self, device: Device) -> None:
        with self._mutex:
            self._devices.pop(device.login, None)
            self._devices[device.login] = device
            while len(self._devices) > _MAX_DEVICES:
                self._devices.pop(next(iter(self._devices)))
            self._save()

    def _save_if_possible(self) -> None:
        """Ignores write errors: in memory it is forgotten, and a login that has ended is not notified after a restart
        either."""
        with contextlib.suppress(OSError):
            self._save()

    def _save(self) -> None:
        make_folders(self._path.parent.parent, self._path.parent)
        put_file(self._path, msgspec.json.encode(_Stored(self._key, list(self._devices.values()))))


def _read(path: Path) -> _Stored | None:
    """Returns what is stored; None if there is nothing, or it cannot be understood: then devices subscribe again."""
    try:
        data = read_file(path)
        return msgspec.json.decode(data, type=_Stored) if len(data) <= _MAX_BYTES else None
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
