"""Tests pairing without a network: once, in time, and for the device that a person saw."""

import threading

import pytest

from chorus.show.server.edge.pairing import PAIRING_S, Pairings
from chorus.show.server.errors import Refused
from chorus.steer.approvals.devices.signed_devices import AccessScope
from chorus.steer.approvals.signing import PublicKey
from tests.show.server.pairing_steps import claim_of
from tests.steer.approvals.samples import Clock


def claim(pairings: Pairings, secret: str, name: str = "phone", scope: AccessScope = "read") -> tuple[str, str]:
    given = claim_of(secret, scope, name=name)
    return pairings.claim(secret, name, PublicKey(**given["public_key"]), given["signature"])[:2]


def status_of(call, *given, **named) -> int:
    try:
        call(*given, **named)
    except Refused as refused:
        return refused.status
    return 200


def words_of(call, *given, **named) -> str:
    with pytest.raises(Refused) as refused:
        call(*given, **named)
    return refused.value.problem.message


def test_a7_a_code_works_once():
    """A7: of 100 uses of one QR code, one succeeds, also if a photo of it is used by another device."""
    pairings = Pairings()
    secret = pairings.offer("read")
    found = [status_of(claim, pairings, secret, f"phone {number % 2}") for number in range(100)]
    assert found[0] == 200
    assert set(found[1:]) == {401, 429}


def test_a7_of_two_devices_that_race_one_wins():
    """A7: devices that use the same code at the same moment do not both get it."""
    pairings = Pairings()
    secret = pairings.offer("read")
    given = [claim_of(secret, "read", name=f"phone {number}") for number in range(8)]
    ready, found = threading.Barrier(8), []

    def race(one) -> None:
        ready.wait()
        key = PublicKey(**one["public_key"])
        found.append(status_of(pairings.claim, secret, one["name"], key, one["signature"]))

    threads = [threading.Thread(target=race, args=(one,)) for one in given]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found.count(200) == 1


def test_a7_nothing_works_after_two_minutes():
    """A7: an expired offer cannot be claimed, a late claim not confirmed, and a late confirmation gives no login."""
    clock = Clock()
    pairings = Pairings(clock.ticks)
    secret = pairings.offer("read")
    clock.go(PAIRING_S)
    assert status_of(claim, pairings, secret) == 401

    waiting, code = claim(pairings, secret := pairings.offer("read"))
    clock.go(PAIRING_S)
    assert status_of(pairings.answer, code, is_confirmed=True) == 409
    assert status_of(pairings.finish, waiting) == 401

    waiting, code = claim(pairings, pairings.offer("read"))
    pairings.answer(code, is_confirmed=True)
    clock.go(PAIRING_S)
    assert status_of(pairings.finish, waiting) == 401


def test_a_clock_that_is_off_by_an_hour_changes_nothing():
    """The wall clock may jump by an hour in the middle: the two minutes are those of the monotonic clock."""
    clock = Clock()
    pairings = Pairings(clock.ticks)
    secret = pairings.offer("read")
    clock.now = clock.now.replace(hour=clock.now.hour + 1)
    waiting, code = claim(pairings, secret)
    pairings.answer(code, is_confirmed=True)
    assert pairings.finish(waiting) is not None


def test_t2_guesses_are_limited_and_a_new_offer_starts_again():
    """T2: of 1,000 guesses in a minute two are examined; then even the right secret waits for a new offer."""
    pairings = Pairings(Clock().ticks)
    secret = pairings.offer("read")
    found = [status_of(claim, pairings, f"guess {number}") for number in range(1_000)]
    assert found.count(401) == 2
    assert found.count(429) == 998
    assert status_of(claim, pairings, secret) == 429
    assert status_of(claim, pairings, pairings.offer("read")) == 200


def test_t2_guesses_of_a_claim_are_limited_as_well():
    """T2: somebody who guesses the claim of a waiting device is stopped after two guesses."""
    pairings = Pairings(Clock().ticks)
    claim(pairings, pairings.offer("read"))
    assert [status_of(pairings.finish, f"guess {number}") for number in range(4)] == [401, 401, 429, 429]


def test_another_device_has_another_code():
    """A device that took the QR code first shows another code than the phone of the person would."""
    codes = {claim(pairings := Pairings(), pairings.offer("read"), f"phone {number}")[1] for number in range(20)}
    assert len(codes) > 15
    assert all(len(code) == 6 and code.isdigit() for code in codes)


def test_a_device_that_was_refused_gets_nothing():
    """After a person refused, neither the claim nor the secret is valid."""
    pairings = Pairings()
    secret = pairings.offer("read")
    waiting, code = claim(pairings, secret)
    pairings.answer(code, is_confirmed=False)
    assert status_of(pairings.finish, waiting) == 401
    assert status_of(claim, pairings, secret) == 401


def test_the_holder_of_a_secret_learns_why_it_is_worth_nothing():
    """Too old, used, refused, not confirmed, complete and replaced are told apart, and each says what to do."""
    clock = Clock()
    pairings = Pairings(clock.ticks)
    secret = pairings.offer("read")
    clock.go(PAIRING_S)
    assert "older than two minutes" in words_of(claim, pairings, secret)

    waiting, _ = claim(pairings, secret := pairings.offer("read"))
    assert "used this QR code already" in words_of(claim, pairings, secret)
    clock.go(PAIRING_S)
    assert "Nobody confirmed" in words_of(pairings.finish, waiting)

    waiting, code = claim(pairings, pairings.offer("read"))
    pairings.answer(code, is_confirmed=False)
    assert "was refused" in words_of(pairings.finish, waiting)

    waiting, code = claim(pairings, pairings.offer("read"))
    pairings.answer(code, is_confirmed=True)
    pairings.finish(waiting)
    assert "complete already" in words_of(pairings.finish, waiting)

    waiting, code = claim(pairings, secret := pairings.offer("read"))
    pairings.offer("read")
    assert "a newer QR code" in words_of(pairings.finish, waiting)
    words = words_of(claim, pairings, secret)
    assert "not the one" in words
    assert words.endswith("show a new QR code on the computer.")


def test_a_stranger_learns_nothing_about_a_pairing():
    """A wrong secret gets the same words whether a pairing is offered, claimed, over, or there was none."""
    clock = Clock()
    pairings = Pairings(clock.ticks)
    found = {words_of(claim, pairings, "guess")}
    secret = pairings.offer("read")
    found.add(words_of(claim, pairings, "guess"))
    claim(pairings, secret)
    clock.go(60.0)
    found.add(words_of(claim, pairings, "guess"))
    clock.go(PAIRING_S)
    found.add(words_of(claim, pairings, "guess"))
    assert len(found) == 1


def test_a_device_learns_how_long_a_person_has_to_confirm():
    """The claim says how many seconds are left of the two minutes, which the device needs no clock for."""
    clock = Clock()
    pairings = Pairings(clock.ticks)
    secret = pairings.offer("read")
    clock.go(45.0)
    given = claim_of(secret, "read")
    *_, left_s = pairings.claim(secret, given["name"], PublicKey(**given["public_key"]), given["signature"])
    assert left_s == PAIRING_S - 45.0


@pytest.mark.parametrize("scope", ["steer", "approve"])
def test_a_device_cannot_choose_its_scope(scope):
    """A claim that is signed for a wider scope than was offered is refused, and the offer stays."""
    pairings = Pairings()
    secret = pairings.offer("read")
    assert status_of(claim, pairings, secret, scope=scope) == 400
    assert status_of(claim, pairings, secret) == 200


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, "a\nb", "a\u202eb"])
def test_names_that_could_mislead_are_refused(name):
    """A device needs a name that a person can read."""
    pairings = Pairings()
    assert status_of(claim, pairings, pairings.offer("read"), name) == 400
