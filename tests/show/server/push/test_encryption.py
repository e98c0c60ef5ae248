"""Tests push messages against the example of the standard and against independent readers."""

import json

import http_ece
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from py_vapid import Vapid02

from chorus.show.server.push.encryption import (
    authorization,
    check_keys,
    encrypt,
    new_key,
    packed,
    public_key,
    unpacked,
)

# RFC 8291, section 5 and appendix A.
TEXT = b"When I grow up, I want to be a watermelon"
BROWSER = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
SECRET = "BTBZMqHH6r4Tts7J_aSIgg"
OWN = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
SALT = "DGv6ra1nlYgDCS1FRnbzlw"
MESSAGE = (
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_"
    "yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
)


def test_the_example_of_the_standard():
    """With the keys and the salt of RFC 8291, the message is the one that the standard prints."""
    made = encrypt(TEXT, unpacked(BROWSER), unpacked(SECRET), own=unpacked(OWN), salt=unpacked(SALT))

    assert packed(made) == MESSAGE


def test_a_message_is_read_by_another_program():
    """An independent reader gets the text, and each message has keys of its own."""
    key, secret = ec.generate_private_key(ec.SECP256R1()), b"0123456789abcdef"
    receiver = public_key(key.private_numbers().private_value.to_bytes(32))

    first, second = (encrypt(TEXT, receiver, secret) for _ in range(2))

    assert http_ece.decrypt(first, private_key=key, auth_secret=secret, version="aes128gcm") == TEXT
    assert first[:86] != second[:86]


def test_the_sender_is_verified_by_another_program():
    """An independent reader verifies the signature; the token is for the origin alone and has the given end."""
    key = new_key()
    header = authorization(
        key, "https://push.example.org:8443/a/b?c", subject="mailto:a@example.org", until=1_900_000_000
    )
    token, _, public = header.removeprefix("vapid t=").partition(",k=")
    body = json.loads(unpacked(token.split(".")[1]))

    assert Vapid02.verify(header)
    assert body == {"aud": "https://push.example.org:8443", "exp": 1_900_000_000, "sub": "mailto:a@example.org"}
    assert unpacked(public) == public_key(key)
    forged = header.replace(token.split(".")[1], packed(json.dumps(body | {"exp": 1}).encode()))
    assert not _is_verified(forged)


def _is_verified(header):
    try:
        return Vapid02.verify(header)
    except Exception:  # noqa: BLE001 - the other program may refuse in any way
        return False


@pytest.mark.parametrize(
    ("key", "secret"),
    [
        (b"", b"0" * 16),
        (b"\x04" + b"1" * 64, b"0" * 16),
        (unpacked(BROWSER), b"short"),
        (unpacked(BROWSER)[:33], b"0" * 16),
    ],
)
def test_keys_that_no_browser_makes_are_refused(key, secret):
    """A key must be a point of the curve, and the secret must have its length."""
    with pytest.raises(ValueError):  # noqa: PT011 - the text is for developers
        check_keys(key, secret)
