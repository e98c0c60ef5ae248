"""Tests of the bytes that are signed, and of signatures that are refused."""

import json
import random

import pytest
from msgspec import structs

from chorus.steer.approvals import lifecycle, signing
from chorus.steer.approvals.model import digest_of
from chorus.steer.approvals.signing import PublicKey, Signer, packed, signed_bytes, unpacked, verify
from tests.steer.approvals.samples import allow, deny, key, request

ROW = lifecycle.asked(request(id="0123456789abcdef" * 2))


def test_the_signed_bytes_are_these():
    """The text that a browser must sign is exactly this, byte for byte."""
    decision = allow(ROW, message='say "é\u2028"', input="{}", suggestions=[1, 0])

    data = signed_bytes(ROW.id, ROW.digest, decision)

    assert data.decode() == (
        f'{{"approver":"{key("ada").id}","at":"2026-03-01T12:00:00.000Z","behavior":"allow","digest":"{ROW.digest}",'
        '"input":"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","message":"say \\"é\u2028\\"",'
        '"request":"0123456789abcdef0123456789abcdef","suggestions":[1,0],"v":1}'
    )
    assert json.loads(data)["input"] is not None and json.loads(signed_bytes(ROW.id, "d", deny()))["input"] is None


def test_a_signature_of_another_implementation_holds():
    """A WebCrypto key and signature of another implementation are valid (the example of RFC 6979, A.2.5)."""
    public = PublicKey(
        packed(bytes.fromhex("60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6")),
        packed(bytes.fromhex("7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299")),
    )
    signature = packed(
        bytes.fromhex(
            "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716"
            "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"
        )
    )

    assert verify(public, b"sample", signature)
    assert not verify(public, b"Sample", signature)


def test_any_changed_byte_breaks_it():
    """A signature is invalid if one character of the signature, key or text is added, removed or changed."""
    chance = random.Random(7)
    decision = allow(ROW)
    assert decision.signature
    data, public = signed_bytes(ROW.id, ROW.digest, decision), key("ada").public_key
    assert verify(public, data, decision.signature)

    for place in range(len(decision.signature)):
        for other in chance.sample("ABCDwxyz0189-_=+/ \n", 6):
            if other != decision.signature[place]:
                assert not verify(public, data, decision.signature[:place] + other + decision.signature[place + 1 :])
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] ^= 1 << chance.randrange(8)
        assert not verify(public, bytes(changed), decision.signature)
    for text in ("", decision.signature[:-1], decision.signature + "A", decision.signature + "==", "é" * 86, "A" * 86):
        assert not verify(public, data, text)
    assert not verify(PublicKey(public.y, public.x), data, decision.signature)
    assert not verify(PublicKey("", ""), data, decision.signature)
    assert not verify(PublicKey(public.x + "=", public.y), data, decision.signature)
    assert not signing.is_key(PublicKey(packed(b"\xff" * 32), packed(b"\xff" * 32)))


@pytest.mark.parametrize(
    "field", ["source", "session", "run", "agent", "tool", "input", "cwd", "tool_use", "description"]
)
def test_the_digest_is_of_all_that_is_judged(field):
    """Another text in any field that the decision depends on changes the digest; a missing text is not an empty one."""
    plain = request()
    values = ["hook", "prompt-tool", "control"] if field == "source" else [None, "", "a", "1:a-", "a\0"]

    digests = {digest_of(structs.replace(plain, **{field: value})) for value in values}

    assert len(digests) == len(values)


def test_the_digest_tells_neighbours_apart():
    """The digest changes when text moves from one field to the next or from one suggestion to another."""
    plain = request(suggestions=["{}", "{}"])
    moved = [
        structs.replace(plain, tool="ab", input="c"),
        structs.replace(plain, tool="a", input="bc"),
        structs.replace(plain, input="ab", cwd="c"),
        structs.replace(plain, input="a", cwd="bc"),
        structs.replace(plain, suggestions=["{}{}"]),
        structs.replace(plain, suggestions=["{}", "{}", ""]),
        structs.replace(plain, suggestions=[]),
        plain,
    ]

    assert len({digest_of(each) for each in moved}) == len(moved)


def test_a_passphrase_makes_one_key():
    """The same passphrase and salt give the same key, and a change of either gives another key."""
    salt = b"s" * 32
    first = Signer("correct horse battery", salt)

    assert first.public_key == Signer("correct horse battery", salt).public_key
    assert first.public_key != Signer("correct horse batterz", salt).public_key
    assert first.public_key != Signer("correct horse battery", b"t" * 32).public_key
    assert unpacked(first.public_key.x, 32) and verify(first.public_key, b"x", first.sign(b"x"))
