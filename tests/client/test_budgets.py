"""Tests that every limit of a budget, in every scope, stops the real client without a server."""

import pytest

from chorus.steer.runs.attached import Attached
from tests.client.test_run import bash, calls, desk, says, told
from tests.steer.approvals.samples import add_rule, set_budget
from tests.support.running import events_until, is_alive, is_ended

__all__ = ["desk"]
WORKING = [calls(bash(f"toolu_{number}", f"sleep 0.2; echo {number}")) for number in range(60)]
FAILING = [calls(bash(f"toolu_{number}", f"cat missing-{number}")) for number in range(60)]
REPEATING = [calls(bash(f"toolu_{number}", "cat missing")) for number in range(60)]


@pytest.mark.parametrize(
    ("budget", "answers", "used"),
    [
        pytest.param("run loops:3", REPEATING, "of 3 equal failures"),
        pytest.param("run errors:4", FAILING, "of 4", marks=pytest.mark.long),
        pytest.param("conversation errors:4", FAILING, "of 4", marks=pytest.mark.long),
        pytest.param("conversation tokens:50", WORKING, "of 50 tokens", marks=pytest.mark.long),
        pytest.param("workspace tokens:50", WORKING, "of 50 tokens", marks=pytest.mark.long),
        pytest.param("day tokens:50", WORKING, "of 50 tokens", marks=pytest.mark.long),
        pytest.param("day money:0.0004", WORKING, "$", marks=pytest.mark.long),
        pytest.param("run money:0.0004", WORKING, "$", marks=pytest.mark.long),
        pytest.param("run minutes:1", WORKING, "of 1 minutes", marks=pytest.mark.long),
        pytest.param("run turns:1", [says("Done.")], "of 1", marks=pytest.mark.long),
    ],
)
def test_each_limit_stops_the_client(desk, budget, answers, used):
    """At 100 % the client is interrupted and then gone; the ending says which limit it was and how much was used."""
    person = desk(*answers)
    person.place.approver()
    for command in ("sleep *", "echo *", "cat *"):
        add_rule(person.place.state, f'allow command:"{command}"')
    set_budget(person.place.state, budget)
    with person.running() as folder, Attached(folder) as attached:
        told(attached, "go")
        (*_, last) = events_until(attached, is_ended)
        client = folder.read().client

    words = last.ending.words
    assert words.startswith("it was stopped, because its budget is used up: ")
    assert used in words, words
    assert not is_alive(client)
