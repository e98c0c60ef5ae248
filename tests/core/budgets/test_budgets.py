"""Tests of budgets: what a person can write, which limit applies, and how much of it is used."""

import msgspec
import pytest

from chorus.core.budgets.budget_text import read_budget
from chorus.core.budgets.judging import Subject, Used, limits_for, uses
from chorus.errors import ChorusError

HERE = Subject(run="ab12cd34ef56", session="5e55", workspaces=("shop-12345678", "shop"), day="2026-11-18")


def test_a_budget_has_one_written_form():
    """The same limits in another order and another spelling are the same text, and keep their id."""
    one = read_budget("run  minutes:60 money:$5.00 tokens:2M")
    assert one.text == "run money:5 tokens:2000000 minutes:60"
    assert read_budget(one.text) == one
    assert read_budget("run money:0.25").text == "run money:0.25"
    assert one.id == read_budget("run turns:3").id, "a new budget for the same things replaces the one before"
    assert one.id != read_budget("run turns:3 workspace:shop").id


@pytest.mark.parametrize(
    "text",
    [
        "",
        "week money:5",
        "run",
        "run money:0",
        "run money:-1",
        "run money:1e400",
        "run money:nan",
        "run money:none",
        "run tokens:$5",
        "run turns:1.5",
        "run errors:1",
        "run errors:51",
        "day errors:5",
        "workspace loops:3",
        "run money:5 money:6",
        "run money",
        "run dollars:5",
        "day only:someday money:5",
        "run money:5 only:../x",
        "run money:5\x1b[2J",
        "run money:٥",
        "run money:5 " + "x" * 500,
    ],
)
def test_what_is_no_budget_is_refused(text):
    """A text with a mistake is refused with a reason, and never read as another limit."""
    with pytest.raises(ChorusError):
        read_budget(text)


def applied(*texts, subject=HERE):
    budgets = [read_budget(text) for text in texts]
    return {(budget.scope, measure): budget.limits[measure] for measure, budget in limits_for(budgets, subject)}


def test_the_most_specific_budget_counts_for_each_limit():
    """An exception changes the limits that it names, and the other limits stay."""
    found = applied(
        "run money:5 turns:10", "run money:9 workspace:shop", "run money:20 only:ab12cd34ef56", "run money:1 only:other"
    )
    assert found == {("run", "money"): 20, ("run", "turns"): 10}
    assert applied("conversation money:5", "conversation money:none only:5e55") == {("conversation", "money"): None}
    assert applied("run money:5 workspace:garden") == {}
    assert applied("day money:5", "day money:50 only:2026-11-18") == {("day", "money"): 50}


def test_a_day_in_a_workspace_and_a_whole_day_are_both_limited():
    """What one workspace used is not what all used, so neither limit replaces the other."""
    budgets = [read_budget("day money:50"), read_budget("day money:5 workspace:shop")]
    counted = {None: 20.0, "shop": 4.5}

    found = uses(budgets, HERE, lambda _scope, where: Used(amounts={"money": counted[where]}))

    assert [(use.workspace, use.state) for use in found] == [("shop", "warning"), (None, "fine")]
    assert found[0].words == "$4.50 of $5.00 for today in shop"


def test_a_run_budget_needs_a_run():
    """A client that somebody else started has no run, so only the other budgets apply to it."""
    alone = Subject(run=None, session="5e55", workspaces=("shop-12345678",), day="2026-11-18")
    assert applied("run money:5", "conversation turns:3", subject=alone) == {("conversation", "turns"): 3}


def test_a_budget_that_only_restricts_raises_nothing():
    """The limits of a former approver apply if they are lower, however specific they are."""
    former = msgspec.structs.replace(read_budget("run money:100 turns:2 only:ab12cd34ef56"), only_restricts=True)
    budgets = [former, read_budget("run money:5 turns:10")]
    found = {measure: budget.limits[measure] for measure, budget in limits_for(budgets, HERE)}
    assert found == {"money": 5, "turns": 2}


@pytest.mark.parametrize(
    ("used", "state"), [(0, "fine"), (3.99, "fine"), (4, "warning"), (4.99, "warning"), (5, "spent"), (9, "spent")]
)
def test_a_limit_warns_at_80_percent_and_is_spent_at_100(used, state):
    """The state follows the share of the limit."""
    (use,) = uses([read_budget("run money:5")], HERE, lambda *_: Used(amounts={"money": used}))
    assert use.state == state


def test_a_lower_bound_is_marked():
    """If a price is unknown, the amount is shown as a lower bound."""
    (use,) = uses([read_budget("run money:5")], HERE, lambda *_: Used(amounts={"money": 1.0}, is_at_least=True))
    assert use.words == "≥$1.00 of $5.00 for this run"
