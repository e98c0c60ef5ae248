"""Kills processes that ask and answer requests, at random moments. It runs as a program because it forks.

    killing.py STATE KILLS SEED

Each child asks, decides and withdraws requests without end, and prints each step that the ledger acknowledged. After
each kill, every acknowledged step must be in the ledger, the chain of lines must be intact and no request may have two
outcomes; then the next child continues. At the end the program prints its counts.
"""

import os
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from chorus.steer.approvals import approvers
from chorus.steer.approvals.ledger import GRACE_S, Ledger
from chorus.steer.approvals.model import Row, State
from tests.steer.approvals.samples import Clock, add_approver, allow, deny, request
from tests.support.killing import kill_one


def work(state: Path, said: int, seed: int) -> None:
    """Asks and answers requests without end."""
    chance = random.Random(seed)
    ledger, trust = Ledger(state), approvers.pin(state)
    while True:
        row = ledger.ask(request(key=str(chance.random()), input='{"x":"%s"}' % ("y" * chance.randrange(3_000))))
        os.write(said, f"{row.id} pending\n".encode())
        choice = chance.randrange(4)
        if choice == 0:
            continue
        done = (
            ledger.decide(row.id, row.digest, allow(row), trust)
            if choice == 1
            else ledger.decide(row.id, row.digest, deny(), None)
            if choice == 2
            else ledger.withdraw(row.id, "over")
        )
        assert isinstance(done, Row)
        os.write(said, f"{row.id} {done.state}\n".encode())


def main(state: Path, kills: int, seed: int) -> None:
    chance = random.Random(seed)
    add_approver(state, "ada")
    outcomes: dict[str, str] = {}
    torn = late = 0
    path = state / "approvals.jsonl"
    trust, clock = approvers.pin(state), Clock()
    for number in range(kills):
        for line in kill_one(lambda said, number=number: work(state, said, number), chance, most_lines=5):
            request_id, outcome = line.decode().split()
            outcomes[request_id] = outcome
        torn += path.exists() and not path.read_bytes().endswith(b"\n") and path.stat().st_size > 0
        ledger = Ledger(state, ticks=clock.ticks)
        if number % 10 == 0:
            late += check(ledger, clock, outcomes, trust)
    found = Ledger(state).check()
    assert not found.flaws and not found.unsigned and not found.rejected, found
    print(f"kills={kills} rows={found.rows} acknowledged={len(outcomes)} torn={torn} late={late}")


def check(ledger: Ledger, clock: Clock, outcomes: dict[str, str], trust) -> int:
    """Checks every acknowledged step and that pending requests cannot be approved; returns the number of those."""
    late = 0
    for request_id, outcome in outcomes.items():
        row = ledger.row(request_id)
        assert row is not None, f"{request_id} was acknowledged and is gone"
        assert outcome == "pending" or row.state == outcome, f"{request_id} was {outcome} and is {row.state}"
        if row.state is State.PENDING:
            late += 1
            found = ledger.decide(row.id, row.digest, allow(row), trust)
            assert not isinstance(found, Row) and found.kind == "gone"
            outcomes[request_id] = State.INVALID
    ledger.invalidate_gone()
    clock.go(GRACE_S)
    ledger.invalidate_gone()
    return late


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
