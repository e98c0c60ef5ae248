"""Tests of the outcome of a request (sent, took effect, answered elsewhere), which is written correctly and once."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from chorus.steer.approvals import events, lifecycle
from chorus.steer.approvals.ledger import NOBODY, Ledger
from chorus.steer.approvals.ledger_reader import TRUST_IN_NOBODY
from chorus.steer.approvals.lifecycle import Refused
from chorus.steer.approvals.model import TAMPERING, Answered, Asker, Behaviour, Row, State, Where
from chorus.steer.approvals.verdict import verdict
from tests.steer.approvals.samples import add_approver, allow, deny, request

HOW: tuple[Behaviour | None, ...] = ("allow", "deny", None)
WHERE: tuple[Where, ...] = ("terminal", "elsewhere")
ANSWERS = [Answered(how, where) for how, where in product(HOW, WHERE)]
GONE = Asker(1 << 22, "long ago")


def asked(state, **changes):
    ledger = Ledger(state)
    return ledger, ledger.ask(request(**changes))


def test_a_decision_is_sent_and_then_took_effect(state):
    """A decision is final only after the asker confirms that it took effect; after that nothing changes it."""
    ledger, row = asked(state)
    sent = ledger.decide(row.id, row.digest, deny(), None)
    assert isinstance(sent, Row) and (sent.state, sent.effect, sent.is_open) == (State.DENIED, "sent", True)

    took = ledger.took_effect(row.id)

    assert isinstance(took, Row) and (took.state, took.effect, took.is_open) == (State.DENIED, "took_effect", False)
    for late in (ledger.took_effect(row.id), *(ledger.answered(row.id, each) for each in ANSWERS)):
        assert isinstance(late, Refused)
    assert Ledger(state).row(row.id) == took and not Ledger(state).check().flaws


@pytest.mark.parametrize("answer", ANSWERS[:4])
def test_a_decision_that_came_too_late_says_what_happened(state, answer):
    """A row whose decision came too late gets the state ANSWERED and still shows the decision that was sent."""
    ledger, row = asked(state)
    ledger.decide(row.id, row.digest, deny(), None)

    late = ledger.answered(row.id, answer)

    assert isinstance(late, Row) and late.state is State.ANSWERED and late.decision is not None
    assert late.note == f"{answer.words}; the denial from the terminal came too late"
    assert Ledger(state).row(row.id) == late
    assert isinstance(ledger.took_effect(row.id), Refused)


def test_a_decision_that_failed_may_turn_out_to_be_overruled(state):
    """A row whose run was tampered with after the decision is reported, and says later how it was really answered."""
    ledger, row = asked(state)
    ledger.decide(row.id, row.digest, deny(), None)

    failed = ledger.failed(row.id, f"{TAMPERING}not by Chorus")

    assert isinstance(failed, Row) and (failed.state, failed.effect) == (State.DENIED, "failed")
    assert Ledger(state).check().tampered == ((row.id, "not by Chorus"),)
    late = ledger.answered(row.id, Answered("allow"))
    assert isinstance(late, Row) and late.state is State.ANSWERED
    happened = "answered elsewhere: allowed; the denial from the terminal came too late"
    assert late.note == f"{TAMPERING}not by Chorus; {happened}"
    assert Ledger(state).row(row.id) == late and Ledger(state).check().tampered
    assert isinstance(ledger.answered(row.id, Answered("deny")), Refused)


def test_who_answered_may_be_learned_later(state):
    """A row can learn first that it was answered and later how, also if it ended without an answer."""
    for end in (
        lambda ledger, row: ledger.answered(row.id, Answered()),
        lambda ledger, row: ledger.withdraw(row.id, "the client no longer asks"),
    ):
        ledger, row = asked(state, key=request().id)
        assert ledger.open_ids() == []
        first = end(ledger, row)
        assert isinstance(first, Row) and first.is_open and ledger.open_ids() == [row.id]
        told = ledger.answered(row.id, Answered("allow", "terminal"))
        assert isinstance(told, Row) and told.note == "answered in the terminal: allowed"
        assert ledger.open_ids() == Ledger(state).open_ids() == [] and Ledger(state).row(row.id) == told
        assert told.settled_at == first.settled_at


def test_an_approval_that_nobody_signed_is_not_shown_as_one_that_came_too_late(state):
    """A forged approval does not appear with the name of an approver beside the real outcome."""
    add_approver(state, "ada")
    ledger, row = asked(state)
    made = structs.replace(allow(row), message="not what was signed")
    forged = events.Decided(at=row.request.created_at, id=row.id, digest=row.digest, decision=made, is_awaited=True)
    with ledger._transaction() as held:
        ledger._append(held, forged)
        ledger._append(held, events.AnsweredElsewhere(at=forged.at, id=row.id, answer=Answered("deny", "terminal")))

    found = Ledger(state).row(row.id)

    assert found is not None and (found.state, found.decision) == (State.ANSWERED, None)


@given(st.data())
def test_what_happened_is_written_once(data):
    """In any order of events, a known outcome never changes, and a row that was answered elsewhere gives no verdict."""
    made = request()
    row = lifecycle.asked(made)
    known = None
    for _ in range(data.draw(st.integers(1, 8))):
        event = data.draw(
            st.sampled_from(
                [
                    events.Decided(at=made.created_at, id=row.id, digest=row.digest, decision=deny(), is_awaited=True),
                    events.Withdrawn(at=made.created_at, id=row.id, why="over"),
                    events.Expired(at=made.created_at, id=row.id),
                    events.Effected(at=made.created_at, id=row.id),
                    *(events.AnsweredElsewhere(at=made.created_at, id=row.id, answer=each) for each in ANSWERS),
                ]
            )
        )
        found = lifecycle.apply(row, event)
        if known is not None:
            assert isinstance(found, Refused) and found.row == row
        if isinstance(found, Row):
            row = found
        if row.effect == "took_effect" or (row.answered is not None and row.answered.behaviour is not None):
            known = row
        if row.state is State.ANSWERED:
            assert row.answered is not None and (row.note or "").startswith(row.answered.words)
            assert isinstance(verdict(made, row, TRUST_IN_NOBODY), Refused)


def test_whoever_looks_next_ends_what_nobody_waits_for(state):
    """Without a server, the next reader ends the abandoned request of a run at once, and of a hook after a pause."""
    ledger, row = asked(state, asker=GONE)
    _, hooked = asked(state, source="hook", asker=GONE, key="k2")
    _, waits = asked(state, key="k3")
    pauses = []

    ended = Ledger(state).end_deserted(pauses.append)

    assert {each.id for each in ended} == {row.id, hooked.id} and len(pauses) == 1
    assert {(each.state, each.note) for each in ended} == {(State.INVALID, NOBODY)}
    assert [each.id for each in ledger.pending()] == [waits.id]
    assert Ledger(state).end_deserted(pauses.append) == [] and len(pauses) == 1


def test_an_alarm_stays_in_the_row(state):
    """A later report from the client's session file is added to a tampering alarm and does not replace it."""
    ledger, row = asked(state)
    ledger.invalidate(row.id, f"{TAMPERING}somebody answered")
    ledger.answered(row.id, Answered("allow"))

    told = Ledger(state).row(row.id)
    assert told is not None and told.note is not None
    assert told.note.startswith(f"{TAMPERING}somebody answered; ") and "allowed" in told.note
    assert [each for each, _ in Ledger(state).check().tampered] == [row.id]
