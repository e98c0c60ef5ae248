"""Tests that a ledger opened from a checkpoint is equal to a ledger that is read from its beginning."""

import random

import pytest

from chorus.steer.approvals import ledger_reader
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.approvals.model import Answered, Row, State
from chorus.steer.approvals.settled_requests import FOLDER, NAME, load
from tests.steer.approvals.samples import deny, request


@pytest.fixture(autouse=True)
def _often(monkeypatch):
    monkeypatch.setattr(ledger_reader, "CHECKPOINT_LINES", 5)


def whole(state):
    """Returns a ledger of the same file that is read without its checkpoint."""
    path = state.parent / FOLDER / NAME
    aside = path.with_name("aside")
    path.rename(aside)
    try:
        ledger = Ledger(state)
        ledger.pending()
        return ledger
    finally:
        aside.rename(path)


def described(ledger):
    rows = ledger.rows(limit=1_000)
    return (
        rows,
        [row.id for row in ledger.pending()],
        ledger.open_ids(),
        ledger.changes_since(""),
        ledger.changes_since(f"{ledger._journal.first[:16]}:7"),
        [ledger.find(row.id[:6]) for row in rows[:5]],
        ledger.flaws(),
        [ledger.row(row.id) for row in rows],
    )


def live(state, steps, seed):
    """Asks, decides, withdraws and answers requests with several ledger objects; returns the ids."""
    draw = random.Random(seed)
    ids: list[str] = []
    ledger = Ledger(state)
    for step in range(steps):
        if draw.random() < 0.2:
            ledger = Ledger(state)
            ledger.pending()
        if not ids or draw.random() < 0.5:
            ids.append(ledger.ask(request(key=str(step))).id)
            continue
        row = ledger.row(draw.choice(ids))
        assert row is not None
        match draw.randrange(4):
            case 0:
                ledger.decide(row.id, row.digest, deny(), None)
            case 1:
                ledger.withdraw(row.id, "over")
            case 2:
                ledger.took_effect(row.id)
            case _:
                ledger.answered(row.id, draw.choice([Answered(), Answered("allow", "terminal")]))
    return ids


@pytest.mark.parametrize("seed", range(6))
def test_it_is_the_same_ledger(state, seed):
    """After any history both ledgers have the same rows, pending requests, open ids, changes and flaws."""
    live(state, 60, seed)
    Ledger(state).pending()
    assert load(state) is not None
    after = Ledger(state)
    after.pending()
    assert after._state.checkpoint is not None
    assert described(whole(state)) == described(after) == described(Ledger(state))
    assert len(after._journal.lines) < 10, "little is read again"


def test_a_row_of_the_past_can_still_be_answered(state):
    """A request that was pending at the checkpoint is still pending after it, and can be decided once."""
    first = Ledger(state).ask(request(key="first"))
    live(state, 40, 1)
    Ledger(state).pending()
    ledger = Ledger(state)
    assert first.id in [row.id for row in ledger.pending()] and ledger._state.checkpoint is not None
    done = ledger.decide(first.id, first.digest, deny(), None)
    assert isinstance(done, Row) and done.state is State.DENIED
    assert not isinstance(Ledger(state).decide(first.id, first.digest, deny(), None), Row)
    assert described(whole(state)) == described(Ledger(state))


DAMAGE = {
    "a line of the past is changed": lambda state: _flip(state / "approvals.jsonl", 0.5),
    "the last line is changed": lambda state: _flip(state / "approvals.jsonl", 0.999),
    "the file was cut": lambda state: _cut(state / "approvals.jsonl"),
    "the file was replaced": lambda state: (state / "approvals.jsonl").write_bytes(b""),
    "the file is gone": lambda state: (state / "approvals.jsonl").unlink(),
    "the proof is gone": lambda state: (state / "approvals.jsonl.proof").unlink(),
    "the checkpoint was changed at its beginning": lambda state: _flip(state.parent / FOLDER / NAME, 0.01),
    "the checkpoint was cut": lambda state: _cut(state.parent / FOLDER / NAME),
    "the checkpoint is empty": lambda state: (state.parent / FOLDER / NAME).write_bytes(b""),
}


def _flip(path, share):
    data = bytearray(path.read_bytes())
    data[int(len(data) * share)] ^= 1
    path.write_bytes(data)


def _cut(path):
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


@pytest.mark.parametrize("way", DAMAGE)
def test_damage_is_found_and_nothing_is_believed(state, way):
    """No row shows anything that the file does not contain, and `check` reads every line in spite of the checkpoint."""
    ids = live(state, 60, 2)
    Ledger(state).pending()
    DAMAGE[way](state)

    after = Ledger(state)
    shown = {each: after.row(each) for each in ids}
    plain = whole(state) if (state.parent / FOLDER / NAME).exists() else Ledger(state)
    honest = {each: plain.row(each) for each in ids}

    for each in ids:
        said, meant = shown[each], honest[each]
        assert said == meant or said is None or said.state is State.INVALID, (said, meant)
    assert {row.id for row in after.pending()} <= {row.id for row in plain.pending()}
    assert after.check() == Ledger(state).check()
    assert [(each.line, each.reason) for each in after.check().flaws] == [
        (each.line, each.reason) for each in plain.check().flaws
    ]


def test_a_checkpoint_with_any_flipped_byte_is_harmless(state):
    """With any flipped bit in the checkpoint, a row is either equal to the lines of the ledger or not shown."""
    ids = live(state, 40, 3)
    Ledger(state).pending()
    path = state.parent / FOLDER / NAME
    good, plain = path.read_bytes(), whole(state)
    honest = {each: plain.row(each) for each in ids}
    draw = random.Random(7)
    for _ in range(60):
        data = bytearray(good)
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        path.write_bytes(data)
        after = Ledger(state)
        for each in ids:
            said = after.row(each)
            assert said == honest[each] or said is None
        assert {row.id for row in after.pending()} <= {row.id for row in plain.pending()}
