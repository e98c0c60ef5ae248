"""What the encrypted listener agrees to: TLS 1.2 with forward secrecy, or TLS 1.3."""

import ssl

from chorus.errors import ChorusError
from chorus.show.server.network.certificates import CertificateFiles

_CIPHERS = "ECDHE+AESGCM:ECDHE+CHACHA20:@SECLEVEL=2"
"""For TLS 1.2; those of TLS 1.3 are all good. The level refuses keys below 112 bits of security on every system."""


_TOO_WEAK = ("KEY_TOO_SMALL", "MD_TOO_WEAK")
"""The ends of what OpenSSL says about keys and signatures that are no longer safe."""


def tls_context(files: CertificateFiles) -> ssl.SSLContext:
    """Returns the settings of new connections. Raises ChorusError if certificate and key cannot be used."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_COMPRESSION | ssl.OP_NO_RENEGOTIATION | ssl.OP_CIPHER_SERVER_PREFERENCE
    context.set_ciphers(_CIPHERS)
    context.set_alpn_protocols(["http/1.1"])
    try:
        # Without a password OpenSSL would ask for one at the terminal.
        context.load_cert_chain(files.chain, files.key, password="")
    except ssl.SSLError as error:
        if (error.reason or "").endswith(_TOO_WEAK):
            raise ChorusError(f"{files.chain}: this certificate is too weak ({error.reason})") from error
        raise ChorusError(
            f"{files.key}: this is not the key of {files.chain}, or it needs a password ({error.reason})"
        ) from error
    except (OSError, ValueError) as error:
        raise ChorusError(f"{files.key}: {getattr(error, 'strerror', None) or error}") from error
    return context
