"""Tests of journals of typed changes in `state/`, which approvers, rules, budgets and devices share."""

import msgspec
import pytest

from chorus.errors import ChorusError
from chorus.keep.vault.journal import Journal
from chorus.steer.approvals.entries_file import EntriesFile
from chorus.steer.approvals.signed_text import text_entry_bytes
from chorus.steer.approvals.trust import Change
from tests.steer.approvals.samples import budget_change, rule_change


def change(name):
    return Change(action="add", id=name, at="2026-01-01T00:00:00Z")


def names(file):
    return [each.change.id for each in file.listed]


def entries(state, *, keeps_what_it_read=False):
    return EntriesFile(state / "names.jsonl", Change, keeps_what_it_read=keeps_what_it_read)


def accepted(_listed):
    return None


def test_the_version_increases_only_if_something_was_read(state):
    """A reader can keep what it made of the entries while the version stays."""
    reader, writer = entries(state), entries(state)
    before = reader.refresh()
    assert reader.refresh() == before
    writer.append(change("ada"), accepted)
    assert reader.refresh() > before
    assert names(reader) == ["ada"]


@pytest.mark.parametrize(("keeps", "expected"), [(True, ["ada", "bob"]), (False, ["eve"])])
def test_a_rewritten_file_is_obeyed_or_ignored(state, keeps, expected):
    """If another file takes the place of the one that was read, its entries replace the earlier ones, or none of them
    counts; in both cases the file is called rewritten."""
    reader = entries(state, keeps_what_it_read=keeps)
    reader.append(change("ada"), accepted)
    reader.append(change("bob"), accepted)
    (state / "names.jsonl").unlink()
    entries(state).append(change("eve"), accepted)

    reader.refresh()

    assert names(reader) == expected
    assert reader.tampering("rewritten") == "rewritten"


def test_a_change_that_was_signed_for_an_earlier_line_is_refused(state):
    """Between signing and appending nobody else may append; nothing is written then."""
    first, second = entries(state), entries(state)
    first.refresh()
    head = first.head
    second.append(change("bob"), accepted)
    with pytest.raises(ChorusError, match="at the same time"):
        first.append(change("ada"), accepted, after=head)
    first.append(change("cleo"), accepted)
    assert names(first) == ["bob", "cleo"]


def test_a_reason_against_a_change_is_raised_and_nothing_is_written(state):
    """The objection sees the change at the place that it would get."""
    file = entries(state)
    file.append(change("ada"), accepted)
    with pytest.raises(ChorusError, match="line 2"):
        file.append(change("bob"), lambda listed: f"line {listed.line}")
    assert names(file) == ["ada"]


def test_an_entry_of_an_unknown_form_is_a_flaw(state):
    """What this version cannot read is listed with its line and does not hide what follows."""
    journal = Journal(state / "names.jsonl")
    with journal.transaction() as held:
        list(held.news())
        held.append(b'{"action":"reset"}')
    file = entries(state)
    file.append(change("ada"), accepted)
    assert names(file) == ["ada"]
    assert [(each.line, each.reason) for each in file.flaws] == [(1, "is not an entry that this version knows")]


def test_a_signature_for_one_list_does_not_count_for_another():
    """The kind of the list is a part of what is signed, so a rule cannot become a budget."""
    rule = rule_change('deny tool:"Bash"', "ada", "0" * 64)
    budget = msgspec.structs.replace(budget_change("run money:5", "ada", "0" * 64), id=rule.id, text=rule.text)
    same = msgspec.structs.replace(budget, action="remove", at=rule.at)
    assert text_entry_bytes(same, "0") != text_entry_bytes(msgspec.structs.replace(rule, action="remove"), "0")
