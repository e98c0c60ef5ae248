"""Where the certificate of the encrypted listener comes from: files of the person, `tailscale`, or a certificate
authority of ours.

Keys are read from files only, and written to `state/tls/`, which this user alone can read.
"""

import os
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from chorus.base.processes import run_once
from chorus.errors import ChorusError
from chorus.keep.vault.safe_files import make_folders, put_file, read_file
from chorus.show.server.network.certificate_authority import (
    RENEWED_DAYS,
    KeyPair,
    make_certificate_authority,
    make_server_certificate,
)
from chorus.show.server.network.certificate_facts import expires_at, is_for, names_in
from chorus.show.server.network.host import NetworkHost

FOLDER = "tls"
"""Below `state/`; it has a folder for each host."""
TAILNET = ".ts.net"
_TAILSCALE_S = 90.0
"""A first certificate takes some seconds, because a public authority checks the name."""
_LONGEST_ANSWER = 200
Now = Callable[[], datetime]


def now_utc() -> datetime:
    return datetime.now(UTC)


class CertificateFiles(Struct, frozen=True):
    """The files that a listener needs, and the root that phones have to trust (PEM); empty if they trust it already."""

    chain: Path
    key: Path
    root: bytes = b""


class CertificateSource(Protocol):
    """Where a certificate comes from."""

    def files(self) -> CertificateFiles:
        """Returns the files of a valid certificate; makes or renews it if necessary. Raises ChorusError."""
        ...


class OwnFiles:
    """A certificate and a key that the person has. They are read again when they change."""

    def __init__(self, host: NetworkHost, chain: Path, key: Path, now: Now = now_utc) -> None:
        self._host = host
        self._files = CertificateFiles(chain, key)
        self._now = now

    def files(self) -> CertificateFiles:
        _check(self._files.chain, self._host, self._now())
        return self._files


class Tailscale:
    """A certificate that `tailscale cert` gets from a public authority for a name of the tailnet."""

    def __init__(self, host: NetworkHost, folder: Path, program: str, now: Now = now_utc) -> None:
        self._host = host
        self._folder = folder
        self._program = program
        self._now = now

    def files(self) -> CertificateFiles:
        found = CertificateFiles(self._folder / "server.pem", self._folder / "server.key")
        _make_folder(self._folder)
        call = [self._program, "cert", "--cert-file", str(found.chain), "--key-file", str(found.key), self._host.name]
        try:
            code, said = run_once(call, dict(os.environ), patience_s=_TAILSCALE_S)
        except OSError as error:
            raise ChorusError(f"`tailscale cert {self._host.name}` failed: {error}") from error
        if code:
            words = "".join(char if char.isprintable() else " " for char in said).strip()[:_LONGEST_ANSWER]
            raise ChorusError(f"`tailscale cert {self._host.name}` failed: {words or f'exit code {code}'}")
        _check(found.chain, self._host, self._now())
        return found


class OwnCertificateAuthority:
    """A certificate of a certificate authority that Chorus makes for this host alone, and that phones have to trust."""

    def __init__(self, host: NetworkHost, folder: Path, now: Now = now_utc) -> None:
        self._host = host
        self._folder = folder
        self._now = now

    def files(self) -> CertificateFiles:
        try:
            return self._made()
        except OSError as error:
            raise ChorusError(f"{self._folder}: {error.strerror or error}") from error
        except (ValueError, TypeError) as error:
            raise ChorusError(
                f"{self._folder}: this certificate authority cannot be read; remove the folder to make a new one, "
                "which phones have to trust again"
            ) from error

    def _made(self) -> CertificateFiles:
        now, of = self._now(), self._folder
        found = CertificateFiles(of / "server.pem", of / "server.key")
        if not (of / "root.pem").exists() or expires_at(read_file(of / "root.pem")) <= now:
            self._make_certificate_authority(now)
        # A server that was killed between two files left a certificate without its key: then both are made again.
        if not found.chain.exists() or expires_at(read_file(found.chain)) < now + timedelta(days=RENEWED_DAYS):
            issuer = KeyPair(read_file(of / "issuer.pem"), read_file(of / "issuer.key"))
            made = make_server_certificate(issuer, self._host, now)
            found.chain.unlink(missing_ok=True)
            put_file(found.key, made.key)
            put_file(found.chain, made.certificates)
        return CertificateFiles(found.chain, found.key, read_file(of / "root.pem"))

    def _make_certificate_authority(self, now: datetime) -> None:
        _make_folder(self._folder)
        root, issuer = make_certificate_authority(self._host, now)
        (self._folder / "server.pem").unlink(missing_ok=True)
        put_file(self._folder / "issuer.key", issuer.key)
        put_file(self._folder / "issuer.pem", issuer.certificates)
        # The last one: without it the others do not count.
        put_file(self._folder / "root.pem", root)


def source_for(host: NetworkHost, state: Path, own: tuple[Path, Path] | None) -> CertificateSource:
    """Returns where the certificate of a host comes from; `own` are certificate and key of the person."""
    if own is not None:
        return OwnFiles(host, *own)
    folder = state / FOLDER / host.text.strip("[]").replace(":", "_")
    if host.name.endswith(TAILNET) and (program := shutil.which("tailscale")) is not None:
        return Tailscale(host, folder, program)
    return OwnCertificateAuthority(host, folder)


def _make_folder(folder: Path) -> None:
    try:
        make_folders(folder.parents[2], folder)
    except OSError as error:
        raise ChorusError(f"{folder}: {error.strerror or error}") from error


def _check(chain: Path, host: NetworkHost, now: datetime) -> None:
    """Raises ChorusError if a certificate cannot be read, is no longer valid, or is for another host."""
    try:
        data = chain.read_bytes()
        end, names = expires_at(data), names_in(data)
    except OSError as error:
        raise ChorusError(f"{chain}: {error.strerror or error}") from error
    except ValueError as error:
        raise ChorusError(f"{chain}: this is no certificate in the form PEM") from error
    if end <= now:
        raise ChorusError(f"{chain}: this certificate was valid until {end:%Y-%m-%d}")
    if not is_for(names, host):
        raise ChorusError(f"{chain}: this certificate is for {', '.join(names) or 'no name'}, not for {host.text}")
