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
    """The pairing that is under way."""

    digest: str
    """Of the secret, and of the claim once there is one."""
    scope: AccessScope
    end: float
    state: PairingState = "offered"
    code: str = ""
    change: DeviceChange | None = None
    """The addition that the device signed; its time is not set yet."""


class Pairings:
    """The pairing of one server. May be used from any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._mutex = threading.Lock()
        self._guesses = Guesses(clock)
        self._current: Pairing | None = None

    def offer(self, scope: AccessScope) -> str:
        """Returns the secret of a new pairing. Allows new guesses, because only a person at the computer can ask."""
        secret = secrets.token_urlsafe(32)
        with self._mutex:
            self._guesses.clear()
            self._current = Pairing(_digest(secret), scope, self._clock() + PAIRING_S)
        return secret

    def current(self) -> tuple[Pairing | None, float]:
        """Returns the pairing that is under way, if any, and the seconds that it has left."""
        with self._mutex:
            found = self._living()
            return found, found.end - self._clock() if found else 0.0

    def claim(self, secret: str, name: str, key: PublicKey, signature: str) -> tuple[str, str]:
        """Returns the claim of a device, which is secret, and the code that it shows. Raises `Refused`.

        The device must have signed its addition with the scope of the offer.
        """
        with self._mutex:
            self._guesses.check(f"Too many wrong codes were tried: {_AGAIN}.")
            found = self._living()
            if found is None or found.state != "offered" or not _is_same(secret, found.digest):
                self._guesses.add()
                raise Refused(401, "not_logged_in", f"This QR code was used already, or is too old: {_AGAIN}.")
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
                raise bad_request("The device did not sign this pairing with its key.")
            claim = secrets.token_urlsafe(32)
            found.digest, found.state, found.change = _digest(claim), "claimed", change
            found.code = f"{secrets.randbelow(_CODES):06}"
            return claim, found.code

    def answer(self, code: str, *, is_confirmed: bool, admit: Callable[[DeviceChange], None] = lambda _: None) -> None:
        """Confirms the device that shows this code, or refuses it. `admit` stores the device.

        If `admit` raises, the pairing is over.
        """
        with self._mutex:
            found = self._living()
            if found is None or found.state != "claimed" or not hmac.compare_digest(found.code, code):
                raise Refused(409, "too_late", f"No device waits with this code: {_AGAIN}.")
            self._current = None
            if is_confirmed:
                assert found.change is not None
                admit(found.change)
                found.state = "confirmed"
                self._current = found

    def finish(self, claim: str) -> str | None:
        """Returns the id of the device if a person confirmed it, once; None while it waits. Raises `Refused`."""
        with self._mutex:
            found = self._living()
            if found is None or found.state == "offered" or not _is_same(claim, found.digest):
                self._guesses.check(f"Too many wrong claims were tried: {_AGAIN}.")
                self._guesses.add()
                raise Refused(401, "not_logged_in", f"This pairing was refused, or is too old: {_AGAIN}.")
            if found.state == "claimed":
                return None
            self._current = None
            assert found.change is not None
            return found.change.id

    def _living(self) -> Pairing | None:
        if self._current is not None and self._clock() >= self._current.end:
            self._current = None
        return self._current


def pairing_id(secret: str) -> str:
    """Returns the public id of a pairing, which the device signs."""
    return _digest(secret)[:32]


def _digest(secret: str) -> str:
    return hashlib.sha256(secret[:_LONGEST_SECRET].encode("utf-8", "replace")).hexdigest()


def _is_same(secret: str, digest: str) -> bool:
    return hmac.compare_digest(_digest(secret), digest)
