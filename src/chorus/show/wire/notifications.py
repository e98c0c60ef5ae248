"""What the settings page shows and changes about the notifications of this device."""

from typing import Annotated

from msgspec import Meta

from chorus.core.notifications.rules import NotificationRules
from chorus.show.wire.base import Wire


class NotificationSettings(Wire, frozen=True):
    """The rules of this device, and how it is reached."""

    rules: NotificationRules
    is_pushed: bool
    """Whether it is also notified while no page of Chorus is open."""
    public_key: str
    """The key of the server, with which the browser subscribes."""


class PushSubscription(Wire, frozen=True):
    """What the browser returned when it subscribed. The keys are in base64url."""

    endpoint: Annotated[str, Meta(max_length=2_048)]
    key: Annotated[str, Meta(max_length=200)]
    secret: Annotated[str, Meta(max_length=100)]
