"""Tells every device of what happened on the board, by its own rules: by push, or by the socket of an open page."""

from collections.abc import Callable
from datetime import datetime

from chorus.base.outgoing import checked
from chorus.base.zone import local_zone
from chorus.core.board.news import BoardNews
from chorus.core.notifications.for_device import notifications_for
from chorus.core.notifications.notices import CommandOf, Notification
from chorus.core.notifications.rules import NotificationRules
from chorus.errors import AddressRefused
from chorus.show import wire
from chorus.show.server.edge.logins import Logins
from chorus.show.server.errors import bad_request
from chorus.show.server.push.devices import Device, Devices, Subscription
from chorus.show.server.push.encryption import check_keys, packed, public_key, unpacked
from chorus.show.server.push.sender import PushSender

_TRIAL = Notification(
    event="needs-you",
    title="Chorus can reach this device",
    body="This is how a notification looks.",
    tag="trial",
    conversation=None,
)


class Notifications:
    """The notifications of one server. May be used from any thread."""

    def __init__(
        self,
        devices: Devices,
        sender: PushSender,
        logins: Logins,
        to_page: Callable[[str, wire.Notified], None],
        command_of: CommandOf,
    ) -> None:
        """`to_page` sends a frame to the open pages of a login."""
        self._devices = devices
        self._sender = sender
        self._logins = logins
        self._to_page = to_page
        self._command_of = command_of

    def tell(self, news: list[BoardNews]) -> None:
        """Notifies each device that is still logged in."""
        living = {each.digest for each in self._logins.sessions()}
        known = {each.login: each for each in self._devices.all()}
        for login in known.keys() - living:
            self._devices.drop_login(login)
        now = datetime.now(local_zone())
        for login in living:
            device = known.get(login) or Device(login=login)
            for each in notifications_for(device.rules, news, now, self._command_of):
                self._deliver(device, each)

    def shown(self, login: str) -> wire.NotificationSettings:
        """Returns what a device chose, and the key that its browser subscribes with. Raises OSError."""
        device = self._devices.of(login)
        return wire.NotificationSettings(
            rules=device.rules,
            is_pushed=device.subscription is not None,
            public_key=packed(public_key(self._devices.key)),
        )

    def put_rules(self, login: str, rules: NotificationRules) -> None:
        self._devices.put_rules(login, rules)

    def subscribe(self, login: str, asked: wire.PushSubscription) -> None:
        """Stores where the browser of this login receives messages. Raises `Refused` for what no browser sends."""
        try:
            checked(asked.endpoint)
            key, secret = unpacked(asked.key), unpacked(asked.secret)
            check_keys(key, secret)
        except (AddressRefused, ValueError):
            raise bad_request("This is no subscription that a browser makes.") from None
        self._devices.subscribe(login, Subscription(asked.endpoint, key, secret))

    def unsubscribe(self, login: str) -> None:
        self._devices.unsubscribe(login)

    def drop_login(self, login: str) -> None:
        """Forgets the rules and the subscription of a login that has ended."""
        self._devices.drop_login(login)

    def try_out(self, login: str) -> None:
        """Sends a notification to this device now, whatever its rules say."""
        self._deliver(self._devices.of(login), _TRIAL)

    def _deliver(self, device: Device, notification: Notification) -> None:
        if device.subscription is not None:
            self._sender.send(device.login, notification)
        else:
            self._to_page(device.login, wire.Notified(notification=notification))
