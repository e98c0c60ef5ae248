"""Tests paired devices against a real server: pairing, what they reach, and revoking."""

from collections.abc import Iterator

import pytest
from websockets.exceptions import ConnectionClosed

from chorus.show.server.edge.control import answer_pairing, offer_pairing, pairing
from chorus.steer.approvals.devices.devices_file import DevicesFile
from chorus.steer.approvals.devices.signed_devices import DeviceChange
from tests.show.server.pairing_steps import claim_of, offered, paired, secret_in
from tests.show.server.serving import Browser, Live, Serving, serving
from tests.steer.approvals import samples


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server that all tests here use."""
    top = tmp_path_factory.mktemp("devices")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHORUS_HOME", str(top / "vault"))
        with serving(top / "vault", top / "client") as found:
            yield found


@pytest.fixture
def computer(home: Serving) -> Browser:
    return home.browser()


def _listen(live: Live) -> None:
    while True:
        live.next()


def phone_of(home: Serving) -> Browser:
    return Browser(home.port)


def test_a_phone_is_paired_reads_and_does_not_steer(home, computer):
    """A device that was paired to read sees conversations, and gets 403 where it would steer or approve."""
    phone = phone_of(home)
    assert phone.get("/api/status").status == 401
    assert paired(computer, phone, "read", name="reader").json == {"is_paired": True}
    assert phone.get("/api/status").status == 200
    refused = phone.post("/api/runs/some/stop")
    assert refused.status == 403
    assert "paired to read. To steer, pair it again" in refused.json["message"]
    assert phone.post("/api/devices/pairing", {"scope": "approve"}).status == 403
    listed = computer.get("/api/devices").json["devices"]
    assert [(each["scope"], bool(each["seen_at"])) for each in listed if each["name"] == "reader"] == [("read", True)]
    logins = phone.get("/api/settings").json["devices"]
    assert [(each["name"], each["scope"]) for each in logins if each["is_this"]] == [("reader", "read")]
    assert (None, None) in [(each["name"], each["scope"]) for each in logins if not each["is_this"]]


def test_nobody_is_let_in_before_a_person_confirms(home, computer):
    """A device that claimed the code waits; it has no cookie until the person said yes, and none after a no."""
    phone = phone_of(home)
    claimed = phone.post("/api/pair", claim_of(offered(computer, "read"), "read", name="waiting")).json
    assert phone.post("/api/pair/finish", {"claim": claimed["claim"]}).json == {"is_paired": False}
    assert phone.cookie is None
    shown = computer.get("/api/devices").json["pairing"]
    assert (shown["state"], shown["name"], shown["code"]) == ("claimed", "waiting", claimed["code"])
    computer.post("/api/devices/pairing/answer", {"code": claimed["code"], "is_confirmed": False})
    assert phone.post("/api/pair/finish", {"claim": claimed["claim"]}).status == 401
    assert phone.cookie is None


def test_a7_a_pairing_cannot_be_replayed(home, computer):
    """A7: claim and confirmation of a finished pairing are refused when they are sent again."""
    phone = phone_of(home)
    asked = claim_of(offered(computer, "read"), "read", name="replayed")
    claimed = phone.post("/api/pair", asked).json
    computer.post("/api/devices/pairing/answer", {"code": claimed["code"], "is_confirmed": True})
    assert phone.post("/api/pair/finish", {"claim": claimed["claim"]}).json == {"is_paired": True}
    thief = phone_of(home)
    assert thief.post("/api/pair/finish", {"claim": claimed["claim"]}).status == 401
    assert thief.post("/api/pair", asked).status in (401, 429)
    assert thief.cookie is None
    offered(computer, "read")


def test_a_terminal_pairs_a_device(home):
    """The control socket offers a pairing, shows who claimed it, and confirms it."""
    state = home.vault / "state"
    offer = offer_pairing(state, "steer")
    assert offer is not None
    assert offer.is_only_here
    assert offer.link.startswith(f"http://127.0.0.1:{home.port}/pair#p=")
    phone = phone_of(home)
    claimed = phone.post("/api/pair", claim_of(secret_in(offer.link), "steer", name="from the terminal")).json
    shown = pairing(state)
    assert shown is not None
    assert shown.code == claimed["code"]
    wrong = answer_pairing(state, "not it", is_confirmed=True)
    assert wrong is not None
    assert "No device waits" in wrong.refusal
    done = answer_pairing(state, claimed["code"], is_confirmed=True)
    assert done is not None
    assert done.refusal == ""
    assert phone.post("/api/pair/finish", {"claim": claimed["claim"]}).json == {"is_paired": True}


@pytest.mark.parametrize("way", ["page", "terminal"])
def test_a8_a_revoked_device_loses_everything(home, computer, way):
    """A8, T8: revoking a stolen phone closes its socket, and cookie and key are refused from then on."""
    phone = phone_of(home)
    name = f"stolen, {way}"
    paired(computer, phone, "steer", name=name)
    with phone.live() as live:
        live.until(lambda frame: frame["type"] == "welcome")
        if way == "page":
            answer = computer.post(f"/api/devices/{samples.key(name).id}/revoke")
            assert name not in [each["name"] for each in answer.json["devices"]]
        else:
            change = DeviceChange(action="revoke", id=samples.key(name).id, at="2026-03-01T12:00:00.000Z")
            DevicesFile(home.vault / "state").append(change)
        with pytest.raises(ConnectionClosed) as closed:
            _listen(live)
    assert closed.value.rcvd is not None
    assert {phone.get("/api/status").status for _ in range(200)} == {401}
    again = phone.post("/api/pair", claim_of(offered(computer, "steer"), "steer", name=name)).json
    answer = computer.post("/api/devices/pairing/answer", {"code": again["code"], "is_confirmed": True})
    assert (answer.status, answer.kind) == (409, "not_allowed")
    assert phone.post("/api/pair/finish", {"claim": again["claim"]}).status == 401


def test_a8_secrets_are_long_and_in_no_address_or_log(home, computer):
    """A8: secrets have 256 bits, stand only in fragments and bodies, and neither log nor state contains them."""
    phone = phone_of(home)
    secret = offered(computer, "read")
    claimed = phone.post("/api/pair", claim_of(secret, "read", name="quiet")).json
    computer.post("/api/devices/pairing/answer", {"code": claimed["code"], "is_confirmed": True})
    phone.post("/api/pair/finish", {"claim": claimed["claim"]})
    assert phone.cookie is not None
    kept = phone.cookie.partition("=")[2]
    for each in (secret, claimed["claim"], kept):
        assert len(each) >= 43
        for path in home.vault.rglob("*"):
            if path.is_file():
                assert each.encode() not in path.read_bytes(), path


def test_a_device_is_never_the_first_approver(home, computer):
    """A device with the scope to approve becomes an approver only by the signature of an approver."""
    phone = phone_of(home)
    paired(computer, phone, "approve", name="approving")
    public = claim_of("", "read", name="approving")["public_key"]
    answer = phone.post("/api/approvers", {"name": "approving", "public_key": public})
    assert (answer.status, answer.kind) == (403, "not_allowed")
    assert computer.get("/api/approvers").json["approvers"] == []


def test_a_device_enrols_its_own_key_alone(home, computer):
    """A device with the scope to approve cannot ask for another key than the one it was paired with."""
    phone = phone_of(home)
    paired(computer, phone, "approve", name="honest")
    public = claim_of("", "read", name="another key")["public_key"]
    assert phone.post("/api/approvers", {"name": "honest", "public_key": public}).status == 403


def test_a_device_is_renamed(home, computer):
    """A new name is shown from then on; a name that nobody can read is refused."""
    phone = phone_of(home)
    paired(computer, phone, "read", name="old name")
    device = samples.key("old name").id
    listed = computer.post(f"/api/devices/{device}/rename", {"name": "new name"}).json["devices"]
    assert [each["name"] for each in listed if each["id"] == device] == ["new name"]
    assert computer.post(f"/api/devices/{device}/rename", {"name": "a\nb"}).status == 409
    assert computer.post("/api/devices/nobody/rename", {"name": "x"}).status == 404
    assert phone.get("/api/status").status == 200
