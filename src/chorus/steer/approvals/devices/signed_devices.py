"""The paired devices of a file: a list of changes. Pure.

A device signs its own addition, so that nobody can give it another scope or name in the entry. Revoking needs no
signature, as denying needs none: it only takes rights away. A key that was revoked never comes back.
"""

from collections.abc import Sequence
from typing import Literal, get_args

from msgspec import Struct, field, structs

from chorus.steer.approvals.signing import PublicKey, canonical, fingerprint, is_key, verify
from chorus.steer.approvals.trust import LONGEST_NAME, Listed, Rejected

AccessScope = Literal["read", "steer", "approve"]
"""What a device may do; each scope includes the ones before it. `steer` sends messages to agents, starts and stops
them. `approve` may answer requests; to allow one still needs the signature of an approver."""
PairingState = Literal["offered", "claimed", "confirmed"]
"""How far a pairing is: a QR code is shown, a device waits for a person, the person confirmed it."""
SCOPES: tuple[AccessScope, ...] = get_args(AccessScope)
MAX_DEVICES = 50


class DeviceChange(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """An entry of the file: a device is added, renamed or revoked."""

    action: Literal["add", "rename", "revoke"]
    id: str
    """The fingerprint of the device's key."""
    at: str
    name: str = ""
    scope: AccessScope | None = None
    public_key: PublicKey | None = None
    pairing: str = ""
    """The id of the pairing that added the device."""
    signature: str = ""
    """Of the device itself, over its addition."""


class PairedDevice(Struct, frozen=True, kw_only=True):
    """A device that is or was paired."""

    id: str
    name: str
    scope: AccessScope
    key: PublicKey
    added_at: str
    revoked_at: str | None = None

    @property
    def scopes(self) -> frozenset[AccessScope]:
        """Everything that the device may do."""
        return frozenset(SCOPES[: SCOPES.index(self.scope) + 1])


class PairedDevices(Struct, frozen=True):
    """The content of a file: all devices by id, also the revoked ones, and the entries that are not valid."""

    devices: dict[str, PairedDevice] = field(default_factory=dict)
    rejected: tuple[Rejected, ...] = ()

    @property
    def admitted(self) -> dict[str, PairedDevice]:
        """The devices that were not revoked."""
        return {each.id: each for each in self.devices.values() if each.revoked_at is None}


def addition_bytes(change: DeviceChange) -> bytes:
    """Returns the bytes that a device signs when it is paired. Raises UnicodeEncodeError for half a character."""
    key = change.public_key
    return canonical(
        {
            "id": change.id,
            "kind": "device",
            "name": change.name,
            "pairing": change.pairing,
            "publicKey": {"x": key.x, "y": key.y} if key else None,
            "scope": change.scope,
            "v": 1,
        }
    )


def fold_devices(listed: Sequence[Listed[DeviceChange]], flaws: Sequence[Rejected] = ()) -> PairedDevices:
    """Returns the devices of a file."""
    devices: dict[str, PairedDevice] = {}
    rejected = list(flaws)
    for each in listed:
        reason = device_objection(each.change, devices)
        if reason is not None:
            rejected.append(Rejected(each.line, reason))
        else:
            devices[each.change.id] = _changed(each.change, devices.get(each.change.id))
    return PairedDevices(devices, tuple(sorted(rejected, key=lambda one: one.line)))


def device_objection(change: DeviceChange, known: dict[str, PairedDevice]) -> str | None:
    """Returns why a change is not valid; None if it is."""
    if change.action != "add":
        device = known.get(change.id)
        if device is None or device.revoked_at is not None:
            return "there is no such device"
        return None if change.action == "revoke" else name_objection(change.name)
    key = change.public_key
    if key is None or not is_key(key) or fingerprint(key) != change.id:
        return "its key is invalid, or does not match its id"
    if change.id in known:
        return "that key already belongs, or belonged, to a device"
    if sum(each.revoked_at is None for each in known.values()) >= MAX_DEVICES:
        return f"there are {MAX_DEVICES} devices already; revoke one first"
    if change.scope is None:
        return "its scope is missing"
    if (reason := name_objection(change.name)) is not None:
        return reason
    return None if verify(key, addition_bytes(change), change.signature) else "its signature does not hold"


def name_objection(name: str) -> str | None:
    """Returns why a device cannot have this name; None if it can: a person must be able to read it on one line."""
    is_readable = bool(name.strip()) and len(name) <= LONGEST_NAME and name.isprintable()
    is_readable = is_readable and not any("\ud800" <= char <= "\udfff" for char in name)
    return None if is_readable else f"a name needs 1 to {LONGEST_NAME} printable characters"


def _changed(change: DeviceChange, before: PairedDevice | None) -> PairedDevice:
    if before is None:
        assert change.scope is not None
        assert change.public_key is not None
        return PairedDevice(
            id=change.id, name=change.name, scope=change.scope, key=change.public_key, added_at=change.at
        )
    if change.action == "rename":
        return structs.replace(before, name=change.name)
    return structs.replace(before, revoked_at=change.at)
