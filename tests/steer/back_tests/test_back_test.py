"""Tests of back-tests: what rules would have decided about recorded cases, and which rules history suggests."""

import json
from datetime import UTC

from chorus.core.rules.rule_text import read_rule
from chorus.steer.back_tests.back_test import try_rules
from chorus.steer.back_tests.recorded_cases import Case
from chorus.steer.back_tests.suggestions import FEWEST, suggest
from tests.steer.approvals.samples import request

PYTEST = read_rule('allow command:"pytest *"')


def case(line, decided=None, *, was_asked=False, ran=True):
    made = request(input=json.dumps({"command": line}), root="/srv/project", suggestions=[], key=line)
    return Case(request=made, decided=decided, was_asked=was_asked, ran=ran, call=None)


def test_every_case_that_a_rule_is_about_is_counted_once():
    """Cases are counted by what the rule decides; a case that it is not about counts only in the total."""
    found = try_rules([PYTEST], [], [case("pytest -q"), case("pytest -q; rm x"), case("make")], UTC)

    assert (found.cases, found.allowed, found.denied, found.asked, found.unasked) == (3, 1, 0, 1, 1)


def test_a_difference_from_people_comes_first():
    """What people decided otherwise is counted, and is the first thing that a person sees."""
    asked = [case("pytest -q", "allow", was_asked=True)] * 5
    found = try_rules([PYTEST], [], [*asked, case("pytest -x", "deny", was_asked=True, ran=False)], UTC)

    assert (found.questions, found.saved, found.against_people) == (6, 6, 1)
    assert [(each.title, each.times) for each in found.shown()] == [("Bash pytest -x", 1), ("Bash pytest -q", 5)]


def test_a_rule_in_force_counts_as_well():
    """A denial that is in force wins over the rule that is tried."""
    found = try_rules([PYTEST], [read_rule('deny command:"pytest *"')], [case("pytest -q")], UTC)

    assert found.allowed == 0


def test_history_suggests_what_people_allowed_and_never_denied():
    """A rule is suggested after enough approvals; one denial of the same kind of command ends that."""
    allowed = [case("pytest -q", "allow", was_asked=True)] * FEWEST
    assert [(each.rule.text, each.approved) for each in suggest(allowed, [])] == [(PYTEST.text, FEWEST)]

    assert suggest(allowed[1:], []) == []
    assert suggest([*allowed, case("pytest -x", "deny", was_asked=True, ran=False)], []) == []
    assert suggest(allowed, [PYTEST]) == []
