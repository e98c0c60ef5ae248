"""Tests of budgets in `state/`: signed by approvers, and not to be raised by anybody else."""

import msgspec
import pytest

from chorus.errors import ChorusError
from chorus.keep.vault.journal import Journal
from chorus.steer.approvals import approvers
from chorus.steer.approvals.approvers import ApproversFile
from chorus.steer.approvals.budgets.budgets_file import REWRITTEN, BudgetsFile
from tests.steer.approvals.samples import add_approver, budget_change, leaving, set_budget


@pytest.fixture(autouse=True)
def _ada(state):
    add_approver(state, "ada")


def texts(state, file=None):
    found = (file or BudgetsFile(state)).load(approvers.load(state))
    return [each.text for each in found.in_force]


def put(state, make):
    """Writes an entry as an agent could: correctly chained, with any content."""
    journal = Journal(state / "budgets.jsonl")
    with journal.transaction() as held:
        list(held.news())
        held.append(make(journal.head))


def test_a_budget_is_set_replaced_and_removed(state):
    """A second budget for the same things replaces the first; one that is removed is gone for other readers, too."""
    reader = BudgetsFile(state)
    set_budget(state, "run money:5")
    set_budget(state, "day tokens:1M")
    assert texts(state, reader) == ["run money:5", "day tokens:1000000"]
    set_budget(state, "run money:7 turns:3")
    assert texts(state, reader) == ["day tokens:1000000", "run money:7 turns:3"]
    set_budget(state, "run money:7", action="remove")
    assert texts(state, reader) == ["day tokens:1000000"]
    with pytest.raises(ChorusError, match="no such budget"):
        set_budget(state, "run money:7", action="remove")


@pytest.mark.parametrize("forgery", ["unsigned", "changed", "stranger", "moved", "rewording", "noise"])
def test_nobody_else_raises_a_budget(state, forgery):
    """An entry without the signature of an approver over exactly this content at this place is listed, not applied."""
    set_budget(state, "run money:5")

    def forged(head):
        change = budget_change("run money:500", "eve" if forgery == "stranger" else "ada", head)
        match forgery:
            case "unsigned":
                change = msgspec.structs.replace(change, signature="")
            case "changed":
                change = msgspec.structs.replace(budget_change("run money:1", "ada", head), text="run money:500")
            case "moved":
                change = budget_change("run money:500", "ada", "0" * 64)
            case "rewording":
                change = msgspec.structs.replace(change, id="0" * 12)
            case "noise":
                return b'{"action":"reset"}'
        return msgspec.json.encode(change)

    put(state, forged)

    assert texts(state) == ["run money:5"]
    assert len(BudgetsFile(state).load(approvers.load(state)).rejected) == 1


def test_a_removed_file_gives_no_freedom(state):
    """A reader that knew the budgets keeps them if the file is removed or rewritten, and says so."""
    set_budget(state, "run money:5")
    reader = BudgetsFile(state)
    assert texts(state, reader) == ["run money:5"]
    (state / "budgets.jsonl").write_bytes(b"")
    assert texts(state, reader) == ["run money:5"]
    assert reader.tampering == REWRITTEN
    (state / "budgets.jsonl").unlink()
    assert texts(state, reader) == ["run money:5"]


def test_a_former_approver_can_only_have_restricted(state):
    """After somebody is removed, what they raised or removed is as before; what they limited stays limited."""
    add_approver(state, "bob", by="ada")
    set_budget(state, "run money:5")
    set_budget(state, "run money:500", by="bob")
    set_budget(state, "day money:50", by="bob")
    set_budget(state, "conversation turns:3")
    set_budget(state, "conversation turns:3", by="bob", action="remove")
    assert texts(state) == ["run money:500", "day money:50"]

    ApproversFile(state).append(lambda _found, head: leaving("bob", "ada", head))

    found = BudgetsFile(state).load(approvers.load(state)).in_force
    strict = {(each.text, each.only_restricts) for each in found}
    assert strict == {
        ("run money:5", False),
        ("run money:500", True),
        ("day money:50", True),
        ("conversation turns:3", False),
    }
