"""Requests, approvers and decisions for tests; keys are made without the slow part of a passphrase."""

import functools
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
from msgspec import structs

from chorus.core.records.times import wire_time
from chorus.steer.approvals import approvers
from chorus.steer.approvals.approvers import ApproversFile
from chorus.steer.approvals.asking_process import this_process
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.approvals.model import Decision, Request, Row
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
    """A clock that goes where it is told to, wall time and ticks apart."""

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
        "cwd": "/work/project",
        "created_at": wire_time(NOON),
        "asker": this_process(),
        "suggestions": [RULE, MODE],
        "tool_use": "toolu_1",
    }
    return Request(**(given | changes))


@functools.cache
def key(name: str) -> Signer:
    """The key of a person of that name."""
    return Signer(f"the passphrase of {name}", name.encode().ljust(32, b"-"))


def salt(name: str) -> str:
    return packed(name.encode().ljust(32, b"-"))


def joining(name: str, by: str | None, head: str) -> Change:
    """The entry that makes `name` an approver, signed by another."""
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
    """Make an approver; gives what an asker that starts now would trust."""
    ApproversFile(state).append(lambda _found, head: joining(name, by, head))
    return approvers.pin(state)


def deny(message: str = "no", **changes) -> Decision:
    return Decision(behaviour="deny", at=wire_time(NOON), surface="terminal", message=message, **changes)


def allow(row: Row, name: str = "ada", **changes) -> Decision:
    """What the approver of that name says, signed."""
    draft = Decision(behaviour="allow", at=wire_time(NOON), surface="page", approver=key(name).id, **changes)
    return signed(draft, row, name)


def signed(decision: Decision, row: Row, name: str = "ada") -> Decision:
    return structs.replace(decision, signature=key(name).sign(signed_bytes(row.id, row.digest, decision)))


def lines(ledger_folder: Path) -> list[dict]:
    return [msgspec.json.decode(line) for line in (ledger_folder / "approvals.jsonl").read_bytes().splitlines()]


def ledger_in(folder: Path, clock: Clock | None = None, trust: Trust | None = None) -> Ledger:
    """A ledger in the `state/` of a vault."""
    clock = clock or Clock()
    return Ledger(folder, clock, trust=trust, ticks=clock.ticks)
