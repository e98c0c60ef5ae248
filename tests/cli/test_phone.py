"""Tests `chorus phone`: the list of devices, following as a phone does, and what happens without a server."""

import json
import os
import signal
import subprocess
import sys

from click.testing import CliRunner

from chorus.base.qr import qr_rows
from chorus.cli.commands.phone import phone
from chorus.cli.qr_text import qr_text
from chorus.show.server.edge.control import offer_pairing
from chorus.steer.approvals.devices.devices_file import DevicesFile
from tests.show.server.lan import LAN, needs_lan
from tests.show.server.phones import name_of
from tests.show.server.serving import serving, session_of
from tests.steer.approvals.devices.test_devices_file import added


def run(vault, *arguments: str):
    return CliRunner().invoke(phone, [*arguments, "--vault", str(vault)])


def test_devices_are_listed_renamed_and_revoked(tmp_path):
    """A device is named by its name or the beginning of its id, and stays in the list after it was revoked."""
    assert "No device is paired" in run(tmp_path, "list").output
    file = DevicesFile(tmp_path / "state")
    file.append(added("phone"))
    assert "No device" not in run(tmp_path, "list").output
    assert run(tmp_path, "rename", "phone", "Ada").exit_code == 0
    assert run(tmp_path, "revoke", next(iter(file.admitted()))[:8]).exit_code == 0
    assert file.admitted() == {}
    listed = json.loads(run(tmp_path, "list", "--json").output)["devices"]
    assert [(each["name"], each["scope"], each["revoked_at"] is None) for each in listed] == [("Ada", "read", False)]
    assert "matches no device" in str(run(tmp_path, "revoke", "Ada").exception)


def test_pairing_needs_a_server(tmp_path):
    """Without a server nothing is shown, and the error says what to start."""
    found = run(tmp_path, "pair")
    assert found.exit_code == 1
    assert "chorus serve" in str(found.exception)


def test_trusting_needs_a_server_that_phones_reach(tmp_path):
    """Without a server, or with one that listens on this computer only, the error says what to start."""
    assert "chorus serve --lan" in str(run(tmp_path, "trust").exception)
    with serving(tmp_path, tmp_path / "client"):
        said = str(run(tmp_path, "trust").exception)
    assert "this computer only; end it and start it with `chorus serve --lan`" in said


@needs_lan
def test_a_certificate_is_written_to_a_new_file_only(tmp_path, monkeypatch):
    """`--out` never writes over a file; the pairing code names the address of the network."""
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path))
    with serving(tmp_path, tmp_path / "client", lan=LAN) as server:
        file = tmp_path / "chorus.crt"
        assert run(tmp_path, "trust", "--out", str(file)).exit_code == 0
        assert file.read_bytes() == server.network.root
        assert "File exists" in str(run(tmp_path, "trust", "--out", str(file)).exception)
        offer = offer_pairing(tmp_path / "state", "read")
        assert offer is not None
        assert not offer.is_only_here
        assert offer.link.startswith(f"{server.network.address}/pair#p=")


def test_a_qr_code_is_drawn_with_its_quiet_zone():
    """Two rows of modules are one line, and the four light rows around the code are there."""
    rows = qr_rows("https://192.168.1.20:7717/pair#p=secret")
    lines = qr_text(rows).splitlines()
    assert len(lines) == (len(rows) + 1) // 2
    assert set("".join(rows[:4])) == {"0"}
    assert all(row.startswith("0000") and row.endswith("0000") for row in rows)


def test_watching_shows_what_a_phone_is_sent(tmp_path, monkeypatch):
    """The messages of a conversation come as lines, with nothing active in them, until Ctrl-C."""
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "home"))
    with serving(tmp_path / "home", tmp_path / "client") as server:
        session = session_of("paint \x1b[2J it")
        server.write(session)
        name_of(server.browser(), session)
        home = os.environ | {"CHORUS_HOME": str(tmp_path / "home")}
        shown, as_json = "user_message: paint \\x1b[2J it\n", '"content": "paint \\u001b'
        for options, expected in [((), shown), (("--json",), as_json)]:
            call = [sys.executable, "-m", "chorus", "phone", "watch", session.id, *options]
            with subprocess.Popen(call, stdout=subprocess.PIPE, text=True, env=home, cwd=tmp_path) as process:
                assert process.stdout is not None
                lines = iter(process.stdout.readline, "")
                assert expected in next(line for line in lines if expected in line)
                process.send_signal(signal.SIGINT)
                assert process.wait(30) == 130


def test_watching_needs_a_server(tmp_path):
    """Without a server the command says what to start; more conversations than a phone follows are refused."""
    assert "chorus serve" in str(run(tmp_path, "watch").exception)
    assert "at most 8" in str(run(tmp_path, "watch", *"abcdefghi").exception)
