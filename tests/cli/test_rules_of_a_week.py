"""Tests the way from a week of questions to rules that answer most of the next week's."""

import json
import random

from chorus.steer.approvals.rules.rule_book import RuleBook
from tests.cli.commands import run_json
from tests.steer.approvals.samples import add_approver, add_rule, allow, deny, ledger_in, request

FILES = ["app.py", "tests/test_app.py", "docs/index.md", "web/page.tsx", "setup.cfg"]
ROUTINE = [
    *("pytest -q {file}", "pytest -x", "ruff check {file}", "git status", "git diff {file}", "git log -{number}"),
    *("ls -la", "grep -n word{number} {file}", "git add {file}", "npm test", "cat {file} | head -{number}"),
    *("make test", "git diff --stat && git status", "cd web && npm run build"),
]
"""What agents ask for again and again, and people allow."""
SELDOM = [
    *("curl https://example.org/{number}", "rm -r build{number}", "git push origin topic{number}"),
    *("docker run image{number}", "python -c 'print({number})'", "kill {number}", "scp {file} host{number}:"),
]
"""What has to be looked at each time; people deny half of it."""
QUESTIONS = 200
SELDOM_SHARE = 0.2


def week(seed):
    """Yields the command lines of one week, and whether a person allows each."""
    chance = random.Random(seed)
    for _ in range(QUESTIONS):
        is_seldom = chance.random() < SELDOM_SHARE
        form, number = chance.choice(SELDOM if is_seldom else ROUTINE), chance.randrange(90)
        yield form.format(file=chance.choice(FILES), number=number), not is_seldom or number % 2 > 0


def question(number, line):
    return request(
        input=json.dumps({"command": line}), root="/srv/project", suggestions=[], key=f"week/{number}/{line}"
    )


def test_rules_of_one_week_answer_two_thirds_of_the_next(tmp_path):
    """What a week of decisions suggests is tried on that week, switched on, and answers two thirds of the next week's
    questions; nothing that people denied is allowed."""
    home, state = tmp_path / "home", tmp_path / "home" / "state"
    trust = add_approver(state, "ada")
    ledger = ledger_in(state, trust=trust)
    for number, (line, is_allowed) in enumerate(week(1)):
        row = ledger.ask(question(number, line))
        ledger.decide(row.id, row.digest, allow(row) if is_allowed else deny(), trust)

    suggested = [each["rule"] for each in run_json("rules", "suggest", "--limit", "100", "--vault", home)]
    (tmp_path / "rules.txt").write_text("\n".join(suggested))
    tried = run_json("rules", "test", tmp_path / "rules.txt", "--vault", home)
    assert tried["questions"] == QUESTIONS
    assert tried["saved"] >= QUESTIONS * 2 / 3
    assert tried["against_people"] == 0, "no rule is suggested that would have allowed what people denied"
    assert RuleBook(state, trust).decide(question("before", "pytest -q")) is None, "nothing is switched on by itself"

    for rule in suggested:
        add_rule(state, rule)
    book = RuleBook(state, trust)
    next_week = list(enumerate(week(2)))
    answered = [
        (line, is_allowed)
        for number, (line, is_allowed) in next_week
        if book.decide(question(number, line)) is not None
    ]
    assert len(answered) >= QUESTIONS * 2 / 3
    assert [line for line, is_allowed in answered if not is_allowed] == []
