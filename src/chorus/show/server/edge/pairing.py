"""Pairing a phone: a secret in a QR code that works once, within two minutes, and only if a person confirms it.

    offer  the computer shows the secret
    claim  a device shows the secret and its key, and gets a code
    answer a person compares the code on both screens, and confirms or refuses
    finish the device exchanges its claim for a login

There is one pairing at a time: a new offer replaces the one before. All times are those of the monotonic clock.
"""

import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable

from msgspec import Struct

from chorus.show.server.edge.guesses import Guesses
from chorus.show.server.errors import Refused, bad_request
from chorus.steer.approvals.devices.signed_devices import (
    AccessScope,
    DeviceChange,
    PairingState,
    addition_bytes,
    name_objection,
)
from chorus.steer.approvals.signing import PublicKey, fingerprint, is_key, verify

PAIRING_S = 120.0
_AGAIN = "show a new QR code on the computer"
_LONGEST_SECRET = 200
_CODES = 1_000_000


class Pairing(Struct):
    """A pairing, under way or over."""

    digest: str
    """Of the secret."""
    scope: AccessScope
    end: float
    state: PairingState = "offered"
    claim_digest: str = ""
    code: str = ""
    change: DeviceChange | None = None
    """The addition that the device signed; its time is not set yet."""
    ending: str = ""
    """Why it is over, unless its time is; empty if it is under way."""


class Pairings:
    """The pairing of one server. May be used from any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._mutex = threading.Lock()
        self._guesses = Guesses(clock)
        self._last: Pairing | None = None
        """The last pairing that was offered. One that is over tells the holder of its secret why."""

    def offer(self, scope: AccessScope) -> str:
        """Returns the secret of a new pairing. Allows new guesses, because only a person at the computer can ask."""
        secret = secrets.token_urlsafe(32)
        with self._mutex:
            self._guesses.clear()
            self._last = Pairing(_digest(secret), scope, self._clock() + PAIRING_S)
        return secret

    def current(self) -> tuple[Pairing | None, float]:
        """Returns the pairing that is under way, if any, and the seconds that it has left."""
        with self._mutex:
            found = self._living()
            return found, found.end - self._clock() if found else 0.0

    def claim(self, secret: str, name: str, key: PublicKey, signature: str) -> tuple[str, str, float]:
        """Returns the claim of a device, which is secret, the code that it shows, and the seconds that are left.

        Raises `Refused`. The device must have signed its addition with the scope of the offer.
        """
        with self._mutex:
            self._guesses.check(f"Too many wrong codes were tried: {_AGAIN}.")
            found = self._living()
            if found is None or found.state != "offered" or not _is_same(secret, found.digest):
                self._guesses.add()
                raise Refused(401, "not_logged_in", self._why_not_claimed(secret))
            change = DeviceChange(
                action="add",
                id=fingerprint(key),
                at="",
                name=name,
                scope=found.scope,
                public_key=key,
                pairing=pairing_id(secret),
                signature=signature,
            )
            if (reason := name_objection(name)) is not None:
                raise bad_request(f"The name of the device: {reason}.")
            if not is_key(key) or not verify(key, addition_bytes(change), signature):
                raise bad_request(f"The device did not sign what the computer offers, to {found.scope}: {_AGAIN}.")
            claim = secrets.token_urlsafe(32)
            found.claim_digest, found.state, found.change = _digest(claim), "claimed", change
            found.code = f"{secrets.randbelow(_CODES):06}"
            return claim, found.code, found.end - self._clock()

    def answer(self, code: str, *, is_confirmed: bool, admit: Callable[[DeviceChange], None] = lambda _: None) -> None:
        """Confirms the device that shows this code, or refuses it. `admit` stores the device.

        If `admit` raises, the pairing is over.
        """
        with self._mutex:
            found = self._living()
            if found is None or found.state != "claimed" or not hmac.compare_digest(found.code, code):
                raise Refused(409, "too_late", f"No device waits with this code: {_AGAIN}.")
            found.ending = "The computer could not store this device"
            if is_confirmed:
                assert found.change is not None
                admit(found.change)
                found.state, found.ending = "confirmed", ""
            else:
                found.ending = "The pairing was refused on the computer"

    def finish(self, claim: str) -> str | None:
        """Returns the id of the device if a person confirmed it, once; None while it waits. Raises `Refused`."""
        with self._mutex:
            found = self._living()
            if found is None or not _is_same(claim, found.claim_digest):
                self._guesses.check(f"Too many wrong claims were tried: {_AGAIN}.")
                self._guesses.add()
                raise Refused(401, "not_logged_in", self._why_not_finished(claim))
            if found.state == "claimed":
                return None
            found.ending = "This pairing is complete already"
            assert found.change is not None
            return found.change.id

    def _living(self) -> Pairing | None:
        last = self._last
        return last if last and not last.ending and self._clock() < last.end else None

    def _why_not_claimed(self, secret: str) -> str:
        """Returns why a secret is not valid. A caller without the secret learns nothing."""
        last = self._last
        if last is None or not _is_same(secret, last.digest):
            return f"This QR code is not the one that the computer shows now: {_AGAIN}."
        if last.state == "offered":
            return f"This QR code is older than two minutes: {_AGAIN}."
        return f"A device used this QR code already. If it was not yours, refuse it on the computer, and {_AGAIN}."

    def _why_not_finished(self, claim: str) -> str:
        """Returns why a claim is not valid. A caller without the claim learns nothing."""
        last = self._last
        if last is None or not _is_same(claim, last.claim_digest):
            return f"The computer shows a newer QR code, so this pairing is over: {_AGAIN}."
        return f"{last.ending or 'Nobody confirmed this device within two minutes'}: {_AGAIN}."


def pairing_id(secret: str) -> str:
    """Returns the public id of a pairing, which the device signs."""
    return _digest(secret)[:32]


def _digest(secret: str) -> str:
    return hashlib.sha256(secret[:_LONGEST_SECRET].encode("utf-8", "replace")).hexdigest()


def _is_same(secret: str, digest: str) -> bool:
    return hmac.compare_digest(_digest(secret), digest)
