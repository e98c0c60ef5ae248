"""Tests of A7: one code pairs one device, once, in time, over the network.

Pairing without a network is in `tests/show/server/edge/test_pairing.py`.
"""

import threading
from collections.abc import Iterator

import pytest

from chorus.show.server.edge.pairing import PAIRING_S, Pairings
from chorus.show.server.errors import Refused
from chorus.steer.approvals.signing import PublicKey
from tests.show.server.lan import LAN, LanPhone, needs_lan
from tests.show.server.pairing_steps import claim_of, offered
from tests.show.server.serving import Browser, Serving, serving
from tests.steer.approvals.samples import Clock

REPLAYS = 100
RACES = 10
RACERS = 6


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server that phones reach, for all tests here."""
    top = tmp_path_factory.mktemp("a7")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHORUS_HOME", str(top / "vault"))
        with serving(top / "vault", top / "client", lan=LAN) as found:
            yield found


@pytest.fixture
def computer(home: Serving) -> Browser:
    return home.browser()


def confirm(computer: Browser, code: str, *, is_confirmed: bool = True) -> int:
    return computer.post("/api/devices/pairing/answer", {"code": code, "is_confirmed": is_confirmed}).status


@needs_lan
def test_a7_a_finished_pairing_is_worth_nothing(home, computer):
    """A7: claim and confirmation of a paired device, sent a hundred times by others, succeed 0 times more."""
    phone = LanPhone(home)
    asked = claim_of(offered(computer, "read"), "read", name="first")
    claimed = phone.post("/api/pair", asked).json
    assert confirm(computer, claimed["code"]) == 200
    assert phone.post("/api/pair/finish", {"claim": claimed["claim"]}).json == {"is_paired": True}
    thief, found = LanPhone(home), []
    for _ in range(REPLAYS):
        # A new offer allows new guesses: without it, most of these would be refused before they are examined.
        offered(computer, "read")
        found.append(thief.post("/api/pair", asked).status)
        found.append(thief.post("/api/pair/finish", {"claim": claimed["claim"]}).status)
    assert set(found) == {401}
    assert thief.cookie is None
    assert confirm(computer, claimed["code"]) == 409
    print(f"A7: {REPLAYS} replays, 0 successes")


def test_a7_nothing_succeeds_after_two_minutes():
    """A7: of a hundred codes that are used the moment they expire, none succeeds; a moment before, each does."""
    clock = Clock()
    pairings = Pairings(clock.ticks)

    def succeeds(after_s: float) -> bool:
        secret = pairings.offer("read")
        given = claim_of(secret, "read")
        clock.go(after_s)
        try:
            pairings.claim(secret, given["name"], PublicKey(**given["public_key"]), given["signature"])
        except Refused:
            return False
        return True

    assert sum(succeeds(PAIRING_S) for _ in range(REPLAYS)) == 0
    assert sum(succeeds(PAIRING_S - 0.001) for _ in range(REPLAYS)) == REPLAYS


@needs_lan
def test_a7_of_devices_that_race_one_wins(home, computer):
    """A7: six devices send the same code at the same moment, ten times: one claim each, and one login at most."""
    for race in range(RACES):
        secret, ready = offered(computer, "read"), threading.Barrier(RACERS)
        phones = [LanPhone(home) for _ in range(RACERS)]
        asked = [claim_of(secret, "read", name=f"racer {race} {number}") for number in range(RACERS)]
        found = {}

        def run(number: int, phones=phones, asked=asked, found=found, ready=ready) -> None:
            ready.wait()
            found[number] = phones[number].post("/api/pair", asked[number])

        threads = [threading.Thread(target=run, args=(number,)) for number in range(RACERS)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        (winner,) = [number for number, answer in found.items() if answer.status == 200]
        assert confirm(computer, found[winner].json["code"]) == 200
        finished = [phone.post("/api/pair/finish", {"claim": found[winner].json["claim"]}) for phone in phones]
        assert sum(answer.status == 200 for answer in finished) == 1
        assert sum(phone.cookie is not None for phone in phones) == 1


@needs_lan
def test_a7_a_photo_of_the_code_is_noticed(home, computer):
    """A7: a thief who photographs the QR code and is faster shows another device and another code, and the person
    refuses them. After that, and after a new QR code, the photo is useless."""
    secret = offered(computer, "approve")
    thief, phone = LanPhone(home), LanPhone(home)
    taken = thief.post("/api/pair", claim_of(secret, "approve", name="not your phone")).json
    refused = phone.post("/api/pair", claim_of(secret, "approve", name="your phone"))
    assert (refused.status, refused.kind) == (401, "not_logged_in")
    assert "show a new QR code" in refused.json["message"]
    assert computer.get("/api/devices").json["pairing"]["name"] == "not your phone"
    assert confirm(computer, taken["code"], is_confirmed=False) == 200
    assert thief.post("/api/pair/finish", {"claim": taken["claim"]}).status == 401

    fresh = offered(computer, "approve")
    assert thief.post("/api/pair", claim_of(secret, "approve", name="again")).status == 401
    claimed = phone.post("/api/pair", claim_of(fresh, "approve", name="your phone")).json
    assert confirm(computer, claimed["code"]) == 200
    assert phone.post("/api/pair/finish", {"claim": claimed["claim"]}).json == {"is_paired": True}
    assert thief.cookie is None
