"""Tests of A8: secrets are long, stand in no address, argument or log, and end at once when a device is revoked."""

import base64
import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from chorus.show.server.edge.logins import Logins
from chorus.show.server.edge.pairing import Pairings
from chorus.show.server.edge.tickets import Tickets
from chorus.show.server.live import close_codes
from chorus.show.server.services import devices as device_service
from chorus.steer.approvals.devices.devices_file import DevicesFile
from chorus.steer.approvals.devices.signed_devices import DeviceChange
from tests.show.server.lan import LAN, LanPhone, needs_lan
from tests.show.server.pairing_steps import claim_of, paired, secret_in
from tests.show.server.phones import opened
from tests.show.server.serving import PATIENCE_S, Browser, serving, until
from tests.steer.approvals import samples

TRIES = 200
SAMPLES = 256
MIN_BITS = 128


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "vault"))
    with serving(tmp_path / "vault", tmp_path / "client", lan=LAN) as server:
        yield server


def test_a8_every_secret_has_enough_bits(tmp_path):
    """A8: links, logins, tickets and pairing codes never repeat, and at least 128 bits of them vary freely."""
    logins, tickets, pairings = Logins(tmp_path / "state" / "logins.json"), Tickets(), Pairings()
    makers = {
        "link": logins.new_link,
        "login": lambda: logins.begin("device"),
        "ticket": lambda: tickets.give(os.urandom(8).hex()),
        "pairing": lambda: pairings.offer("read"),
    }
    for name, make in makers.items():
        found = [base64.urlsafe_b64decode(make() + "==") for _ in range(SAMPLES)]
        assert len(set(found)) == SAMPLES, name
        numbers = [int.from_bytes(each) for each in found]
        bits = len(found[0]) * 8
        varying = sum(SAMPLES // 4 < sum(number >> bit & 1 for number in numbers) < SAMPLES * 3 // 4
                      for bit in range(bits))  # fmt: skip
        assert varying >= MIN_BITS, name


@needs_lan
def test_a8_no_secret_is_in_an_address_an_argument_or_a_log(home, tmp_path):
    """A8: `chorus phone pair` shows its secret on the terminal alone: not in its arguments, its environment, the files
    of the vault, the log, or an address that is requested. Pages send no Referer."""
    environment = os.environ | {"CHORUS_HOME": str(home.vault), "NO_COLOR": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "chorus", "phone", "pair", "--scope", "steer"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        lines = iter(process.stdout.readline, "")
        link = next(each.strip() for each in lines if "#p=" in each)
        secret = secret_in(link)
        assert link.startswith(home.network.address + "/pair#p=")
        assert "?" not in link
        phone = LanPhone(home)
        claimed = phone.post("/api/pair", claim_of(secret, "steer", name="quiet")).json
        for name in ("cmdline", "environ") if sys.platform == "linux" else ():
            assert secret.encode() not in Path(f"/proc/{process.pid}/{name}").read_bytes()
        process.stdin.write("y\n")
        process.stdin.flush()
        until(lambda: phone.post("/api/pair/finish", {"claim": claimed["claim"]}).json["is_paired"])
        process.communicate(timeout=PATIENCE_S)
    finally:
        process.kill()
        process.communicate()
    assert phone.cookie is not None
    ticket = phone.ticket()
    for path in ("/pair", "/", "/trust"):
        assert phone.get(path).headers["referrer-policy"] == "no-referrer"
    for each in (secret, claimed["claim"], phone.cookie.partition("=")[2], ticket):
        for path in home.vault.rglob("*"):
            assert not path.is_file() or each.encode() not in path.read_bytes(), path
        # A secret in an address is not one: nothing reads it there.
        assert LanPhone(home).get(f"/api/status?token={each}").status == 401


@needs_lan
@pytest.mark.parametrize("way", ["page", "terminal"])
def test_a8_a_revoked_device_has_nothing_open(home, way):
    """A8: revoking ends the login, all sockets of both kinds and the tickets of a device: 0 of 200 tries get in.

    From the page everything is over before the answer; from the terminal after one look of the server, and it looks
    twice a second.
    """
    computer, phone, other = home.browser(), LanPhone(home), LanPhone(home)
    paired(computer, phone, "approve", name="stolen")
    paired(computer, other, "read", name="kept")
    stolen = samples.key("stolen").id
    with contextlib.ExitStack() as sockets:
        live = [sockets.enter_context(phone.live()) for _ in range(3)]
        mobile = [sockets.enter_context(opened(phone)) for _ in range(3)]
        kept = sockets.enter_context(other.live())
        for each in live:
            each.until(lambda frame: frame["type"] == "welcome")
        for each in mobile:
            each.send(json.dumps({"type": "subscribe", "ticket": phone.ticket(), "conversations": []}))
            assert json.loads(each.recv(timeout=PATIENCE_S))["messages"]
        ticket = phone.ticket()
        if way == "page":
            assert computer.post(f"/api/devices/{stolen}/revoke").status == 200
        else:
            DevicesFile(home.vault / "state").append(
                DeviceChange(action="revoke", id=stolen, at="2026-03-01T12:00:00.000Z")
            )
        tried = [phone.get("/api/status").status for _ in range(TRIES)]
        codes = [_closed(each) for each in (*(one.socket for one in live), *mobile)]
        assert tried == [401] * TRIES
        assert set(codes) == {close_codes.LOGGED_OUT}
        with pytest.raises(InvalidStatus), phone.socket() as late:
            late.send(json.dumps({"type": "hello", "ticket": ticket}))
        kept.until(lambda frame: frame["type"] in ("welcome", "status"))
        assert other.get("/api/status").status == 200
    assert 2 * device_service._LOOK_S <= 1.0
    print(f"A8: {TRIES} tries after revoking, 0 accepted; {len(codes)} of {len(codes)} sockets closed")


def _closed(socket) -> int | None:
    """Returns the code with which the server closes a socket; what it sent before is skipped."""
    end = time.monotonic() + PATIENCE_S
    try:
        while time.monotonic() < end:
            socket.recv(timeout=PATIENCE_S)
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd else None
    raise AssertionError("the socket stays open")


@needs_lan
def test_a8_an_old_login_is_worth_nothing_after_a_new_one(home):
    """A8: after logging out and in again, the old cookie gets in 0 times of 200, and no file contains it."""
    phone = Browser(home.port)
    phone.post("/api/login", {"token": home.link()})
    old = phone.cookie
    phone.post("/api/logout")
    phone.post("/api/login", {"token": home.link()})
    stale = Browser(home.port)
    stale.cookie = old
    assert [stale.get("/api/status").status for _ in range(TRIES)] == [401] * TRIES
    assert phone.get("/api/status").status == 200
    assert old is not None
    assert old.partition("=")[2] not in (home.vault / "state" / "logins.json").read_text()
