"""A certificate authority for one host. A device that trusts it trusts it for this host and for nothing else.

    root    what a phone trusts. Its key signs the issuer once and is then dropped: nobody can sign with it again
    issuer  limited to the host by name constraints; its key stays in `state/` and signs server certificates
    server  what the listener shows; valid for 90 days

The constraints stand in both upper certificates: some programs ignore those of a root that a person installed.
"""

import ipaddress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple, cast

from chorus.show.server.network.host import NetworkHost

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec

AUTHORITY_DAYS = 3_650
SERVER_DAYS = 90
RENEWED_DAYS = 30
"""A server certificate is replaced when it is valid for fewer days than this."""
EARLIER = timedelta(days=1)
"""Certificates are valid from a day ago on, for phones whose clock is behind."""


class KeyPair(NamedTuple):
    """One or more certificates, the lowest one first, and the key of that one; both as PEM."""

    certificates: bytes
    key: bytes


def make_certificate_authority(host: NetworkHost, now: datetime) -> tuple[bytes, KeyPair]:
    """Returns the root as PEM, and the issuer. The key of the root is not kept."""
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec

    root_key, issuer_key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    root_name, issuer_name = _name(f"Chorus on {host.text}"), _name(f"Chorus on {host.text}, issuer")
    constraints, end = _constraints(host), now + timedelta(days=AUTHORITY_DAYS)
    root = (
        _begun(root_name, root_name, root_key.public_key(), root_key.public_key(), now, end)
        .add_extension(x509.BasicConstraints(ca=True, path_length=1), critical=True)
        .add_extension(_usage(is_authority=True), critical=True)
        .add_extension(constraints, critical=True)
    )
    issuer = (
        _begun(issuer_name, root_name, issuer_key.public_key(), root_key.public_key(), now, end)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(is_authority=True), critical=True)
        .add_extension(_for_servers(), critical=False)
        .add_extension(constraints, critical=True)
    )
    return _signed(root, root_key), KeyPair(_signed(issuer, root_key), _pem_of_key(issuer_key))


def make_server_certificate(issuer: KeyPair, host: NetworkHost, now: datetime) -> KeyPair:
    """Returns a new certificate and key of the listener, followed by the issuer. Raises ValueError for a broken one."""
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    above = x509.load_pem_x509_certificate(issuer.certificates)
    issuer_key = cast("ec.EllipticCurvePrivateKey", load_pem_private_key(issuer.key, None))
    key = ec.generate_private_key(ec.SECP256R1())
    end = min(now + timedelta(days=SERVER_DAYS), above.not_valid_after_utc)
    server = (
        _begun(_name("Chorus server"), above.subject, key.public_key(), issuer_key.public_key(), now, end)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(is_authority=False), critical=True)
        .add_extension(_for_servers(), critical=False)
        .add_extension(x509.SubjectAlternativeName([_general_name(host)]), critical=False)
    )
    return KeyPair(_signed(server, issuer_key) + issuer.certificates, _pem_of_key(key))


def _constraints(host: NetworkHost) -> "x509.NameConstraints":
    """Permits the host and excludes all other names and addresses, as the rules for public authorities write it."""
    from cryptography import x509

    if host.name:
        everywhere = [x509.IPAddress(ipaddress.ip_network(each)) for each in ("0.0.0.0/0", "::/0")]
        return x509.NameConstraints([x509.DNSName(host.name)], everywhere)
    return x509.NameConstraints([x509.IPAddress(ipaddress.ip_network(host.address))], [x509.DNSName("")])


def _general_name(host: NetworkHost) -> "x509.GeneralName":
    from cryptography import x509

    return x509.DNSName(host.name) if host.name else x509.IPAddress(ipaddress.ip_address(host.address))


def _name(text: str) -> "x509.Name":
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    # The limit of the standard for a common name.
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text[:64])])


def _begun(
    subject: "x509.Name",
    issuer: "x509.Name",
    key: "ec.EllipticCurvePublicKey",
    issuer_key: "ec.EllipticCurvePublicKey",
    now: datetime,
    end: datetime,
) -> "x509.CertificateBuilder":
    from cryptography import x509

    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - EARLIER)
        .not_valid_after(end)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key), critical=False)
    )


def _usage(*, is_authority: bool) -> "x509.KeyUsage":
    from cryptography import x509

    no = dict.fromkeys(
        ("content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "crl_sign"), False
    )
    no |= {"encipher_only": False, "decipher_only": False}
    return x509.KeyUsage(digital_signature=not is_authority, key_cert_sign=is_authority, **no)


def _for_servers() -> "x509.ExtendedKeyUsage":
    from cryptography import x509
    from cryptography.x509.oid import ExtendedKeyUsageOID

    return x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])


def _signed(builder: "x509.CertificateBuilder", key: "ec.EllipticCurvePrivateKey") -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.serialization import Encoding

    return builder.sign(key, SHA256()).public_bytes(Encoding.PEM)


def _pem_of_key(key: "ec.EllipticCurvePrivateKey") -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
