"""Requests, approvers and decisions for tests. Keys are made without the slow part of a passphrase."""

import functools
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import structs

from chorus.core.budgets.budget_text import read_budget
from chorus.core.records.times import wire_time
from chorus.core.rules.rule import rule_id
from chorus.steer.approvals import approvers
from chorus.steer.approvals.approvers import ApproversFile
from chorus.steer.approvals.asking_process import this_process
from chorus.steer.approvals.budgets.budgets_file import BudgetsFile
from chorus.steer.approvals.budgets.signed_budgets import BudgetChange
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.approvals.model import Decision, Request, Row
from chorus.steer.approvals.rules.rules_file import RulesFile
from chorus.steer.approvals.rules.signed_rules import RuleChange
from chorus.steer.approvals.signed_text import text_entry_bytes
from chorus.steer.approvals.signing import Signer, packed, signed_bytes
from chorus.steer.approvals.trust import Change, Trust, entry_bytes

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
TOUCH = '{"command": "touch a.txt"}'
RULE = (
    '{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"touch a.txt"}],'
    '"behavior":"allow","destination":"localSettings"}'
)
MODE = '{"type":"setMode","mode":"acceptEdits","destination":"session"}'


class Clock:
    """A clock that tests set by hand; wall time and monotonic ticks are separate."""

    def __init__(self) -> None:
        self.now = NOON
        self.ticks_s = 1_000.0

    def __call__(self) -> datetime:
        return self.now

    def ticks(self) -> float:
        return self.ticks_s

    def go(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)
        self.ticks_s += seconds


def request(**changes) -> Request:
    given: dict[str, Any] = {
        "id": uuid.uuid4().hex,
        "source": "control",
        "key": "run-1/request-1",
        "session": "11111111-1111-4111-8111-111111111111",
        "tool": "Bash",
        "input": TOUCH,
        "cwd": "/srv/project",
        "created_at": wire_time(NOON),
        "asker": this_process(),
        "suggestions": [RULE, MODE],
        "tool_use": "toolu_1",
    }
    return Request(**(given | changes))


@functools.cache
def key(name: str) -> Signer:
    """Returns the key of the person with this name."""
    return Signer(f"the passphrase of {name}", name.encode().ljust(32, b"-"))


def salt(name: str) -> str:
    return packed(name.encode().ljust(32, b"-"))


def joining(name: str, by: str | None, head: str) -> Change:
    """Returns the entry that makes `name` an approver, signed by another approver."""
    signer = key(name)
    change = Change(
        action="add",
        id=signer.id,
        at=wire_time(NOON),
        name=name,
        kind="passphrase",
        public_key=signer.public_key,
        salt=salt(name),
        by=key(by).id if by else None,
    )
    return signed_entry(change, by, head)


def leaving(name: str, by: str, head: str) -> Change:
    change = Change(action="remove", id=key(name).id, at=wire_time(NOON), by=key(by).id)
    return signed_entry(change, by, head)


def signed_entry(change: Change, by: str | None, head: str) -> Change:
    return structs.replace(change, signature=key(by).sign(entry_bytes(change, head))) if by else change


def add_approver(state: Path, name: str, by: str | None = None) -> Trust:
    """Adds an approver and returns the trust of an asker that starts now."""
    ApproversFile(state).append(lambda _found, head: joining(name, by, head))
    return approvers.pin(state)


def rule_change(text: str, by: str, head: str, action: Literal["add", "remove"] = "add") -> RuleChange:
    """Returns the entry that adds a rule, or removes the one with this text, signed by an approver."""
    given = text if action == "add" else ""
    change = RuleChange(action=action, id=rule_id(text), at=wire_time(NOON), text=given, by=key(by).id)
    return structs.replace(change, signature=key(by).sign(text_entry_bytes(change, head)))


def add_rule(state: Path, text: str, by: str = "ada", action: Literal["add", "remove"] = "add") -> str:
    """Adds a rule as its approver does, or removes it, and returns its id."""
    found = approvers.load(state)
    RulesFile(state).append(found, lambda head: rule_change(text, by, head, action))
    return rule_id(text)


def budget_change(text: str, by: str, head: str, action: Literal["set", "remove"] = "set") -> BudgetChange:
    """Returns the entry that sets a budget, or removes the one for the same things, signed by an approver."""
    budget = read_budget(text)
    given = budget.text if action == "set" else ""
    change = BudgetChange(action=action, id=budget.id, at=wire_time(NOON), text=given, by=key(by).id)
    return structs.replace(change, signature=key(by).sign(text_entry_bytes(change, head)))


def set_budget(state: Path, text: str, by: str = "ada", action: Literal["set", "remove"] = "set") -> None:
    """Sets a budget as its approver does, or removes it."""
    found = approvers.load(state)
    BudgetsFile(state).append(found, lambda head: budget_change(text, by, head, action))


def deny(message: str = "no", **changes) -> Decision:
    return Decision(behaviour="deny", at=wire_time(NOON), surface="terminal", message=message, **changes)


def allow(row: Row, name: str = "ada", **changes) -> Decision:
    """Returns an approval that is signed by the approver with this name."""
    draft = Decision(behaviour="allow", at=wire_time(NOON), surface="page", approver=key(name).id, **changes)
    return signed(draft, row, name)


def signed(decision: Decision, row: Row, name: str = "ada") -> Decision:
    return structs.replace(decision, signature=key(name).sign(signed_bytes(row.id, row.digest, decision)))


def lines(ledger_folder: Path) -> list[dict]:
    return [msgspec.json.decode(line) for line in (ledger_folder / "approvals.jsonl").read_bytes().splitlines()]


def ledger_in(folder: Path, clock: Clock | None = None, trust: Trust | None = None) -> Ledger:
    """Returns a ledger in the `state/` of a vault."""
    clock = clock or Clock()
    return Ledger(folder, clock, trust=trust, ticks=clock.ticks)
