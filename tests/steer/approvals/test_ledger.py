"""Tests of the permission ledger: the first answer wins, once and durably, and forged lines have no effect."""

import contextlib
import hashlib
import os
import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec import structs

from chorus.core.records.times import wire_time
from chorus.errors import ChorusError, SourceUnreadable, VaultUnwritable
from chorus.keep.vault import journal_line
from chorus.keep.vault.journal import Journal
from chorus.steer.approvals import approvers, events
from chorus.steer.approvals.approvers import ApproversFile
from chorus.steer.approvals.asking_process import this_process
from chorus.steer.approvals.ledger import GRACE_S, Ledger
from chorus.steer.approvals.lifecycle import Refused
from chorus.steer.approvals.model import Asker, Row, State, digest_of
from chorus.steer.approvals.verdict import Verdict, verdict
from tests.steer.approvals.samples import (
    NOON,
    RULE,
    Clock,
    add_approver,
    allow,
    deny,
    key,
    leaving,
    ledger_in,
    lines,
    request,
)

GONE = Asker(2**22 + 1, "long ago")
"""A process that there cannot be."""


def put(state: Path, *given) -> None:
    """Writes events as an agent could: in the format of the file, with any content."""
    journal = Journal(state / "approvals.jsonl")
    for event in given:
        with journal.transaction() as held:
            list(held.news())
            held.append(events.encode(event) if not isinstance(event, bytes) else event)


def is_refused(found, kind: str, status: int) -> bool:
    return isinstance(found, Refused) and (found.kind, found.status) == (kind, status)


def test_asked_approved_and_acted_on(state):
    """Another ledger object answers a request, and the asker derives its verdict from the signed row."""
    trust = add_approver(state, "ada")
    asked = request()
    asker, person = ledger_in(state, trust=trust), ledger_in(state)
    row = asker.ask(asked)
    assert row.is_pending and verdict(asked, row, trust) is None
    (seen,) = person.pending()
    assert seen == row

    done = person.decide(
        seen.id, seen.digest, allow(seen, message="go", input='{"command": "ls"}', suggestions=[0]), trust
    )

    assert isinstance(done, Row) and done.state is State.APPROVED
    (answered,) = asker.wait([row.id], 5)
    assert answered == done and asker.pending() == person.pending() == []
    assert verdict(asked, answered, trust) == Verdict(
        behaviour="allow",
        message="go",
        input='{"command": "ls"}',
        suggestions=(RULE,),
        approver=key("ada").id,
    )
    assert ledger_in(state).row(row.id) == done
    assert (state / "approvals.jsonl").stat().st_mode & 0o777 == 0o600


def test_the_input_is_kept_to_the_byte(state):
    """The ledger stores an input byte for byte, including blanks, escapes, numbers and repeated names."""
    text = '{ "b":1.0 ,"a":"\\u0041\\/", "n":1e5, "a": "é\u2028" }'
    row = ledger_in(state).ask(request(input=text))

    found = ledger_in(state).row(row.id)

    assert found and found.request.input == text and found.digest == digest_of(found.request)


def test_an_answer_counts_once(state):
    """C6: a second decision, equal or different, is refused because the request is settled."""
    trust = add_approver(state, "ada")
    ledger = ledger_in(state)
    row = ledger.ask(request())
    decision = allow(row)
    assert isinstance(ledger.decide(row.id, row.digest, decision, trust), Row)

    for again in (decision, deny(), allow(row, message="other")):
        for someone in (ledger, ledger_in(state)):
            assert is_refused(someone.decide(row.id, row.digest, again, trust), "settled", 409)
    assert is_refused(ledger.withdraw(row.id, "late"), "settled", 409)
    assert len(lines(state)) == 2


def test_a_decision_is_for_its_request_alone(state):
    """C6: a decision is refused for another request, another digest or another approver, and nothing is written."""
    trust = add_approver(state, "ada")
    ledger = ledger_in(state)
    first, second = ledger.ask(request()), ledger.ask(request(key="other"))
    decision = allow(first)

    assert is_refused(ledger.decide(second.id, second.digest, decision, trust), "not_allowed", 403)
    assert is_refused(ledger.decide(first.id, "0" * 64, decision, trust), "changed", 409)
    assert is_refused(ledger.decide("0" * 32, first.digest, decision, trust), "unknown", 404)
    assert is_refused(ledger.decide(first.id, first.digest, allow(first, "eve"), trust), "not_allowed", 403)
    assert is_refused(ledger.decide(first.id, first.digest, decision, None), "not_allowed", 403)
    assert len(lines(state)) == 2 and len(ledger.pending()) == 2


def test_anybody_may_deny(state):
    """Without approvers every request can be denied and none can be approved."""
    ledger = ledger_in(state)
    asked = request()
    row = ledger.ask(asked)

    assert is_refused(ledger.decide(row.id, row.digest, allow(row), approvers.pin(state)), "not_allowed", 403)
    done = ledger.decide(row.id, row.digest, deny("not now"), None)

    assert isinstance(done, Row) and done.state is State.DENIED
    assert verdict(asked, done, approvers.pin(state)) == Verdict(behaviour="deny", message="not now")


def test_expired_withdrawn_and_invalid_ones_are_gone(state):
    """C7: a late click on an expired, withdrawn or invalid request gets 410, also in a new process."""
    trust = add_approver(state, "ada")
    clock = Clock()
    ledger = ledger_in(state, clock)
    late = ledger.ask(request(deadline_at=wire_time(NOON + timedelta(seconds=540))))
    taken, lost = ledger.ask(request(key="2")), ledger.ask(request(key="3", asker=GONE))
    assert isinstance(ledger.withdraw(taken.id, "answered in the terminal"), Row)
    assert ledger.invalidate_gone() == [] and ledger.expire_due() == []
    clock.go(540)
    assert [row.id for row in ledger.invalidate_gone()] == [lost.id]
    assert [row.state for row in ledger.expire_due()] == [State.EXPIRED]

    for row in (late, taken, lost):
        for someone in (ledger, ledger_in(state)):
            found = someone.decide(row.id, row.digest, allow(row), trust)
            assert is_refused(found, "gone", 410)
    assert ledger.pending() == [] and len(lines(state)) == 6


def test_a_late_click_expires_what_nobody_expired(state):
    """The ledger checks the deadline when a decision arrives, and the late request expires."""
    trust = add_approver(state, "ada")
    clock = Clock()
    ledger = ledger_in(state, clock)
    row = ledger.ask(request(deadline_at=wire_time(NOON + timedelta(seconds=540))))
    clock.go(541)

    assert is_refused(ledger.decide(row.id, row.digest, allow(row), trust), "gone", 410)
    found = ledger_in(state).row(row.id)
    assert found and found.state is State.EXPIRED


def test_a_clock_that_jumps_ahead_ends_what_is_over_by_it(state):
    """A request also expires by the wall clock alone, because an early end is safe."""
    clock = Clock()
    ledger = ledger_in(state, clock)
    ledger.ask(request(deadline_at=wire_time(NOON + timedelta(seconds=540))))
    assert ledger.expire_due() == []
    clock.now += timedelta(seconds=600)

    assert [row.state for row in ledger.expire_due()] == [State.EXPIRED]


def test_a_clock_that_is_set_back_does_not_bring_back_time(state):
    """A process never dates a later event before an earlier one, even if the clock is set back."""
    clock = Clock()
    ledger = ledger_in(state, clock)
    rows = [ledger.ask(request(key=str(number))) for number in range(2)]
    clock.go(60)
    first = ledger.withdraw(rows[0].id, "x")
    clock.now -= timedelta(hours=1)
    second = ledger.withdraw(rows[1].id, "x")

    assert isinstance(first, Row) and isinstance(second, Row) and first.settled_at == second.settled_at


@pytest.mark.parametrize("step_s", [-86_400, -3_600, -1, 1, 3_600, 86_400])
def test_a_clock_that_steps_revives_nothing(step_s, state):
    """A request that was due by the ticks or by the clock stays expired, however the clock is set."""
    trust = add_approver(state, "ada")
    clock = Clock()
    ledger = ledger_in(state, clock)
    row = ledger.ask(request(deadline_at=wire_time(NOON + timedelta(seconds=540))))
    other = ledger.ask(request(key="2"))
    ledger.expire_due()
    clock.go(500)
    clock.now += timedelta(seconds=step_s)
    clock.ticks_s += 41

    assert is_refused(ledger.decide(row.id, row.digest, allow(row), trust), "gone", 410)
    clock.now -= timedelta(days=30)
    assert is_refused(ledger.decide(row.id, row.digest, allow(row), trust), "gone", 410)
    done = ledger.decide(other.id, other.digest, allow(other), trust)
    assert isinstance(done, Row) and [row.id for row in ledger.rows()] == [other.id, row.id]


def test_a_question_does_not_outlive_who_asked(state):
    """C7: nothing can be approved when the asker is gone, and five seconds later the row is INVALID for everybody."""
    trust = add_approver(state, "ada")
    clock = Clock()
    reader = ledger_in(state, clock)
    asking = subprocess.Popen([sys.executable, "-c", ASKING, str(state)], stdout=subprocess.PIPE, stdin=subprocess.PIPE)
    assert asking.stdout and asking.stdout.readline() == b"asked\n"
    (row,) = reader.pending()
    assert reader.is_asker_alive(row) and reader.invalidate_gone() == []
    asking.kill()
    asking.communicate()

    assert not reader.is_asker_alive(row)
    assert is_refused(reader.decide(row.id, row.digest, allow(row), trust), "gone", 410)
    assert reader.invalidate_gone() == []
    clock.go(GRACE_S - 0.1)
    assert reader.invalidate_gone() == [] and reader.pending() == [row]
    clock.go(0.1)
    (ended,) = reader.invalidate_gone()
    assert ended.state is State.INVALID and ended.note == "who asked is gone"
    assert is_refused(ledger_in(state).decide(row.id, row.digest, allow(row), trust), "gone", 410)


ASKING = """
import sys
from pathlib import Path
from chorus.steer.approvals.ledger import Ledger
from tests.steer.approvals.samples import request
Ledger(Path(sys.argv[1])).ask(request())
print("asked", flush=True)
sys.stdin.read()
"""


def test_who_comes_back_in_time_confirms_the_question(state):
    """If another process asks again with the same id in time, the same row continues."""
    trust = add_approver(state, "ada")
    clock = Clock()
    reader, asked = ledger_in(state, clock), request(asker=GONE)
    row = reader.ask(asked)
    reader.invalidate_gone()
    clock.go(GRACE_S - 1)

    again = ledger_in(state, clock).ask(structs.replace(asked, asker=this_process()))

    clock.go(60)
    assert again.id == row.id and reader.invalidate_gone() == [] and len(reader.pending()) == 1
    assert isinstance(reader.decide(row.id, row.digest, allow(row), trust), Row)
    settled = reader.ask(structs.replace(asked, asker=this_process()))
    assert settled.state is State.APPROVED and len(lines(state)) == 3


def test_the_same_question_under_another_id_is_another_row(state):
    """A new asker with another id gets a row of its own, and the row whose asker is gone ends."""
    ledger = ledger_in(state)
    deserted = ledger.ask(request(asker=GONE))
    alive = ledger.ask(request())
    beside = ledger.ask(request())

    assert len({deserted.id, alive.id, beside.id}) == 3
    assert [row.id for row in ledger.pending()] == [alive.id, beside.id]
    ended = ledger.row(deserted.id)
    assert ended and ended.state is State.INVALID and "asked again" in (ended.note or "")


def test_an_id_is_used_once(state):
    """Another request with a known id is INVALID and changes nothing."""
    ledger = ledger_in(state)
    row = ledger.ask(request())

    other = ledger.ask(request(id=row.id, input='{"command": "rm -rf /"}'))

    assert other.state is State.INVALID and ledger.pending() == [row] and len(lines(state)) == 1


def test_a_forged_approval_is_shown_as_such_and_never_acted_on(state):
    """A forged approval is INVALID: without signature, with a foreign signature, replayed, or for another request."""
    trust = add_approver(state, "ada")
    asker = ledger_in(state, trust=trust)
    old = request(key="old")
    old_row = asker.ask(old)
    replayed = allow(old_row)
    asker.decide(old.id, old_row.digest, replayed, trust)
    unsigned = structs.replace(replayed, signature=None, approver=None)
    for decision in (replayed, unsigned, "eve", structs.replace(replayed, message="x")):
        asked = request()
        row = asker.ask(asked)
        forged = allow(row, "eve") if decision == "eve" else decision
        put(state, events.Decided(at=wire_time(NOON), id=row.id, digest=row.digest, decision=forged))

        (found,) = asker.wait([row.id], 5)

        for seen in (found, ledger_in(state).row(row.id), asker.rows()[0]):
            assert seen and seen.state is State.INVALID and "no approver signed" in (seen.note or "")
        said = verdict(asked, found, trust)
        assert isinstance(said, Refused)
        pretending = structs.replace(found, state=State.APPROVED)
        assert is_refused(verdict(asked, pretending, trust), "not_allowed", 403)
        assert is_refused(asker.decide(row.id, row.digest, allow(row), trust), "gone", 410)
    assert len(ledger_in(state).check().unsigned) == 4


def test_an_approver_of_the_agents_own_changes_nothing(state):
    """If the list of approvers is replaced, an asker that started earlier ignores signatures of the new approver."""
    trust = add_approver(state, "ada")
    asker, asked = ledger_in(state, trust=trust), request()
    row = asker.ask(asked)
    (state / "approvers.jsonl").unlink()
    add_approver(state, "eve")
    theirs = ledger_in(state).decide(row.id, row.digest, allow(row, "eve"), approvers.pin(state))
    assert isinstance(theirs, Row)

    (found,) = asker.wait([row.id], 5)

    trust.extend(approvers.load(state))
    assert found.state is State.INVALID and trust.tampering
    assert is_refused(verdict(asked, theirs, trust), "not_allowed", 403)


def test_a_row_that_tells_of_another_request_is_no_answer(state):
    """If the file is rewritten to show a harmless request, the signature is not valid for the original request."""
    trust = add_approver(state, "ada")
    asked = request(input='{"command": "rm -rf ~"}')
    asker = ledger_in(state, trust=trust)
    asker.ask(asked)
    (state / "approvals.jsonl").unlink()
    harmless = structs.replace(asked, input='{"command": "ls"}')
    shown = ledger_in(state).ask(harmless)
    signed = ledger_in(state).decide(shown.id, shown.digest, allow(shown), trust)
    assert isinstance(signed, Row) and signed.state is State.APPROVED

    (found,) = asker.wait([asked.id], 5)

    assert is_refused(verdict(asked, found, trust), "changed", 409)
    swapped = structs.replace(found, digest=digest_of(asked))
    assert is_refused(verdict(asked, swapped, trust), "not_allowed", 403)
    elsewhere = structs.replace(found, request=structs.replace(asked, id="f" * 32), digest=digest_of(asked))
    assert is_refused(verdict(asked, elsewhere, trust), "changed", 409)


def test_suggestions_that_were_swapped_are_another_request(state):
    """C10: the digest includes the suggestions, so that the chosen suggestion is the one that the person saw."""
    trust = add_approver(state, "ada")
    asked = request()
    shown = structs.replace(asked, suggestions=list(reversed(asked.suggestions)))
    row = ledger_in(state).ask(shown)
    signed = ledger_in(state).decide(row.id, row.digest, allow(row, suggestions=[0]), trust)
    assert isinstance(signed, Row)

    assert is_refused(verdict(asked, signed, trust), "changed", 409)


@pytest.mark.parametrize("number", [2, 1, 9])
def test_who_does_not_wait_for_their_turn_wins_nothing(number, state, monkeypatch):
    """All readers agree on a line that is written without the lock, and no process gets a wrong reply."""
    trust = add_approver(state, "ada")
    ledger, asked = ledger_in(state), request()
    row = ledger.ask(asked)
    path = state / "approvals.jsonl"
    last = path.read_bytes().splitlines()[-1]
    body = events.encode(events.Withdrawn(at=wire_time(NOON), id=row.id, why="slipped in"))
    slipped = [journal_line.encode(number, hashlib.sha256(last).hexdigest(), body) + b"\n"]
    real = os.write

    def write_first(fd, data):
        if slipped:
            with path.open("ab", buffering=0) as file:
                file.write(slipped.pop())
        return real(fd, data)

    monkeypatch.setattr(os, "write", write_first)
    try:
        found = ledger.decide(row.id, row.digest, allow(row), trust)
    except VaultUnwritable:
        found = None
    monkeypatch.undo()

    is_approved = isinstance(found, Row) and found.state is State.APPROVED
    assert is_approved == (number == 1)
    for someone in (ledger, ledger_in(state)):
        stands = someone.row(row.id)
        assert stands and stands.state is (State.APPROVED if is_approved else State.WITHDRAWN)


def test_forged_lines_of_every_kind_change_nothing(state):
    """Events for unknown, settled or malformed requests and lines that are no events are reported and skipped."""
    trust = add_approver(state, "ada")
    ledger = ledger_in(state)
    row, denied = ledger.ask(request()), ledger.ask(request(key="2"))
    ledger.decide(denied.id, denied.digest, deny(), None)
    at = wire_time(NOON)
    huge = structs.replace(request(), id="x" * 100_000)
    put(
        state,
        events.Decided(at=at, id="0" * 32, digest=row.digest, decision=deny()),
        events.Decided(at=at, id=row.id, digest="0" * 64, decision=allow(row)),
        events.Decided(at=at, id=denied.id, digest=denied.digest, decision=allow(denied)),
        events.Withdrawn(at=at, id=denied.id, why="x"),
        events.Asked(at=at, request=row.request, digest=row.digest),
        events.Asked(at=at, request=structs.replace(row.request, id="1" * 32), digest="0" * 64),
        events.Asked(at=at, request=huge, digest=digest_of(huge)),
        events.Asked(at=at, request=structs.replace(row.request, id="2" * 32, input="no"), digest=row.digest),
        b'{"type":"decided"}',
        b'{"type":"unknown","id":"x"}',
        b"[]",
        b'"text"',
    )
    with (state / "approvals.jsonl").open("ab") as file:
        file.write(b'{"type":"decided","behavior":"allow"}\n\xff\n')

    for someone in (ledger, ledger_in(state)):
        assert [each.id for each in someone.pending()] == [row.id]
        found = someone.row(denied.id)
        assert found and found.state is State.DENIED and len(someone.rows()) == 2
        assert [flaw.line for flaw in someone.check().flaws] == list(range(4, 18))
    assert isinstance(ledger.decide(row.id, row.digest, allow(row), trust), Row)


def test_what_was_final_stays_final_when_the_file_is_set_back(state):
    """A process that saw a denial does not forget it when the line is removed from the file."""
    trust = add_approver(state, "ada")
    ledger = ledger_in(state)
    row = ledger.ask(request())
    path = state / "approvals.jsonl"
    before = path.read_bytes()
    ledger.decide(row.id, row.digest, deny(), None)
    path.write_bytes(before)

    found = ledger.row(row.id)

    assert found and found.state is State.INVALID and "it was denied before" in (found.note or "")
    assert ledger.pending() == [] and is_refused(ledger.decide(row.id, row.digest, allow(row), trust), "gone", 410)


@pytest.mark.parametrize("how", ["removed", "emptied", "garbage", "other"])
def test_a_question_that_vanishes_wakes_who_asked(how, state):
    """An asker stops waiting when its row is no longer in the file."""
    asker, asked = ledger_in(state), request()
    row = asker.ask(asked)
    path = state / "approvals.jsonl"
    if how == "removed":
        path.unlink()
    else:
        path.write_bytes({"emptied": b"", "garbage": b"\xff" * 1000 + b"\n", "other": b"{}\n"}[how])

    (found,) = asker.wait([row.id], 5)

    assert found.state is State.INVALID and isinstance(verdict(asked, found, approvers.pin(state)), Refused)


def test_an_approval_whose_line_was_changed_is_none(state):
    """A settled row is no longer shown as approved if one byte of its line was changed."""
    trust = add_approver(state, "ada")
    ledger = ledger_in(state)
    row = ledger.ask(request())
    ledger.decide(row.id, row.digest, allow(row), trust)
    later = ledger.ask(request(key="2"))
    path = state / "approvals.jsonl"
    whole = path.read_bytes()
    for word in (b"touch a.txt", b'"allow"', b'"at":"2026', b'"message"'):
        path.write_bytes(whole.replace(word, word[:-1] + bytes([word[-1] ^ 1]), 1))

        for someone in (ledger, ledger_in(state)):
            found = someone.row(row.id)
            assert found is None or found.state is not State.APPROVED, word
    path.write_bytes(whole)
    assert ledger_in(state).row(row.id) and ledger_in(state).row(later.id)


def test_a_name_on_a_denial_is_only_believed_when_it_is_signed(state):
    """A denial counts whoever wrote it, but it shows the name of an approver only if that approver signed it."""
    add_approver(state, "ada")
    row = ledger_in(state).ask(request())
    put(state, events.Decided(at=wire_time(NOON), id=row.id, digest=row.digest, decision=deny(approver=key("ada").id)))

    found = ledger_in(state).row(row.id)

    assert found and found.state is State.DENIED and found.decision and found.decision.approver is None


def test_history_outlives_its_approvers(state):
    """An approval stays valid after its approver was removed."""
    add_approver(state, "ada")
    trust = add_approver(state, "bob", by="ada")
    row = ledger_in(state).ask(request())
    ledger_in(state).decide(row.id, row.digest, allow(row, "bob"), trust)
    ApproversFile(state).append(lambda _found, head: leaving("bob", "ada", head))

    found = ledger_in(state).row(row.id)
    assert found and found.state is State.APPROVED and not ledger_in(state).check().unsigned


def test_fifty_questions_at_once_do_not_disturb_each_other(state):
    """Fifty requests of ten sessions are answered by several threads in another order, and each gets its own answer."""
    trust = add_approver(state, "ada")
    asker, person = ledger_in(state, trust=trust), ledger_in(state)
    asked = [
        request(key=str(number), session=f"session-{number % 10}", agent=f"agent-{number}", input=f'{{"n":{number}}}')
        for number in range(50)
    ]
    threads = [threading.Thread(target=asker.ask, args=(each,)) for each in asked]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {row.id for row in person.pending()} == {each.id for each in asked}

    def answer(rows):
        for row in rows:
            number = int(row.request.input[5:-1])
            decision = allow(row, message=str(number)) if number % 2 else deny(str(number))
            assert isinstance(person.decide(row.id, row.digest, decision, trust), Row)

    waiting = list(reversed(person.pending()))
    threads = [threading.Thread(target=answer, args=(waiting[start::5],)) for start in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    for number, each in enumerate(asked):
        (row,) = asker.wait([each.id], 5)
        said = verdict(each, row, trust)
        assert isinstance(said, Verdict)
        assert (said.message, said.behaviour) == (str(number), "allow" if number % 2 else "deny")


def test_changes_are_reported_once_in_any_process(state):
    """A mark says how far a reader came; another process continues from it, and a replaced file is read as new."""
    trust = add_approver(state, "ada")
    ledger = ledger_in(state)
    assert ledger.changes_since() == ([], "")
    first = ledger.ask(request())
    rows, mark = ledger.changes_since()
    assert rows == [first] and ledger.changes_since(mark) == ([], mark)
    second = ledger.ask(request(key="2"))
    done = ledger.decide(first.id, first.digest, allow(first), trust)

    rows, later = ledger_in(state).changes_since(mark)

    assert rows == [second, done] and ledger.changes_since(later)[0] == []
    for odd in ("", "x", "x:9", later + "0" * 30, ":", "é:²"):
        assert len(ledger.changes_since(odd)[0]) in (0, 2)
    (state / "approvals.jsonl").unlink()
    third = ledger_in(state).ask(request(key="3"))
    assert ledger.changes_since(later)[0] == [third]


def test_rows_are_paged_and_found(state):
    """Rows are listed newest first, and can be filtered by state, by an earlier id and by the beginning of an id."""
    ledger = ledger_in(state)
    rows = [ledger.ask(request(id=f"{number:032x}", key=str(number))) for number in range(5)]
    ledger.withdraw(rows[1].id, "x")

    assert [row.id for row in ledger.rows(limit=2)] == [rows[4].id, rows[3].id]
    assert [row.id for row in ledger.rows(limit=2, before=rows[3].id)] == [rows[2].id, rows[1].id]
    assert [row.id for row in ledger.rows(states=[State.WITHDRAWN])] == [rows[1].id]
    assert ledger.find(rows[1].id) == [rows[1].id] and len(ledger.find("0000")) == 4 and ledger.find("f") == []


def fill(path: Path) -> None:
    with contextlib.suppress(OSError), path.open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * 512)


def test_without_room_nothing_is_asked_or_decided(small_disk):
    """On a full disk a decision fails with an error message, and nothing takes effect."""
    state = small_disk / "vault" / "state"
    trust = add_approver(state, "ada")
    ledger = ledger_in(state)
    row = ledger.ask(request())
    (small_disk / "filling").write_bytes(b"x" * (40 << 10))
    fill(small_disk / "more")
    message = "m" * 9_000

    with pytest.raises(VaultUnwritable, match="No space"):
        ledger.decide(row.id, row.digest, allow(row, message=message), trust)

    assert ledger.pending() == [row] and ledger_in(state).pending() == [row]
    (small_disk / "filling").unlink()
    assert isinstance(ledger.decide(row.id, row.digest, allow(row, message=message), trust), Row)


def test_a_ledger_that_cannot_be_read_says_so(state):
    """A link in place of the ledger file gives an error message."""
    state.mkdir(parents=True)
    (state / "approvals.jsonl").symlink_to("/dev/zero")
    ledger = ledger_in(state)

    with pytest.raises(SourceUnreadable, match="links are not followed"):
        ledger.pending()
    with pytest.raises(ChorusError):
        ledger.ask(request())


def test_nothing_is_written_by_looking(state):
    """Reading an empty vault creates no folder."""
    ledger = Ledger(state)

    assert (
        ledger.pending() == [] and ledger.rows() == [] and ledger.row("0" * 32) is None and ledger.wait(["x"], 0) == []
    )
    assert not state.exists() and ledger.check().rows == 0
