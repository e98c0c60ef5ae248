"""Tests where certificates come from, and that they are renewed in time."""

import os
import shutil
import stat
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from chorus.errors import ChorusError
from chorus.show.server.network.certificate_authority import (
    RENEWED_DAYS,
    SERVER_DAYS,
    make_certificate_authority,
    make_server_certificate,
)
from chorus.show.server.network.certificate_facts import expires_at
from chorus.show.server.network.certificates import (
    CertificateFiles,
    OwnCertificateAuthority,
    OwnFiles,
    Tailscale,
    source_for,
)
from chorus.show.server.network.host import NetworkHost
from chorus.show.server.network.tls import tls_context

HOST = NetworkHost("192.168.1.5")
TAILNET = NetworkHost("100.100.1.2", "laptop.tail1234.ts.net")
NOW = datetime.now(UTC)

TAILSCALE = """#!{python}
# What the command line of Tailscale does for `cert`: flags before the name, both files, and one line for each.
import pathlib, sys
if sys.argv[1] != "cert":
    sys.exit("unknown subcommand: " + sys.argv[1])
given = dict(zip(sys.argv[2:6:2], sys.argv[3:6:2]))
(name,) = sys.argv[6:]
prepared = pathlib.Path({prepared!r})
if not (prepared / name).exists():
    sys.exit('500 Internal Server Error: invalid domain "%s"; must be one of ["laptop.tail1234.ts.net"]' % name)
for flag, kind, label in (("--cert-file", "crt", "public cert"), ("--key-file", "key", "private key")):
    new, path = (prepared / name / kind).read_bytes(), pathlib.Path(given[flag])
    if path.exists() and path.read_bytes() == new:
        print(label[0].upper() + label[1:], "unchanged at", path)
    else:
        path.write_bytes(new)
        path.chmod(0o600 if kind == "key" else 0o644)
        print("Wrote", label, "to", path)
"""


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


def contents(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir()}


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "vault" / "state" / "tls" / "192.168.1.5"


def prepared(folder: Path, host: NetworkHost, now: datetime = NOW) -> tuple[Path, Path]:
    """Writes a certificate and a key of another authority, and returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    pair = make_server_certificate(make_certificate_authority(host, now)[1], host, now)
    (folder / "crt").write_bytes(pair.certificates)
    (folder / "key").write_bytes(pair.key)
    return folder / "crt", folder / "key"


def tailscale(folder: Path) -> Path:
    """Returns a program that answers `cert` as Tailscale does, with what `prepared` wrote below `folder`."""
    program = folder / "bin" / "tailscale"
    program.parent.mkdir(parents=True)
    program.write_text(TAILSCALE.format(python=sys.executable, prepared=str(folder)))
    program.chmod(0o700)
    return program


def test_the_authority_is_made_once_and_kept(folder):
    """Starting again uses the same authority and certificate: a phone trusts once. Only this user can read them."""
    source = OwnCertificateAuthority(HOST, folder, Clock())
    files = source.files()
    before = contents(folder)
    assert OwnCertificateAuthority(HOST, folder, Clock()).files() == files
    assert contents(folder) == before
    assert {stat.S_IMODE(each.stat().st_mode) for each in folder.iterdir()} == {0o600}
    assert {stat.S_IMODE(each.stat().st_mode) for each in (folder, folder.parent)} == {0o700}
    tls_context(files)


def test_a_certificate_is_renewed_before_it_ends(folder):
    """With less than 30 days left there is a new certificate and key, of the same authority."""
    clock = Clock()
    source = OwnCertificateAuthority(HOST, folder, clock)
    files = source.files()
    before = contents(folder)
    clock.now += timedelta(days=SERVER_DAYS - RENEWED_DAYS - 1)
    source.files()
    assert contents(folder) == before
    clock.now += timedelta(days=2)
    assert source.files().root == files.root
    changed = {name for name, data in contents(folder).items() if data != before[name]}
    assert changed == {"server.pem", "server.key"}
    assert expires_at(files.chain.read_bytes()) > clock.now + timedelta(days=SERVER_DAYS - 1)


@pytest.mark.parametrize("missing", ["root.pem", "server.pem", "server.key"])
def test_files_that_a_killed_server_did_not_finish_are_made_again(folder, missing):
    """Whatever file is missing after a kill, certificate and key belong together at the next start."""
    OwnCertificateAuthority(HOST, folder, Clock()).files()
    (folder / missing).unlink()
    if missing == "server.key":
        # The key is written before the certificate.
        (folder / "server.pem").unlink()
    tls_context(OwnCertificateAuthority(HOST, folder, Clock()).files())


@pytest.mark.parametrize("name", ["root.pem", "issuer.key", "issuer.pem"])
def test_a_damaged_authority_is_reported_and_not_replaced(folder, name):
    """Damage is an error that says what to do: a new authority would have to be trusted again."""
    OwnCertificateAuthority(HOST, folder, Clock()).files()
    (folder / name).write_bytes(b"not it")
    (folder / "server.pem").unlink()
    with pytest.raises(ChorusError, match="remove the folder to make a new one"):
        OwnCertificateAuthority(HOST, folder, Clock()).files()


def test_no_link_is_followed(folder, tmp_path):
    """A link in place of a key is refused: another program could have put it there."""
    OwnCertificateAuthority(HOST, folder, Clock()).files()
    (folder / "issuer.key").rename(tmp_path / "elsewhere")
    (folder / "issuer.key").symlink_to(tmp_path / "elsewhere")
    (folder / "server.pem").unlink()
    with pytest.raises(ChorusError, match="links are not followed"):
        OwnCertificateAuthority(HOST, folder, Clock()).files()


def test_a_certificate_of_the_person_is_used(tmp_path):
    """A certificate for the host is used as it is, and nothing has to be trusted."""
    files = OwnFiles(HOST, *prepared(tmp_path, HOST)).files()
    assert files.root == b""
    tls_context(files)


def test_a_certificate_that_no_browser_would_accept_is_refused(tmp_path):
    """A certificate for another host, one that has ended, and what is no certificate are refused with the reason."""
    other = OwnFiles(HOST, *prepared(tmp_path / "other", NetworkHost("192.168.1.6")))
    with pytest.raises(ChorusError, match=r"for 192\.168\.1\.6, not for 192\.168\.1\.5"):
        other.files()
    old = OwnFiles(HOST, *prepared(tmp_path / "old", HOST, NOW - timedelta(days=SERVER_DAYS + 1)))
    with pytest.raises(ChorusError, match="was valid until"):
        old.files()
    (tmp_path / "text").write_text("not it")
    with pytest.raises(ChorusError, match="no certificate"):
        OwnFiles(HOST, tmp_path / "text", tmp_path / "text").files()
    with pytest.raises(ChorusError, match="No such file"):
        OwnFiles(HOST, tmp_path / "nothing", tmp_path / "nothing").files()


@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no `openssl` on this system")
def test_a_key_with_a_password_is_refused_and_nobody_is_asked(tmp_path):
    """OpenSSL would ask for the password at the terminal, and a server without one would wait for ever."""
    chain, key = prepared(tmp_path, HOST)
    locked = tmp_path / "locked"
    call = ["openssl", "ec", "-in", key, "-aes256", "-passout", "pass:secret", "-out", locked]
    subprocess.run(call, check=True, capture_output=True, timeout=30)
    with pytest.raises(ChorusError, match="needs a password"):
        tls_context(OwnFiles(HOST, chain, locked).files())
    with pytest.raises(ChorusError, match="not the key of"):
        tls_context(OwnFiles(HOST, chain, prepared(tmp_path / "other", HOST)[1]).files())


@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no `openssl` on this system")
def test_a_weak_certificate_is_refused_with_that_reason(tmp_path):
    """A key that is too short for TLS is not taken for a key that does not fit."""
    chain, key = tmp_path / "weak.pem", tmp_path / "weak.key"
    call = ["openssl", "req", "-x509", "-newkey", "rsa:1024", "-nodes", "-days", "2", "-subj", "/CN=weak"]
    more = ["-addext", "subjectAltName=IP:192.168.1.5", "-keyout", str(key), "-out", str(chain)]
    subprocess.run([*call, *more], check=True, capture_output=True, timeout=30)

    with pytest.raises(ChorusError, match="too weak"):
        tls_context(CertificateFiles(chain, key))


def test_tailscale_gets_the_certificate_of_a_tailnet_name(tmp_path, monkeypatch):
    """For a name of the tailnet, `tailscale cert` writes certificate and key, and again when it has newer ones."""
    state = tmp_path / "vault" / "state"
    monkeypatch.setenv("PATH", f"{tailscale(tmp_path).parent}{os.pathsep}{os.environ['PATH']}")
    prepared(tmp_path / TAILNET.name, TAILNET)
    source = source_for(TAILNET, state, None)
    assert isinstance(source, Tailscale)
    files = source.files()
    assert files.root == b""
    tls_context(files)
    assert stat.S_IMODE(files.key.stat().st_mode) == 0o600
    first = files.key.read_bytes()
    prepared(tmp_path / TAILNET.name, TAILNET)
    tls_context(source.files())
    assert files.key.read_bytes() != first


def test_what_tailscale_says_is_passed_on(tmp_path):
    """If tailscale gives no certificate, the error has its words in one line, and no other certificate is used."""
    source = Tailscale(TAILNET, tmp_path / "vault" / "state" / "tls" / "t", str(tailscale(tmp_path)))
    with pytest.raises(ChorusError, match='failed: 500 Internal Server Error: invalid domain "laptop') as refused:
        source.files()
    assert "\n" not in str(refused.value)
    missing = Tailscale(TAILNET, tmp_path / "vault" / "state" / "tls" / "t", str(tmp_path / "nothing"))
    with pytest.raises(ChorusError, match="No such file"):
        missing.files()


def test_each_host_has_an_authority_of_its_own(tmp_path, monkeypatch):
    """Without `tailscale` a tailnet name has an authority of ours, and another host has another one."""
    monkeypatch.setenv("PATH", str(tmp_path))
    state = tmp_path / "vault" / "state"
    hosts = (HOST, TAILNET, NetworkHost("fd00::5"))
    roots = {source_for(host, state, None).files().root for host in hosts}
    assert len(roots) == 3
    assert {each.name for each in (state / "tls").iterdir()} == {HOST.address, TAILNET.name, "fd00__5"}
