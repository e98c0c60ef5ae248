"""The permission ledger: the time of a decision, the delay until another process sees it, opening a year's ledger."""

import json
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

from msgspec import structs

from bench.measure import Figure, in_turns
from chorus.core.records.times import wire_time
from chorus.core.rules.rule import rule_id
from chorus.core.rules.rule_text import read_rule
from chorus.keep.vault import journal_line, proof
from chorus.keep.vault.journal_line import START
from chorus.steer.approvals import approvers, events
from chorus.steer.approvals.approvers import ApproversFile
from chorus.steer.approvals.asking_process import this_process
from chorus.steer.approvals.ledger import Ledger, utc_now
from chorus.steer.approvals.lifecycle import asked
from chorus.steer.approvals.model import Decision, Request, Row
from chorus.steer.approvals.rules.rule_book import RuleBook
from chorus.steer.approvals.rules.rules_file import RulesFile
from chorus.steer.approvals.rules.signed_rules import RuleChange
from chorus.steer.approvals.signed_text import text_entry_bytes
from chorus.steer.approvals.signing import Signer, packed, signed_bytes
from chorus.steer.approvals.trust import Change
from chorus.steer.approvals.verdict import Verdict, verdict

_ROUNDS, _YEAR, _SINCE = 200, 100_000, 400
_MAX_OPENING_MS = 50
_MAX_RULED_MS = 20
_SALT = b"s" * 32
_SIGNER = Signer("a passphrase of the bench", _SALT)
ANSWERING = """
import sys, time
from pathlib import Path
from bench.approving import decision_of
from chorus.steer.approvals import approvers
from chorus.steer.approvals.ledger import Ledger
state = Path(sys.argv[1])
ledger, trust = Ledger(state), approvers.pin(state)
for line in sys.stdin:
    row = ledger.row(line.strip())
    decision = decision_of(row)
    start = time.monotonic()
    ledger.decide(row.id, row.digest, decision, trust)
    print(start, time.monotonic(), flush=True)
"""


def approving() -> list[Figure]:
    """Returns latencies on this machine's disk; a ledger of 100,000 requests is opened completely and by checkpoint."""
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-") as folder:
        deciding, seeing = _latencies(Path(folder) / "vault" / "state")
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-") as folder:
        state = Path(folder) / "vault" / "state"
        size = _write_a_year(state)
        start = time.process_time()
        ledger = Ledger(state)
        waiting = len(ledger.pending())
        opening = time.process_time() - start
        for _ in range(_SINCE):
            ledger.ask(_request())
        reopening = in_turns({"again": lambda: Ledger(state).pending()}, 5)["again"]
        start = time.process_time()
        ledger.rows(limit=100)
        listing = time.process_time() - start
    ruled = _by_rules()
    return [
        Figure(
            "asked and answered by one of 100 rules; p99 ms",
            ruled * 1000,
            f"≤ {_MAX_RULED_MS}",
            ruled * 1000 <= _MAX_RULED_MS,
            f"{_ROUNDS} requests: judged, written, durable, checked",
        ),
        Figure("decided: checked, written, durable; p50 ms", *_quantile(deciding, 0.5)),
        Figure("decided to seen by who asked; p50 ms", *_quantile(seeing, 0.5)),
        Figure("decided to seen by who asked; p99 ms", *_quantile(seeing, 0.99)),
        Figure("all requests read, s", opening, "", None, f"{_YEAR:,} rows, {size / 1e6:.0f} MB, {waiting} wait"),
        Figure(
            "opened from its checkpoint, ms",
            reopening * 1000,
            f"≤ {_MAX_OPENING_MS}",
            reopening * 1000 <= _MAX_OPENING_MS,
            f"{_SINCE} lines after it; {opening / reopening:.0f} times faster than reading all",
        ),
        Figure("its last hundred listed, ms", listing * 1000, "", None, "signatures looked at, the library loaded"),
    ]


def _by_rules() -> float:
    """Returns the time in seconds, of 99 of 100 requests, from asking to the verdict by a rule."""
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-") as folder:
        state = Path(folder) / "vault" / "state"
        ApproversFile(state).append(lambda _found, _head: _approver())
        file, known = RulesFile(state), approvers.load(state)
        for number in range(99):
            file.append(known, lambda head, number=number: _rule(f'deny command:"tool{number} *"', head))
        file.append(known, lambda head: _rule('allow command:"echo *" path:inside', head))
        trust = approvers.pin(state)
        book, ledger = RuleBook(state, trust), Ledger(state, trust=trust)
        times: list[float] = []
        for _ in range(_ROUNDS):
            request = _request()
            start = time.monotonic()
            row = ledger.ask(request, book.decide)
            assert isinstance(verdict(request, row, trust), Verdict)
            times.append(time.monotonic() - start)
    return sorted(times)[int(len(times) * 0.99)]


def _rule(text: str, head: str) -> RuleChange:
    text = read_rule(text).text
    change = RuleChange(action="add", id=rule_id(text), at=wire_time(utc_now()), text=text, by=_SIGNER.id)
    return structs.replace(change, signature=_SIGNER.sign(text_entry_bytes(change, head)))


def decision_of(row: Row) -> Decision:
    draft = Decision(behaviour="allow", at=wire_time(utc_now()), surface="terminal", approver=_SIGNER.id)
    return Decision(
        behaviour="allow",
        at=draft.at,
        surface="terminal",
        approver=_SIGNER.id,
        signature=_SIGNER.sign(signed_bytes(row.id, row.digest, draft)),
    )


def _quantile(times: list[float], share: float) -> tuple[float, str, None, str]:
    found = sorted(times)[min(len(times) - 1, int(len(times) * share))] * 1000
    return found, "", None, f"{len(times)} answers of another process"


def _latencies(state: Path) -> tuple[list[float], list[float]]:
    ApproversFile(state).append(lambda _found, _head: _approver())
    trust = approvers.pin(state)
    ledger = Ledger(state, trust=trust)
    deciding: list[float] = []
    seeing: list[float] = []
    call = [sys.executable, "-c", ANSWERING, str(state)]
    with subprocess.Popen(call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as answering:
        assert answering.stdin
        assert answering.stdout
        for _ in range(_ROUNDS):
            row = ledger.ask(_request())
            answering.stdin.write(f"{row.id}\n")
            answering.stdin.flush()
            assert ledger.wait([row.id], 30)
            seen = time.monotonic()
            start, end = map(float, answering.stdout.readline().split())
            deciding.append(end - start)
            seeing.append(max(0.0, seen - start))
        answering.stdin.close()
    return deciding, seeing


def _approver() -> Change:
    return Change(
        action="add",
        id=_SIGNER.id,
        at=wire_time(utc_now()),
        name="bench",
        kind="passphrase",
        public_key=_SIGNER.public_key,
        salt=packed(_SALT),
    )


def _request() -> Request:
    return Request(
        id=uuid.uuid4().hex,
        source="control",
        key=uuid.uuid4().hex,
        session=str(uuid.uuid4()),
        tool="Bash",
        input=json.dumps({"command": "echo " + "word " * 80, "description": "say words"}),
        cwd="/srv/project",
        created_at=wire_time(utc_now()),
        asker=this_process(),
        root="/srv/project",
    )


def _write_a_year(state: Path) -> int:
    """Writes the ledger of a year without its 200,000 calls of fsync."""
    import hashlib

    ApproversFile(state).append(lambda _found, _head: _approver())
    prev, number, lines = START, 0, []
    for _ in range(_YEAR):
        row = asked(_request())
        at = row.request.created_at
        for event in (
            events.Asked(at=at, request=row.request, digest=row.digest),
            events.Decided(at=at, id=row.id, digest=row.digest, decision=decision_of(row)),
        ):
            number += 1
            line = journal_line.encode(number, prev, events.encode(event))
            prev = hashlib.sha256(line).hexdigest()
            lines.append(line)
    (state / "approvals.jsonl").write_bytes(b"\n".join([*lines, b""]))
    proof.prove(state / "approvals.jsonl")
    return sum(map(len, lines))
