"""What the settings page shows of the server: nothing of it can be changed there."""

from chorus.show.wire.base import Wire


class HookPlace(Wire, frozen=True):
    """One file of the client's settings."""

    path: str
    is_installed: bool
    trouble: str | None


class Device(Wire, frozen=True):
    """A browser that is logged in."""

    is_this: bool
    began_at: str
    seen_at: str


class OwnPrices(Wire, frozen=True):
    """The person's own prices, laid over those of Chorus."""

    file: str
    models: tuple[str, ...]
    """Models that they name."""
    dated: str | None
    """The day of the price table that holds."""
    trouble: str | None


class SettingsShown(Wire, frozen=True):
    hooks: tuple[HookPlace, ...]
    devices: tuple[Device, ...]
    """The one seen last first."""
    prices: OwnPrices
    home: str
    client: str
    """The client's binary, as it would be started; empty when there is none."""
    client_trouble: str
