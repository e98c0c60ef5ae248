"""What Web push asks of a sender: messages that only the browser can read (RFC 8291), and who sends (RFC 8292).

`cryptography` is imported when the first message is sent or the first key is made, not before.
"""

import base64
import json
import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import ec

MAX_TEXT_BYTES = 3_500
"""Push services take messages of at least 4096 bytes; the head, the mark of the end and the tag are part of them."""
_RECORD_BYTES = 4_096
_POINT_BYTES = 65
_SECRET_BYTES = 16
_LAST = b"\x02"
"""The mark after the text of the last record."""


def new_key() -> bytes:
    """Returns a new private key of P-256: 32 bytes."""
    from cryptography.hazmat.primitives.asymmetric import ec

    return ec.generate_private_key(ec.SECP256R1()).private_numbers().private_value.to_bytes(32)


def public_key(private: bytes) -> bytes:
    """Returns the public key of a private one: 65 bytes, uncompressed."""
    return _point(_private(private).public_key())


def check_keys(browser_key: bytes, secret: bytes) -> None:
    """Raises ValueError unless a browser can have made these."""
    _public(browser_key)
    if len(secret) != _SECRET_BYTES:
        raise ValueError("the secret of a subscription has 16 bytes")


def encrypt(
    text: bytes, browser_key: bytes, secret: bytes, *, own: bytes | None = None, salt: bytes | None = None
) -> bytes:
    """Returns a message that only the owner of `browser_key` can read: one record of `aes128gcm`.

    `own` and `salt` are random for each message; the example of the standard needs its own. Raises ValueError
    if the keys are none.
    """
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    check_keys(browser_key, secret)
    own, salt = own or new_key(), salt or secrets.token_bytes(16)
    mine = public_key(own)
    shared = _private(own).exchange(ec.ECDH(), _public(browser_key))

    def derived(salt: bytes, info: bytes, length: int, material: bytes) -> bytes:
        return HKDF(algorithm=SHA256(), length=length, salt=salt, info=info).derive(material)

    material = derived(secret, b"WebPush: info\0" + browser_key + mine, 32, shared)
    key = derived(salt, b"Content-Encoding: aes128gcm\0", 16, material)
    nonce = derived(salt, b"Content-Encoding: nonce\0", 12, material)
    head = salt + _RECORD_BYTES.to_bytes(4) + bytes([len(mine)]) + mine
    return head + AESGCM(key).encrypt(nonce, text + _LAST, None)


def authorization(private: bytes, endpoint: str, *, subject: str, until: int) -> str:
    """Returns the value of the header `Authorization`: a token for the origin of the endpoint, valid until a time in
    seconds since 1970, and the public key."""
    from cryptography.hazmat.primitives.asymmetric import ec, utils
    from cryptography.hazmat.primitives.hashes import SHA256

    parts = urlsplit(endpoint)
    claims = {"aud": f"{parts.scheme}://{parts.netloc}", "exp": until, "sub": subject}
    signed = f"{_json({'typ': 'JWT', 'alg': 'ES256'})}.{_json(claims)}"
    r, s = utils.decode_dss_signature(_private(private).sign(signed.encode(), ec.ECDSA(SHA256())))
    return f"vapid t={signed}.{packed(r.to_bytes(32) + s.to_bytes(32))},k={packed(public_key(private))}"


def packed(data: bytes) -> str:
    """Returns bytes in base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unpacked(text: str) -> bytes:
    """Returns the bytes of base64url, with or without padding. Raises ValueError."""
    return base64.b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4), altchars=b"-_", validate=True)


def _json(value: Mapping[str, object]) -> str:
    return packed(json.dumps(value, separators=(",", ":")).encode())


def _private(key: bytes) -> "ec.EllipticCurvePrivateKey":
    from cryptography.hazmat.primitives.asymmetric import ec

    return ec.derive_private_key(int.from_bytes(key), ec.SECP256R1())


def _public(key: bytes) -> "ec.EllipticCurvePublicKey":
    from cryptography.hazmat.primitives.asymmetric import ec

    if len(key) != _POINT_BYTES:
        raise ValueError("the key of a subscription has 65 bytes")
    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), key)


def _point(key: "ec.EllipticCurvePublicKey") -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
