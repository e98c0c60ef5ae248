"""Tests of who may approve and who may not, with any content of the file."""

import msgspec
import pytest
from msgspec import structs

from chorus.errors import ChorusError, SourceUnreadable
from chorus.keep.vault.journal import Journal
from chorus.steer.approvals import approvers, lifecycle
from chorus.steer.approvals.approvers import ApproversFile
from chorus.steer.approvals.trust import Trust
from tests.steer.approvals.samples import (
    add_approver,
    allow,
    deny,
    joining,
    key,
    leaving,
    request,
    signed,
    signed_entry,
)


def put(state, change_of):
    """Writes an entry as an agent could: correctly chained, with any content."""
    journal = Journal(state / "approvers.jsonl")
    with journal.transaction() as held:
        list(held.news())
        held.append(msgspec.json.encode(change_of(journal.head)))


def names(state):
    return [each.name for each in approvers.load(state).valid.values()]


def test_the_first_is_taken_as_it_is_and_the_next_must_be_let_in(state):
    """The first approver needs no signature, and the second needs the signature of the first."""
    add_approver(state, "ada")

    with pytest.raises(ChorusError, match="no approver of that time signed it"):
        ApproversFile(state).append(lambda _found, head: joining("eve", None, head))
    add_approver(state, "bob", by="ada")

    assert names(state) == ["ada", "bob"]
    assert (state / "approvers.jsonl").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "forge",
    [
        lambda head: joining("eve", None, head),
        lambda head: signed_entry(structs.replace(joining("eve", None, head), by=key("ada").id), "eve", head),
        lambda head: structs.replace(joining("eve", "ada", head), name="eva"),
        lambda head: joining("eve", "ada", "0" * 64),
        lambda head: joining("eve", "eve", head),
        lambda head: structs.replace(joining("eve", "ada", head), id=key("mal").id),
        lambda head: signed_entry(structs.replace(joining("eve", "ada", head), id=key("mal").id), "ada", head),
        lambda head: signed_entry(structs.replace(joining("eve", "ada", head), name=" "), "ada", head),
        lambda head: signed_entry(structs.replace(joining("eve", "ada", head), kind="browser"), "ada", head),
        lambda head: leaving("ada", "eve", head),
        lambda head: leaving("eve", "ada", head),
    ],
)
def test_a_forged_entry_counts_for_nothing(forge, state):
    """An entry that is unsigned, wrongly signed, changed, moved or about nobody is reported and not applied."""
    add_approver(state, "ada")

    put(state, forge)

    found = approvers.load(state)
    assert list(found.valid) == [key("ada").id]
    assert [each.line for each in found.rejected] == [2]
    assert names(state) == ["ada"]


def test_honest_entries_after_a_forged_one_count(state):
    """A forged entry does not prevent later honest entries."""
    add_approver(state, "ada")
    put(state, lambda head: joining("eve", None, head))
    with (state / "approvers.jsonl").open("ab") as file:
        file.write(b'{"action":"add"}\n\x00\xff\n')

    add_approver(state, "bob", by="ada")

    assert names(state) == ["ada", "bob"]
    assert [each.line for each in approvers.load(state).rejected] == [2, 3, 4]


def test_a_removed_approver_is_out_and_the_last_one_stays(state):
    """A removal needs a signature; the last approver cannot be removed, and a removed one does not come back."""
    add_approver(state, "ada")
    trust = add_approver(state, "bob", by="ada")
    old = (state / "approvers.jsonl").read_bytes().splitlines(keepends=True)[1]
    ApproversFile(state).append(lambda _found, head: leaving("bob", "ada", head))

    trust.extend(approvers.load(state))
    with pytest.raises(ChorusError, match="belongs, or belonged"):
        add_approver(state, "bob", by="ada")
    with pytest.raises(ChorusError, match="last approver"):
        ApproversFile(state).append(lambda _found, head: leaving("ada", "ada", head))
    with (state / "approvers.jsonl").open("ab") as file:
        file.write(old)

    row = lifecycle.asked(request())
    assert trust.objection(row.id, row.digest, allow(row, "bob")) and trust.tampering is None
    assert names(state) == ["ada"]


def test_a_rewritten_file_does_not_move_what_was_pinned(state):
    """If the file is replaced, emptied or removed, the asker keeps the approvers it knew and reports tampering."""
    trust = add_approver(state, "ada")
    row = lifecycle.asked(request())
    path = state / "approvers.jsonl"
    original = path.read_bytes()

    path.unlink()
    add_approver(state, "eve")
    trust.extend(approvers.load(state))
    assert trust.tampering and "rewritten" in trust.tampering
    assert trust.objection(row.id, row.digest, allow(row, "eve")) == "who decided is not an approver here"
    assert trust.objection(row.id, row.digest, allow(row, "ada")) is None

    path.write_bytes(b"")
    trust.extend(approvers.load(state))
    assert trust.tampering and list(trust.approvers) == [key("ada").id]

    path.write_bytes(original)
    add_approver(state, "bob", by="ada")
    trust.extend(approvers.load(state))
    assert trust.tampering is None and set(trust.approvers) == {key("ada").id, key("bob").id}


def test_who_comes_first_after_the_start_cannot_approve(state):
    """If there was no approver when an asker started, an agent cannot add one for it."""
    trust = approvers.pin(state)
    add_approver(state, "eve")

    trust.extend(approvers.load(state))

    row = lifecycle.asked(request())
    assert not trust.approvers and "no approver when this began" in (trust.tampering or "")
    assert trust.objection(row.id, row.digest, allow(row, "eve"))


def test_every_decision_is_judged(state):
    """An approval needs a signature of exactly this decision; a denial needs none, but must not use another name."""
    trust = add_approver(state, "ada")
    row, other = lifecycle.asked(request()), lifecycle.asked(request())

    def objection(decision, about=row):
        return trust.objection(about.id, about.digest, decision)

    good = allow(row, message="ok", suggestions=[0])
    assert objection(good) is None and objection(deny()) is None
    assert objection(good, other)
    assert trust.objection(row.id, other.digest[:-1] + "0", good)
    for change in (
        {"message": "okay"},
        {"suggestions": [1]},
        {"suggestions": []},
        {"input": "{}"},
        {"at": "2026-03-01T12:00:00.001Z"},
        {"signature": None},
        {"approver": None},
        {"approver": key("eve").id},
        {"behaviour": "deny"},
    ):
        assert objection(structs.replace(good, **change)), change
    assert objection(signed(deny(approver=key("ada").id), row)) is None
    assert objection(deny(approver=key("ada").id)) and objection(deny(signature="x"))


def test_a_list_that_cannot_be_read_lets_nobody_approve(state):
    """A link or a folder in place of the file gives an error message and never an empty list."""
    state.mkdir(parents=True)
    (state / "approvers.jsonl").mkdir()
    with pytest.raises(SourceUnreadable):
        approvers.load(state)
    (state / "approvers.jsonl").rmdir()
    (state / "approvers.jsonl").symlink_to(state / "elsewhere")
    with pytest.raises(SourceUnreadable, match="links are not followed"):
        approvers.load(state)
    with pytest.raises(ChorusError):
        add_approver(state, "ada")
    assert not (state / "elsewhere").exists()


def test_two_changes_at_once_are_one(state):
    """An entry that was signed for an earlier end of the file is not appended."""
    add_approver(state, "ada")
    file = ApproversFile(state)

    def make(_found, head):
        add_approver(state, "bob", by="ada")
        return joining("eve", "ada", head)

    with pytest.raises(ChorusError, match="another process changed it"):
        file.append(make)
    assert names(state) == ["ada", "bob"]


def test_trust_in_nobody_allows_nothing():
    """Without approvers every approval is refused."""
    row = lifecycle.asked(request())

    assert Trust(approvers.Approvers()).objection(row.id, row.digest, allow(row))
