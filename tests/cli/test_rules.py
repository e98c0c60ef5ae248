"""Tests of `chorus rules`: a person tries a rule on what was recorded, switches it on, and removes it."""

import json

import pytest

from chorus.errors import ChorusError
from chorus.steer.approvals import approvers
from chorus.steer.approvals.rules.rule_book import RuleBook
from chorus.testing.builders import Session, lay_out
from chorus.testing.builders.blocks import tool_use
from tests.cli.at_a_terminal import at_a_terminal
from tests.cli.commands import run, run_json
from tests.core.conversation.talks import REFUSAL
from tests.steer.approvals.samples import add_approver, add_rule, allow, deny, ledger_in, request

PASSPHRASE = "correct horse battery"
PYTEST = 'allow command:"pytest *"'


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A vault with one session: `pytest` ran four times, and one command was refused."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    session = Session()
    session.user("Run the tests")
    for number, line in enumerate(["pytest -q", "pytest -q", "pytest -q", "pytest; rm x", "pytest -x"]):
        session.assistant(tool_use("Bash", {"command": line}, id=f"toolu_{number}"))
        is_refused = line == "pytest -x"
        more = {"toolDenialKind": "user-rejected"} if is_refused else {}
        session.tool_result(f"toolu_{number}", REFUSAL if is_refused else "ok", is_error=is_refused, **more)
    lay_out(tmp_path / "claude", session)
    assert run("sync", tmp_path / "claude", "--vault", tmp_path / "home").exit_code == 0
    return tmp_path / "home"


def running(line, **more):
    return request(input=json.dumps({"command": line}), root="/srv/project", suggestions=[], key=line, **more)


def test_a_rule_is_tried_on_what_was_recorded(home):
    """The counts say what would have been allowed, what differs from people, and what nobody was asked about."""
    found = run_json("rules", "test", PYTEST, "--vault", home)

    counts = {name: found[name] for name in ("cases", "allowed", "denied", "asked", "against_people", "unasked")}
    assert counts == {"cases": 5, "allowed": 4, "denied": 0, "asked": 1, "against_people": 1, "unasked": 3}
    first = found["groups"][0]
    assert (first["title"], first["behavior"], first["decided"]) == ("Bash pytest -x", "allow", "deny")
    shown = run("rules", "test", PYTEST, "--vault", home).output
    assert "it would have allowed 4, denied 0 and left 1 to you" in shown
    titles = ("You decided otherwise", "and nobody was asked", "Would still be asked")
    assert sorted(titles, key=shown.index) == list(titles)
    assert "no rule allows `rm x`" in shown


def test_requests_count_once_and_by_what_people_decided(home):
    """A request of the ledger and its call are one case, and a decision of a rule is no decision of a person."""
    trust = add_approver(home / "state", "ada")
    ledger = ledger_in(home / "state", trust=trust)
    for number, answer in ((0, allow), (1, lambda _row: deny()), (None, allow)):
        made = running(f"pytest {number}", tool_use=f"toolu_{number}" if number is not None else None)
        row = ledger.ask(made)
        ledger.decide(row.id, row.digest, answer(row), trust)
    add_rule(home / "state", "allow command:ls")
    ledger.ask(running("ls"), RuleBook(home / "state", trust).decide)

    found = run_json("rules", "test", PYTEST, "--vault", home)

    assert found["cases"] == 3 + 1 + 3
    assert (found["against_people"], found["questions"], found["saved"]) == (2, 4, 4)


def test_a_call_that_was_asked_about_twice_is_one_question(home):
    """A request that was withdrawn and made again counts once, with what the person decided."""
    trust = add_approver(home / "state", "ada")
    ledger = ledger_in(home / "state", trust=trust)
    first = ledger.ask(running("pytest 0", id="1" * 32, tool_use="toolu_0"))
    ledger.decide(first.id, first.digest, deny(), trust)
    second = ledger.ask(running("pytest 0", id="2" * 32, tool_use="toolu_0"))
    ledger.withdraw(second.id, "the prompt changed")

    found = run_json("rules", "test", PYTEST, "--vault", home)

    assert (found["cases"], found["questions"], found["against_people"]) == (5, 2, 2)


def test_what_the_client_decides_by_itself_is_no_decision_of_a_person(home, tmp_path):
    """Only a call that a person approved or refused was a question; settings and hooks ask nobody."""
    session = Session("5f1c2a90-0000-4000-8000-000000000009")
    session.user("Look around")
    for number, source in enumerate(("config", "config", "hook", "user_temporary", "user_permanent")):
        session.assistant(tool_use("Bash", {"command": f"tree -L {number}"}, id=f"toolu_own_{number}"))
        session.tool_result(f"toolu_own_{number}", "ok", permissionDecision={"decision": "accept", "source": source})
    session.assistant(tool_use("Bash", {"command": "tree /"}, id="toolu_own_9"))
    refused = {"decision": "reject", "source": "config"}
    session.tool_result("toolu_own_9", REFUSAL, is_error=True, permissionDecision=refused)
    lay_out(tmp_path / "claude", session)
    run("sync", tmp_path / "claude", "--vault", home)

    found = run_json("rules", "test", 'allow command:"tree *"', "tree", "--vault", home)
    assert (found["allowed"], found["unasked"], found["questions"], found["saved"]) == (6, 4, 2, 2)
    assert found["against_people"] == 0
    assert 'allow command:"tree *"' not in [each["rule"] for each in run_json("rules", "suggest", "--vault", home)]


def test_a_query_names_the_conversations(home):
    """Only calls of conversations that answer the query count; a query that nothing answers is an error."""
    assert run_json("rules", "test", PYTEST, "tool:Bash", "--vault", home)["cases"] == 5
    with pytest.raises(ChorusError):
        run("rules", "test", PYTEST, "tool:Nothing", "--vault", home)


def test_the_rules_of_a_file_are_tried_together(home, tmp_path):
    """A file has one rule on each line; a mistake is named with its line."""
    (tmp_path / "rules.txt").write_text(f'# routine\n{PYTEST}\n\nallow command:"rm *"\n')
    assert run_json("rules", "test", tmp_path / "rules.txt", "--vault", home)["allowed"] == 5
    (tmp_path / "rules.txt").write_text(f"{PYTEST}\nallow tool:Bash\n")
    with pytest.raises(ChorusError, match="line 2"):
        run("rules", "test", tmp_path / "rules.txt", "--vault", home)
    with pytest.raises(ChorusError, match="neither a rule nor a file"):
        run("rules", "test", "nothing", "--vault", home)


def test_what_was_denied_once_is_not_suggested(home):
    """`pytest` was refused once, so nothing is suggested; without that, it is."""
    assert run_json("rules", "suggest", "--vault", home) == []
    trust = add_approver(home / "state", "ada")
    ledger = ledger_in(home / "state", trust=trust)
    for number in range(3):
        row = ledger.ask(running(f"git log -{number}"))
        ledger.decide(row.id, row.digest, allow(row), trust)

    assert run_json("rules", "suggest", "--vault", home) == [
        {"rule": 'allow command:"git log *"', "approved": 3, "ran": 0}
    ]
    assert "Nothing" not in run("rules", "suggest", "--vault", home).output
    assert run_json("rules", "list", "--vault", home)["rules"] == []


def test_a_person_adds_and_removes_a_rule(home):
    """A rule applies after a person saw what it would do and typed the passphrase, until they remove it."""
    typed = [("New passphrase", PASSPHRASE), ("Once more", PASSPHRASE)]
    assert at_a_terminal("approver", "add", "ada", "--vault", home, typed=typed)[0] == 0
    book = RuleBook(home / "state", approvers.pin(home / "state"))

    code, seen = at_a_terminal("rules", "add", PYTEST, "--vault", home, typed=[("Passphrase of ada", PASSPHRASE)])

    assert code == 0 and seen.index("it would have allowed 4") < seen.index("Passphrase of ada")
    (listed,) = run_json("rules", "list", "--vault", home)["rules"]
    assert (listed["text"], listed["by"], listed["trouble"]) == (PYTEST, "ada", None)
    assert listed["id"] in run("rules", "list", "--vault", home).output
    assert book.decide(running("pytest")) is not None
    code, seen = at_a_terminal(
        "rules", "remove", listed["id"][:6], "--vault", home, typed=[("Passphrase of ada", PASSPHRASE)]
    )
    assert code == 0 and f"removed: {PYTEST}" in seen
    assert book.decide(running("pytest")) is None
    assert at_a_terminal("rules", "remove", listed["id"], "--vault", home)[0] == 2


def test_no_agent_adds_a_rule(home, monkeypatch):
    """Inside a run, or without a terminal, nothing is added."""
    add_approver(home / "state", "ada")
    monkeypatch.setenv("CHORUS_RUN", "x")
    with pytest.raises(ChorusError, match=r"terminal|inside a supervised run"):
        run("rules", "add", PYTEST, "--vault", home)
    assert run_json("rules", "list", "--vault", home)["rules"] == []


def test_entries_by_other_hands_and_the_rules_of_the_client_are_shown(home, tmp_path):
    """`list` shows invalid entries, with exit code 1, and the rules in the settings of the client."""
    add_approver(home / "state", "ada")
    add_rule(home / "state", PYTEST)
    with (home / "state" / "rules.jsonl").open("a") as file:
        file.write('{"action":"add","text":"allow tool:Write"}\n')
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text(
        '{"permissions":{"allow":["Bash(ls:*)"],"deny":["Read(.env)"]}}'
    )

    shown = run("rules", "list", "--vault", home)

    assert shown.exit_code == 1
    assert PYTEST in shown.output and "Invalid entries" in shown.output
    assert "Bash(ls:*)" in shown.output and "Read(.env)" in shown.output
