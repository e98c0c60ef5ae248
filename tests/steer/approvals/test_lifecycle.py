"""Tests of the life of a request, as properties."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from chorus.core.records.times import wire_time
from chorus.steer.approvals import events, lifecycle
from chorus.steer.approvals.lifecycle import Refused
from chorus.steer.approvals.model import Asker, Row, State
from tests.steer.approvals.samples import NOON, allow, deny, request

ASKED = request(deadline_at=wire_time(NOON + timedelta(seconds=540)))
ROW = lifecycle.asked(ASKED)


def at(seconds):
    return wire_time(NOON + timedelta(seconds=seconds))


def some_events():
    times = st.integers(-4_000, 4_000).map(at)
    return st.one_of(
        st.builds(events.Asked, at=times, request=st.just(ASKED), digest=st.sampled_from([ROW.digest, "0" * 64])),
        st.builds(
            events.Decided,
            at=times,
            id=st.just(ROW.id),
            digest=st.sampled_from([ROW.digest, "f" * 64]),
            decision=st.sampled_from([deny(), allow(ROW), allow(ROW, suggestions=[7])]),
        ),
        st.builds(events.Withdrawn, at=times, id=st.just(ROW.id), why=st.text(max_size=5)),
        st.builds(events.Expired, at=times, id=st.just(ROW.id)),
        st.builds(events.Invalidated, at=times, id=st.just(ROW.id), why=st.text(max_size=5)),
        st.builds(events.Confirmed, at=times, id=st.just(ROW.id), asker=st.just(Asker(1, "x"))),
    )


@given(st.lists(some_events(), max_size=12))
def test_any_order_of_events_has_at_most_one_outcome(given_events):
    """In any order of events, a row leaves PENDING at most once and never changes its state again."""
    row: Row | None = None
    states = []
    for event in given_events:
        found = lifecycle.apply(row, event)
        if isinstance(found, Row):
            assert row is None or row.is_pending
            row = found
            states.append(found.state)
        else:
            assert found.row == row

    assert sum(state is not State.PENDING for state in states) <= 1
    assert all(state is State.PENDING for state in states[:-1])


def test_nothing_leaves_a_final_state():
    """Every event after an outcome is refused, and the row stays unchanged."""
    decided, denied = (
        events.Decided(at=at(1), id=ROW.id, digest=ROW.digest, decision=each) for each in (allow(ROW), deny())
    )
    endings = [
        decided,
        denied,
        events.Withdrawn(at=at(1), id=ROW.id, why="w"),
        events.Expired(at=at(1), id=ROW.id),
        events.Invalidated(at=at(1), id=ROW.id, why="i"),
    ]
    others = [
        events.Confirmed(at=at(2), id=ROW.id, asker=Asker(1, "x")),
        events.Asked(at=at(2), request=ASKED, digest=ROW.digest),
    ]
    for ending in endings:
        final = lifecycle.apply(ROW, ending)
        assert isinstance(final, Row) and not final.is_pending
        for event in (*endings, *others):
            found = lifecycle.apply(final, event)
            assert isinstance(found, Refused) and found.row == final


@given(st.integers(-100_000, 100_000))
def test_only_what_is_in_time_can_be_approved(seconds):
    """A decision counts only before the deadline, and not at it or after it, at any time of the clock."""
    found = lifecycle.decided(ROW, digest=ROW.digest, decision=allow(ROW), at=at(seconds), objection=None)

    assert (isinstance(found, Row) and found.state is State.APPROVED) == (seconds < 540)
    assert isinstance(found, Row) or (found.kind, found.status) == ("gone", 410)


def test_a_deadline_that_cannot_be_read_is_over():
    """A request with a deadline that cannot be parsed cannot be approved."""
    odd = lifecycle.asked(structs.replace(ASKED, deadline_at="tomorrow"))

    found = lifecycle.decided(odd, digest=odd.digest, decision=allow(odd), at=at(0), objection=None)

    assert isinstance(found, Refused) and found.kind == "gone"


def test_losers_learn_who_won():
    """A second answer is refused with the state, surface and time of the first one."""
    won = lifecycle.decided(ROW, digest=ROW.digest, decision=allow(ROW), at=at(2.5), objection=None)
    assert isinstance(won, Row) and won.latency_ms == 2500

    lost = lifecycle.decided(won, digest=ROW.digest, decision=deny(), at=at(3), objection=None)

    assert isinstance(lost, Refused) and (lost.kind, lost.status) == ("settled", 409)
    assert "approved from the page at 2026-03-01T12:00:02.500Z" in lost.message and lost.row == won


def test_each_refusal_has_its_kind():
    """Changed, not allowed and malformed decisions are refused with different kinds."""

    def kind(*, digest=ROW.digest, decision=None, objection=None):
        found = lifecycle.decided(ROW, digest=digest, decision=decision or allow(ROW), at=at(0), objection=objection)
        assert isinstance(found, Refused)
        return found.kind, found.status

    assert kind(digest="0" * 64) == ("changed", 409)
    assert kind(objection="who are you") == ("not_allowed", 403)
    for decision in (
        allow(ROW, suggestions=[2]),
        allow(ROW, suggestions=[0, 0]),
        allow(ROW, suggestions=[-1]),
        allow(ROW, input="[]"),
        allow(ROW, input='{"a":1} x'),
        allow(ROW, input="{"),
        deny(suggestions=[0]),
        deny(input="{}"),
        deny("m" * 30_000),
        deny("half \ud800"),
    ):
        assert kind(decision=decision) == ("unfit", 422)


def test_a_request_that_cannot_be_judged_is_never_pending():
    """A request that is no JSON object, too long or contains half a character is INVALID from the start."""
    for changes in (
        {"id": "../../etc"},
        {"input": "not json"},
        {"input": "[1]"},
        {"input": '{"a":"' + "x" * (5 << 20) + '"}'},
        {"input": '{"a":"\\ud800"}'},
        {"input": '{"a":' * 2_000 + "1" + "}" * 2_000},
        {"tool": "t" * 20_000},
        {"suggestions": ["no"]},
        {"suggestions": [MANY_RULES] * 101},
        {"cwd": "\udcff"},
    ):
        row = lifecycle.asked(request(**changes))

        assert row.state is State.INVALID and row.note, changes.keys()


MANY_RULES = "{}"
