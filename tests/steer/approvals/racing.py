"""One of several processes that answer the same requests: `racing.py STATE WHO ROUNDS`.

It waits until each request exists, answers it at a random moment, sometimes twice, and prints each reply of the ledger.
"""

import json
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from chorus.steer.approvals import approvers
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.approvals.lifecycle import Refused
from tests.steer.approvals.samples import allow, deny

PATIENCE_S = 120


def main(state: Path, who: int, rounds: int) -> None:
    chance = random.Random(who)
    ledger, trust = Ledger(state), approvers.pin(state)
    until = time.monotonic() + PATIENCE_S
    for number in range(rounds):
        request_id = f"{number:032x}"
        while (row := ledger.row(request_id)) is None:
            if time.monotonic() > until:
                raise SystemExit(f"request {number} never came")
            time.sleep(0.001)
        if chance.random() < 0.3:
            time.sleep(chance.random() * 0.002)
        for _ in range(1 + (chance.random() < 0.2)):
            message = f"{who}-{chance.random()}"
            decision = allow(row, message=message) if chance.random() < 0.5 else deny(message)
            found = ledger.decide(request_id, row.digest, decision, trust)
            told = (
                {
                    "refused": found.kind,
                    "winner": found.row.decision.message if found.row and found.row.decision else None,
                }
                if isinstance(found, Refused)
                else {"won": message, "behaviour": decision.behaviour}
            )
            print(json.dumps({"id": request_id, **told}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
