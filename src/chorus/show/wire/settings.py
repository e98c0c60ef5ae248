"""What the settings page shows about the server. Nothing of it can be changed there."""

from typing import Literal

from chorus.show.wire.base import Wire


class HookPlace(Wire, frozen=True):
    """One settings file of the client."""

    path: str
    is_installed: bool
    trouble: str | None


class Device(Wire, frozen=True):
    """A browser that is logged in."""

    is_this: bool
    began_at: str
    seen_at: str
    name: str | None
    """The name of a paired device; None for a browser of this computer."""
    scope: Literal["read", "steer", "approve"] | None
    """What a paired device may do."""


class OwnPrices(Wire, frozen=True):
    """The user's own prices, which override those of Chorus."""

    file: str
    models: tuple[str, ...]
    """The models that have own prices."""
    dated: str | None
    """The date of the price table in use."""
    trouble: str | None


class SettingsShown(Wire, frozen=True):
    """What the settings page shows of the server and of this machine."""

    hooks: tuple[HookPlace, ...]
    devices: tuple[Device, ...]
    """The most recently seen one first."""
    prices: OwnPrices
    home: str
    client: str
    """The path of the client's binary that would be started; empty if there is none."""
    client_trouble: str
