"""Tests permission requests over the wire: everybody sees and may deny them, and an approver approves once."""

import json
from typing import Any

import pytest

from chorus.steer.approvals import approvers, signing, trust
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.approvals.model import Decision, Row
from chorus.steer.approvals.signing import Signer, signed_bytes
from chorus.steer.approvals.verdict import Verdict, verdict
from chorus.steer.runs.run_folders import Runs
from chorus.testing.builders import Session
from tests.show.server.permission_requests import SESSION, asked, now
from tests.show.server.phones import Phone, bodies
from tests.show.server.serving import Browser, Serving, serving, until
from tests.support.runs import described


@pytest.fixture
def served(places):
    """A server of this test alone, with a new vault."""
    vault, client = places
    (client / "projects").mkdir(parents=True)
    with serving(vault, client) as found:
        yield found


@pytest.fixture
def here(served: Serving) -> Browser:
    return served.browser()


@pytest.fixture
def ledger(served: Serving) -> Ledger:
    return Ledger(served.vault / "state")


@pytest.fixture(scope="module")
def key() -> Signer:
    return Signer("a key of the tests", b"s" * 32)


@pytest.fixture(scope="module")
def other_key() -> Signer:
    return Signer("another key of the tests", b"s" * 32)


def enrolled(browser: Browser, key: Signer, name: str = "my browser"):
    public = {"x": key.public_key.x, "y": key.public_key.y}
    return browser.post("/api/approvers", {"name": name, "public_key": public})


def allowing(row: Row, key: Signer, instead: str | None = None) -> dict[str, Any]:
    """Returns the signed answer of an approver; `instead` is the input to run."""
    decision = Decision(behaviour="allow", at=now(), surface="page", input=instead, approver=key.id)
    return {
        "digest": row.digest,
        "behavior": "allow",
        "at": decision.at,
        "input": instead,
        "approver": key.id,
        "signature": key.sign(signed_bytes(row.id, row.digest, decision)),
    }


def test_a_request_is_seen_and_denied_by_anybody(here, ledger):
    """A card shows what would run, and every person who is logged in may deny it once, with a message."""
    row = asked(ledger, "rm -rf build")
    (card,) = here.get("/api/approvals").json["cards"]
    denied = here.post(
        f"/api/approvals/{row.id}", {"digest": row.digest, "behavior": "deny", "at": now(), "message": "no"}
    )
    again = here.post(f"/api/approvals/{row.id}", {"digest": row.digest, "behavior": "deny", "at": now()})

    assert card["state"] == "pending" and "rm -rf build" in json.dumps(card["blocks"])
    assert [each["kind"] for each in card["hints"]] == ["deletes"]
    assert denied.json["state"] == "denied" and denied.json["decision"]["message"] == "no"
    assert (again.status, again.kind) == (409, "settled")
    assert ledger.row(row.id).state == "denied"
    assert here.get("/api/approvals").json["cards"] == []
    assert [each["id"] for each in here.get("/api/approvals?settled=5").json["cards"]] == [row.id]


def test_a_settled_card_says_when_and_how_long_it_took(here, ledger):
    """A settled card has both times from the ledger, whoever settled it, and a pending card has neither."""
    denied, withdrawn = asked(ledger), asked(ledger, "other")
    (first, second) = here.get("/api/approvals").json["cards"]
    here.post(
        f"/api/approvals/{denied.id}", {"digest": denied.digest, "behavior": "deny", "at": "2020-01-01T00:00:00Z"}
    )
    ledger.withdraw(withdrawn.id, "over")

    cards = {each["id"]: each for each in here.get("/api/approvals?settled=5").json["cards"]}

    assert {(each["settled_at"], each["latency_ms"]) for each in (first, second)} == {(None, None)}
    for row in map(ledger.row, (denied.id, withdrawn.id)):
        assert (cards[row.id]["settled_at"], cards[row.id]["latency_ms"]) == (row.settled_at, row.latency_ms)
        assert row.settled_at > row.request.created_at
        assert row.latency_ms is not None


def test_nobody_approves_without_an_approver(here, ledger, key):
    """An approval without a signature, or with a foreign or wrong one, is refused, and the request stays open."""
    row, other = asked(ledger), asked(ledger, "other")
    unsigned = {**allowing(row, key), "approver": None, "signature": None}
    before = here.post(f"/api/approvals/{row.id}", unsigned)
    enrolled(here, key)
    answer = allowing(row, key)
    tries = [
        unsigned,
        allowing(row, Signer("nobody's", b"t" * 32)),
        {**allowing(other, key), "digest": row.digest},
        {**answer, "message": "x"},
        {**answer, "input": '{"command":"curl evil"}'},
        {**answer, "suggestions": [0]},
    ]
    sent = [here.post(f"/api/approvals/{row.id}", each) for each in tries]

    assert before.status == 403
    assert [each.status for each in sent] == [403, 403, 403, 403, 403, 422], [each.body for each in sent]
    assert ledger.row(row.id).state == "pending"


def test_the_first_browser_becomes_an_approver_and_approves(here, ledger, served, key):
    """The approval of the first browser counts because the asker verifies its signature against known approvers."""
    assert enrolled(here, key).json["approvers"][0]["name"] == "my browser"
    row = asked(ledger)
    approved = here.post(f"/api/approvals/{row.id}", allowing(row, key, '{"command":"touch b.txt"}'))
    pinned = approvers.pin(served.vault / "state")
    meant = verdict(row.request, ledger.row(row.id), pinned)

    assert approved.json["state"] == "approved", approved.body
    assert approved.json["decision"]["approver"] == "my browser" and approved.json["decision"]["is_changed"]
    assert isinstance(meant, Verdict) and "b.txt" in str(meant)


def test_what_changed_or_ended_cannot_be_approved(here, ledger, key):
    """An approval with another digest, of a withdrawn request (410) or of an unknown request (404) is refused."""
    enrolled(here, key)
    row, gone = asked(ledger), asked(ledger)
    ledger.withdraw(gone.id, "answered in the terminal")
    changed = here.post(f"/api/approvals/{row.id}", {**allowing(row, key), "digest": "0" * 64})
    late = here.post(f"/api/approvals/{gone.id}", allowing(gone, key))
    never = here.post(f"/api/approvals/{'f' * 32}", allowing(row, key))

    assert changed.status in (403, 409) and ledger.row(row.id).state == "pending"
    assert (late.status, late.kind) == (410, "gone")
    assert (never.status, never.kind) == (404, "unknown")


def test_a_second_browser_is_let_in_by_the_first(here, served, key, other_key):
    """A second browser waits until the first one signs.

    Neither itself nor a signature over an older state lets it in.
    """
    enrolled(here, key)
    waiting = enrolled(here, other_key, "my phone").json
    public = signing.PublicKey(other_key.public_key.x, other_key.public_key.y)
    change = trust.Change(
        action="add", id=other_key.id, at=now(), name="my phone", kind="browser", public_key=public, by=key.id
    )
    body = {"action": "add", "id": other_key.id, "at": change.at, "by": key.id}
    early = here.post("/api/approvers/changes", {**body, "signature": key.sign(trust.entry_bytes(change, "0" * 64))})
    own = here.post(
        "/api/approvers/changes",
        {**body, "by": other_key.id, "signature": other_key.sign(trust.entry_bytes(change, waiting["head"]))},
    )
    signature = key.sign(trust.entry_bytes(change, waiting["head"]))
    let_in = here.post("/api/approvers/changes", {**body, "signature": signature})

    assert [each["name"] for each in waiting["waiting"]] == ["my phone"] and len(waiting["approvers"]) == 1
    assert (early.status, own.status) == (403, 403)
    assert {each["name"] for each in let_in.json["approvers"]} == {"my browser", "my phone"}, let_in.body
    assert let_in.json["waiting"] == []
    assert set(approvers.load(served.vault / "state").valid) == {key.id, other_key.id}


def test_every_page_is_notified(here, ledger):
    """A live socket gets the number of pending requests when it connects and whenever it changes."""
    with here.live() as live:
        live.until(lambda frame: frame["type"] == "approvals" and frame["pending"] == 0)
        row = asked(ledger)
        live.until(lambda frame: frame["type"] == "approvals" and frame["pending"] == 1)
        ledger.withdraw(row.id, "no longer asked")
        live.until(lambda frame: frame["type"] == "approvals" and frame["pending"] == 0)


def test_a_request_of_a_session_that_is_kept_only_later_gets_its_conversation(here, ledger, served):
    """If a hook asks before its session is stored, sockets get a second message once it is stored.

    Then the card names its conversation.
    """
    asked(ledger)
    (early,) = here.get("/api/approvals").json["cards"]
    with here.live() as live:
        live.until(lambda frame: frame["type"] == "approvals" and frame["pending"] == 1)
        session = Session(SESSION)
        session.user("hello there")
        served.write(session)
        live.until(lambda frame: frame["type"] == "approvals" and frame["pending"] == 1)

    assert early["conversation"] is None
    assert here.get("/api/approvals").json["cards"][0]["conversation"].endswith(f"/main/{SESSION}")


def test_a_card_has_the_title_that_a_person_gave(here, ledger, served):
    """The card shows the person's title of its conversation, or the recorded title if there is none."""
    session = Session(SESSION)
    session.title("Recorded title")
    session.user("hello there")
    served.write(session)
    until(lambda: here.get("/api/conversations").json.get("conversations"))
    asked(ledger)
    (card,) = here.get("/api/approvals").json["cards"]
    assert card["conversation_title"] == "Recorded title"
    here.post(f"/api/conversations/{card['conversation']}/annotation", {"title": "My own title"})
    (card,) = here.get("/api/approvals").json["cards"]
    assert card["conversation_title"] == "My own title"


def test_nothing_is_approved_for_a_run_that_began_before_there_was_an_approver(here, ledger, served, key):
    """A run that started before there was an approver trusts none.

    The card says so, an approval is refused, and a denial is accepted.
    """
    began = described(Runs(served.vault).new(), started_at=now())
    row = asked(ledger, run=began.id)
    (early,) = here.get("/api/approvals").json["cards"]
    assert enrolled(here, key).status == 200
    (card,) = here.get("/api/approvals").json["cards"]
    allowed = here.post(f"/api/approvals/{row.id}", allowing(row, key))
    still = ledger.row(row.id)
    denied = here.post(f"/api/approvals/{row.id}", {"digest": row.digest, "behavior": "deny", "at": now()})

    assert "began before anybody could approve" in card["hints"][-1]["words"]
    assert early["hints"] == card["hints"]
    assert (allowed.status, allowed.kind) == (403, "not_allowed")
    assert "resume" in allowed.json["message"]
    assert still is not None and still.is_pending
    assert denied.json["state"] == "denied", denied.body


def test_a_list_that_was_written_by_hand_makes_nobody_an_approver(here, ledger, served, other_key):
    """An entry that is written into the file while the server runs is not trusted, and the page reports it."""
    change = trust.Change(
        action="add", id=other_key.id, at=now(), name="intruder", kind="browser", public_key=other_key.public_key
    )
    approvers.ApproversFile(served.vault / "state").append(lambda _found, _head: change)
    row = asked(ledger)
    answer = here.post(f"/api/approvals/{row.id}", allowing(row, other_key))

    assert (answer.status, answer.kind) == (403, "not_allowed")
    assert "no approver when this began" in until(lambda: here.get("/api/approvals").json["trouble"])


def test_a_phone_is_asked_and_answers_with_a_signature(here, ledger, key):
    """A phone is sent a request once, allows it only with an approver's signature, and is told that it is resolved."""
    enrolled(here, key)
    row = asked(ledger, "touch a.txt")
    phone = Phone()

    def kinds() -> list[str]:
        return [each["message"]["type"] for each in phone.heard]

    with phone.on(here) as live:
        phone.hear(live, lambda: "permission_request" in kinds())
        request = next(each["message"] for each in phone.heard if each["message"]["type"] == "permission_request")
        assert (request["requestId"], request["digest"], request["isAnswerable"]) == (row.id, row.digest, True)
        assert "touch a.txt" in request["input"]
    answer = {"type": "permission_response", "requestId": row.id, **allowing(row, key)}
    with phone.on(here) as live:
        for wrong in ({"signature": None, "approver": None}, {"signature": "0" * 86}, {"digest": "0" * 64}):
            live.say({**answer, **wrong, "ref": "wrong"})
            frame = live.until(lambda frame: any(each.get("ref") == "wrong" for each in bodies(frame)))
            assert [each["type"] for each in bodies(frame)] == ["error"]
        for frame in live.heard:
            phone.take(frame)
        assert phone.hellos[-1]["pending"] == [row.id]
        live.say({**answer, "ref": "signed"})
        phone.hear(live, lambda: "permission_resolved" in kinds())
    assert any(each == {"type": "done", "ref": "signed", "runId": None} for f in live.heard for each in bodies(f))
    assert ledger.row(row.id).state.value == "approved"
    with phone.on(here) as live:
        phone.hear(live, lambda: len(phone.hellos) == 3)
        assert phone.hellos[-1]["pending"] == []
