"""Paired devices, and how a device is paired."""

from typing import Literal

from chorus.show.wire.approvals import KeyShown
from chorus.show.wire.base import Wire


class PairedDeviceShown(Wire, frozen=True):
    """A device that may use the server."""

    id: str
    name: str
    scope: Literal["read", "steer", "approve"]
    added_at: str
    seen_at: str | None
    """When it last used the server; None if it is not logged in any more."""


class PairingShown(Wire, frozen=True):
    """The pairing that is under way."""

    state: Literal["none", "offered", "claimed", "confirmed"]
    scope: Literal["read", "steer", "approve"]
    name: str
    """The name that the device gave itself; empty before it claimed the QR code."""
    code: str
    """The code that the device shows; a person compares it."""
    seconds: int
    """How long the pairing is still valid."""


class PairedDevicesShown(Wire, frozen=True):
    """All paired devices, and the pairing that is under way."""

    devices: tuple[PairedDeviceShown, ...]
    pairing: PairingShown
    trouble: str | None
    """Why no device is admitted; usually None."""


class PairingAsked(Wire, frozen=True):
    """What a new device is to be allowed."""

    scope: Literal["read", "steer", "approve"]


class PairingOffer(Wire, frozen=True):
    """A link that pairs one device, within two minutes. Its secret is in the fragment."""

    link: str
    qr: tuple[str, ...]
    """The rows of the QR code: 1 is dark."""
    seconds: int
    is_only_here: bool
    """Whether the link works in browsers of this computer only, because the server does not listen on the network."""


class PairingClaim(Wire, frozen=True):
    """What a device sends after it has read the QR code."""

    secret: str
    name: str
    public_key: KeyShown
    signature: str


class PairingClaimed(Wire, frozen=True):
    """The device waits until a person confirms the code."""

    claim: str
    code: str
    seconds: int
    """How long a person has to confirm it."""


class PairingAnswer(Wire, frozen=True):
    """What a person said about the device that shows this code."""

    code: str
    is_confirmed: bool


class PairingFinish(Wire, frozen=True):
    """The claim of a device that waits."""

    claim: str


class PairingFinished(Wire, frozen=True):
    """Whether the device is paired and logged in now, or still waits."""

    is_paired: bool


class DeviceName(Wire, frozen=True):
    """A new name of a device."""

    name: str
