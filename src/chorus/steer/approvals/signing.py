"""Signatures: which bytes are signed, and how a signature is verified. ECDSA over P-256 with SHA-256, as in browsers.

Signatures are the 64 bytes r‖s in base64url without padding; keys are the x and y of a JWK. Each has exactly one valid
encoding; any other is refused. `cryptography` is imported when the first signature is checked, not before.
"""

import base64
import binascii
import hashlib
import json
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from chorus.steer.approvals.model import Decision

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import ec

SALT_BYTES = 32
_HALF = 32
"""The length in bytes of r, s, x and y."""
_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
_COST, _BLOCK, _MEMORY_BYTES = 2**15, 8, 64 << 20
_SEED_BYTES = 48
"""1.5 times the length of a key, so that all keys are practically equally likely."""


class PublicKey(Struct, frozen=True):
    """A point of P-256, each coordinate in base64url."""

    x: str
    y: str


def signed_bytes(request_id: str, digest: str, decision: Decision) -> bytes:
    """Returns the bytes that an approver signs: JSON in UTF-8, keys sorted, no blanks.

    Raises ValueError for text with an unpaired surrogate.
    """
    edited = decision.input
    return canonical(
        {
            "approver": decision.approver,
            "at": decision.at,
            "behavior": decision.behaviour,
            "digest": digest,
            "input": None if edited is None else hashlib.sha256(edited.encode()).hexdigest(),
            "message": decision.message,
            "request": request_id,
            "suggestions": decision.suggestions,
            "v": 1,
        }
    )


def canonical(value: dict[str, Any]) -> bytes:
    """Returns JSON as `JSON.stringify` writes it with sorted keys.

    Raises UnicodeEncodeError for an unpaired surrogate.
    """
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def verify(key: PublicKey, data: bytes, signature: str) -> bool:
    """Returns whether the owner of the key signed exactly these bytes; False if key or signature is malformed."""
    raw = unpacked(signature, 2 * _HALF)
    public = _point(key)
    if raw is None or public is None:
        return False
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric import ec, utils
    from cryptography.hazmat.primitives.hashes import SHA256

    r, s = int.from_bytes(raw[:_HALF]), int.from_bytes(raw[_HALF:])
    if not (0 < r < _ORDER and 0 < s < _ORDER):
        return False
    try:
        public.verify(utils.encode_dss_signature(r, s), data, ec.ECDSA(SHA256()))
    except InvalidSignature:
        return False
    return True


def load_library() -> None:
    """Imports everything that `verify` needs; call it before the process stops importing."""
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.hashes import SHA256

    # The library imports parts of itself when it is first used.
    secret = ec.derive_private_key(1, ec.SECP256R1())
    secret.public_key().verify(secret.sign(b"", ec.ECDSA(SHA256())), b"", ec.ECDSA(SHA256()))


def is_key(key: PublicKey) -> bool:
    """Returns whether the key is a point of the curve."""
    return _point(key) is not None


def fingerprint(key: PublicKey) -> str:
    """Returns the id of a key: 32 hex digits of its digest."""
    return hashlib.sha256(f"{key.x}.{key.y}".encode()).hexdigest()[:32]


class Signer:
    """A private key that is derived from a passphrase and kept only in memory."""

    def __init__(self, passphrase: str, salt: bytes) -> None:
        from cryptography.hazmat.primitives.asymmetric import ec

        seed = hashlib.scrypt(
            passphrase.encode("utf-8", "surrogatepass"),
            salt=salt,
            n=_COST,
            r=_BLOCK,
            p=1,
            dklen=_SEED_BYTES,
            maxmem=_MEMORY_BYTES,
        )
        self._key = ec.derive_private_key(int.from_bytes(seed) % (_ORDER - 1) + 1, ec.SECP256R1())
        numbers = self._key.public_key().public_numbers()
        self.public_key = PublicKey(packed(numbers.x.to_bytes(_HALF)), packed(numbers.y.to_bytes(_HALF)))

    @property
    def id(self) -> str:
        return fingerprint(self.public_key)

    def sign(self, data: bytes) -> str:
        from cryptography.hazmat.primitives.asymmetric import ec, utils
        from cryptography.hazmat.primitives.hashes import SHA256

        r, s = utils.decode_dss_signature(self._key.sign(data, ec.ECDSA(SHA256())))
        return packed(r.to_bytes(_HALF) + s.to_bytes(_HALF))


def packed(data: bytes) -> str:
    """Returns base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unpacked(text: str, size: int) -> bytes | None:
    """Returns the `size` bytes that the text encodes; None if the text is not their one valid encoding."""
    try:
        data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        return None
    return data if len(data) == size and packed(data) == text else None


def _point(key: PublicKey) -> "ec.EllipticCurvePublicKey | None":
    x, y = unpacked(key.x, _HALF), unpacked(key.y, _HALF)
    if x is None or y is None:
        return None
    from cryptography.hazmat.primitives.asymmetric import ec

    try:
        return ec.EllipticCurvePublicNumbers(int.from_bytes(x), int.from_bytes(y), ec.SECP256R1()).public_key()
    except ValueError:
        return None
