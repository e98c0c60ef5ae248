"""What a certificate says: until when it is valid, for which host, and its fingerprint."""

import hashlib
from collections.abc import Sequence
from datetime import datetime

from chorus.show.server.network.host import NetworkHost


def expires_at(certificates: bytes) -> datetime:
    """Returns when the first of these certificates (PEM) is no longer valid. Raises ValueError."""
    from cryptography import x509

    return x509.load_pem_x509_certificates(certificates)[0].not_valid_after_utc


def names_in(certificates: bytes) -> list[str]:
    """Returns the names and addresses that the first of these certificates (PEM) is for. Raises ValueError."""
    from cryptography import x509

    found = x509.load_pem_x509_certificates(certificates)[0]
    try:
        names = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return []
    addresses = [str(each) for each in names.get_values_for_type(x509.IPAddress)]
    return [*(each.lower() for each in names.get_values_for_type(x509.DNSName)), *addresses]


def is_for(names: Sequence[str], host: NetworkHost) -> bool:
    """Returns whether a certificate for these names is one for the host; `*` stands for one part of a name."""
    if not host.name:
        return host.address in names
    return any(each in (host.name, f"*.{host.name.partition('.')[2]}") for each in names)


def der(certificate: bytes) -> bytes:
    """Returns the bytes of a certificate that is given as PEM; their SHA-256 is its fingerprint."""
    from cryptography import x509
    from cryptography.hazmat.primitives.serialization import Encoding

    return x509.load_pem_x509_certificate(certificate).public_bytes(Encoding.DER)


def fingerprint(certificate_der: bytes) -> str:
    """Returns the SHA-256 of a certificate as phones show it: 32 pairs of digits."""
    return hashlib.sha256(certificate_der).digest().hex(" ").upper()
