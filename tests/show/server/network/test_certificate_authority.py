"""Tests the certificate authority with the system's `openssl`: it is good for one host, and for nothing else."""

import shutil
import subprocess
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, load_pem_private_key

from chorus.show.server.network import certificate_authority
from chorus.show.server.network.certificate_authority import (
    SERVER_DAYS,
    KeyPair,
    make_certificate_authority,
    make_server_certificate,
)
from chorus.show.server.network.certificate_facts import der, expires_at, fingerprint, is_for, names_in
from chorus.show.server.network.host import NetworkHost

NOW = datetime.now(UTC)
FOUR, SIX, NAMED = NetworkHost("192.168.1.5"), NetworkHost("fd00::5"), NetworkHost("192.168.1.5", "laptop.local")
OTHERS = [
    NetworkHost("192.168.1.6"),
    NetworkHost("10.0.0.1"),
    NetworkHost("fd00::6"),
    NetworkHost("192.168.1.5", "bank.example"),
    NetworkHost("192.168.1.5", "local"),
    NetworkHost("192.168.1.5", "laptop.local.evil.example"),
]

openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no `openssl` on this system")


def verified(folder, root: bytes, chain: bytes, host: NetworkHost, at: datetime = NOW) -> str:
    """Returns what `openssl verify` says about a chain that is shown for a host."""
    lowest, *above = x509.load_pem_x509_certificates(chain)
    for name, data in (("root", [root]), ("lowest", [pem(lowest)]), ("above", map(pem, above))):
        (folder / name).write_bytes(b"".join(data))
    for_host = ["-verify_hostname", host.name] if host.name else ["-verify_ip", host.address]
    call = ["openssl", "verify", "-x509_strict", "-purpose", "sslserver", "-attime", str(int(at.timestamp()))]
    done = subprocess.run(
        [*call, *for_host, "-CAfile", folder / "root", "-untrusted", folder / "above", folder / "lowest"],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    return done.stdout + done.stderr


def pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(Encoding.PEM)


@openssl
@pytest.mark.parametrize("host", [FOUR, SIX, NAMED])
def test_openssl_accepts_the_host_and_no_other(tmp_path, host):
    """The certificate of the host verifies; one that the same authority signs for any other host does not."""
    root, issuer = make_certificate_authority(host, NOW)
    assert verified(tmp_path, root, make_server_certificate(issuer, host, NOW).certificates, host).endswith(": OK\n")
    for other in [*OTHERS, *({FOUR, SIX, NAMED} - {host})]:
        said = verified(tmp_path, root, make_server_certificate(issuer, other, NOW).certificates, other)
        assert "subtree violation" in said, (host, other, said)


@openssl
def test_openssl_refuses_a_third_authority(tmp_path):
    """The issuer cannot make another authority, which would be free of its constraints."""
    root, issuer = make_certificate_authority(FOUR, NOW)
    stolen = x509.load_pem_x509_certificate(issuer.certificates)
    key = ec.generate_private_key(ec.SECP256R1())
    issuer_key = load_pem_private_key(issuer.key, None)
    assert isinstance(issuer_key, ec.EllipticCurvePrivateKey)
    name = certificate_authority._name("a third one")
    builder = certificate_authority._begun(
        name, stolen.subject, key.public_key(), issuer_key.public_key(), NOW, NOW + timedelta(9)
    )
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    third = builder.add_extension(certificate_authority._usage(is_authority=True), critical=True).sign(
        issuer_key, SHA256()
    )
    pair = KeyPair(pem(third) + issuer.certificates, certificate_authority._pem_of_key(key))
    chain = make_server_certificate(pair, FOUR, NOW).certificates
    assert "path length constraint exceeded" in verified(tmp_path, root, chain, FOUR)


@openssl
def test_a_phone_whose_clock_is_off_by_an_hour_accepts_it(tmp_path):
    """A new certificate verifies on a clock that is an hour, or almost a day, behind or ahead."""
    root, issuer = make_certificate_authority(FOUR, NOW)
    chain = make_server_certificate(issuer, FOUR, NOW).certificates
    for hours in (-23, -1, 1, 23):
        assert verified(tmp_path, root, chain, FOUR, NOW + timedelta(hours=hours)).endswith(": OK\n")
    late = NOW + timedelta(days=SERVER_DAYS, seconds=1)
    assert "certificate has expired" in verified(tmp_path, root, chain, FOUR, late)


def test_certificates_are_short_and_keys_are_new():
    """Keys are P-256, a server certificate is valid for less than 397 days, and the key of the root is nowhere."""
    root, issuer = make_certificate_authority(FOUR, NOW)
    first, second = (make_server_certificate(issuer, FOUR, NOW) for _ in range(2))
    found = x509.load_pem_x509_certificates(root + first.certificates)
    points = [point(each.public_key()) for each in found]
    assert expires_at(first.certificates) - NOW < timedelta(days=397)
    assert first.key != second.key
    kept = [point(load_pem_private_key(each.key, None).public_key()) for each in (issuer, first)]
    assert len(set(points)) == 3
    assert kept == [points[2], points[1]]


def point(key: object) -> ec.EllipticCurvePublicNumbers:
    assert isinstance(key, ec.EllipticCurvePublicKey)
    assert key.curve.name == "secp256r1"
    return key.public_numbers()


@pytest.mark.parametrize("host", [FOUR, SIX, NAMED])
def test_both_upper_certificates_are_constrained(host):
    """A program that ignores the constraints of a root still reads those of the issuer, which are critical."""
    root, issuer = make_certificate_authority(host, NOW)
    for data in (root, issuer.certificates):
        found = x509.load_pem_x509_certificate(data).extensions.get_extension_for_class(x509.NameConstraints)
        assert found.critical
        limits = [*(found.value.permitted_subtrees or ()), *(found.value.excluded_subtrees or ())]
        kinds = {type(each) for each in limits}
        assert kinds == {x509.DNSName, x509.IPAddress}


def test_the_fingerprint_is_that_of_the_file():
    """The fingerprint is the SHA-256 of the bytes that a phone downloads, in 32 pairs."""
    root, _ = make_certificate_authority(FOUR, NOW)
    shown = fingerprint(der(root))
    assert len(shown) == 95
    assert bytes.fromhex(shown.replace(" ", "")) == x509.load_pem_x509_certificate(root).fingerprint(SHA256())


def test_names_of_a_certificate_are_compared_exactly():
    """A star stands for one part of a name, and an address is compared as an address."""
    _, issuer = make_certificate_authority(NAMED, NOW)
    assert names_in(make_server_certificate(issuer, NAMED, NOW).certificates) == ["laptop.local"]
    assert is_for(["laptop.local"], NAMED) and is_for(["*.local"], NAMED) and is_for(["192.168.1.5"], FOUR)
    for names in ([], ["local"], ["*.laptop.local"], ["192.168.1.5"], ["other.local"]):
        assert not is_for(names, NAMED)
    assert not is_for(["laptop.local", "192.168.1.50"], FOUR)
