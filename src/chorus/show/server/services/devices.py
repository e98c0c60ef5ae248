"""Paired devices of a server: pairing, renaming and revoking them, and what each may do."""

import asyncio
import math
from collections.abc import Callable
from datetime import UTC, datetime

from msgspec import structs

from chorus.base.qr import qr_rows
from chorus.core.records.times import wire_time
from chorus.errors import ChorusError
from chorus.show import wire
from chorus.show.server import log
from chorus.show.server.edge.logins import Logins
from chorus.show.server.edge.pairing import PAIRING_S, Pairings
from chorus.show.server.errors import Refused, not_found
from chorus.steer.approvals.devices.devices_file import DevicesFile
from chorus.steer.approvals.devices.signed_devices import AccessScope, DeviceChange, PairedDevice
from chorus.steer.approvals.signing import PublicKey

_LOOK_S = 0.5
_NO_PAIRING = wire.PairingShown(state="none", scope="read", name="", code="", seconds=0)


class DeviceService:
    """The devices of one server. May be used from any thread, except where a method says otherwise."""

    def __init__(self, file: DevicesFile, logins: Logins, address: str, *, is_only_here: bool) -> None:
        """`address` is where a phone reaches the server; `is_only_here` if that is an address of this computer."""
        self._file = file
        self._logins = logins
        self._pairings = Pairings()
        self._address = address
        self._is_only_here = is_only_here
        self.login_ended: list[Callable[[str], None]] = []
        """Called in the event loop with each login of a device that was revoked, so that others drop what they hold."""

    def named(self, device: str) -> PairedDevice | None:
        """Returns a device that is admitted; None if it is unknown or was revoked."""
        return self._file.admitted().get(device)

    def scopes(self, device: str) -> frozenset[AccessScope] | None:
        """Returns what a device may do; None if it is unknown or was revoked."""
        found = self.named(device)
        return found.scopes if found else None

    def shown(self) -> wire.PairedDevicesShown:
        """Returns the devices and the pairing that is under way."""
        seen = self._logins.devices_seen()
        return wire.PairedDevicesShown(
            devices=tuple(
                wire.PairedDeviceShown(
                    id=each.id,
                    name=each.name,
                    scope=each.scope,
                    added_at=each.added_at,
                    seen_at=_time(seen[each.id]) if each.id in seen else None,
                )
                for each in self._file.admitted().values()
            ),
            pairing=self.pairing(),
            trouble=self._file.tampering,
        )

    def pairing(self) -> wire.PairingShown:
        """Returns the pairing that is under way."""
        found, left_s = self._pairings.current()
        if found is None:
            return _NO_PAIRING
        name = found.change.name if found.change else ""
        seconds = math.ceil(left_s)
        return wire.PairingShown(state=found.state, scope=found.scope, name=name, code=found.code, seconds=seconds)

    def offer(self, scope: AccessScope) -> wire.PairingOffer:
        """Begins a pairing, in place of one that is under way."""
        link = f"{self._address}/pair#p={self._pairings.offer(scope)}&s={scope}"
        log.logger.info("pairing of a device was offered, to %s", scope)
        return wire.PairingOffer(link=link, qr=qr_rows(link), seconds=int(PAIRING_S), is_only_here=self._is_only_here)

    def claim(self, asked: wire.PairingClaim) -> wire.PairingClaimed:
        """Notes the device that has read the QR code; a person has to confirm it."""
        key = PublicKey(asked.public_key.x, asked.public_key.y)
        claim, code, left_s = self._pairings.claim(asked.secret, asked.name, key, asked.signature)
        return wire.PairingClaimed(claim=claim, code=code, seconds=math.ceil(left_s))

    def answer(self, code: str, *, is_confirmed: bool) -> None:
        """Stores the device that shows this code, or refuses it. Raises `Refused`."""
        self._pairings.answer(code, is_confirmed=is_confirmed, admit=self._admit)
        if not is_confirmed:
            log.logger.info("pairing of a device was refused")

    def finish(self, claim: str) -> str | None:
        """Returns the secret of a new login if a person confirmed the device; None while it waits."""
        device = self._pairings.finish(claim)
        return None if device is None else self._logins.begin(device)

    def rename(self, device: str, name: str) -> None:
        self._append(DeviceChange(action="rename", id=device, at=_now(), name=name))

    def revoke(self, device: str) -> None:
        """Revokes a device. Its requests are refused from now on; `end_revoked` closes what it has open."""
        self._append(DeviceChange(action="revoke", id=device, at=_now()))
        log.logger.info("the device %.8s was revoked", device)

    async def end_revoked(self) -> None:
        """Ends the logins of devices that are no longer admitted. Call it in the event loop."""
        for login in await asyncio.to_thread(self._end_logins):
            for ended in self.login_ended:
                ended(login)

    async def watch(self) -> None:
        """Ends what revoked devices have open, until cancelled: a terminal revokes without asking the server."""
        while True:
            await asyncio.sleep(_LOOK_S)
            if self._logins.device_logins():
                await self.end_revoked()

    def _end_logins(self) -> list[str]:
        admitted = self._file.admitted()
        ended = [login for login, device in self._logins.device_logins() if device not in admitted]
        for login in ended:
            self._logins.revoke(login)
        return ended

    def _admit(self, change: DeviceChange) -> None:
        try:
            self._file.append(structs.replace(change, at=_now()))
        except ChorusError as error:
            raise Refused(409, "not_allowed", f"The device cannot be paired: {error}") from error
        log.logger.info("the device %.8s was paired, to %s", change.id, change.scope)

    def _append(self, change: DeviceChange) -> None:
        if change.id not in self._file.admitted():
            raise not_found("There is no such device.")
        try:
            self._file.append(change)
        except ChorusError as error:
            raise Refused(409, "not_allowed", str(error)) from error


def _now() -> str:
    return wire_time(datetime.now(UTC))


def _time(seconds: float) -> str:
    return wire_time(datetime.fromtimestamp(seconds, UTC))
