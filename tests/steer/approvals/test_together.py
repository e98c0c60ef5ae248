"""Tests of C5: several processes share one ledger, and some of them are killed."""

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from chorus.steer.approvals.ledger import Ledger
from chorus.steer.approvals.model import State
from chorus.steer.approvals.verdict import Verdict, verdict
from tests.steer.approvals.samples import add_approver, request

FOLDER = Path(__file__).parent
RACERS = 8
PATIENCE_S = 600


@pytest.mark.parametrize("rounds", [60, pytest.param(1_000, marks=pytest.mark.long)])
def test_eight_processes_race_and_each_request_has_one_outcome(rounds, state):
    """The first process wins, all others learn the winner, and the asker acts once, on that answer."""
    trust = add_approver(state, "ada")
    ledger = Ledger(state, trust=trust)
    call = [sys.executable, str(FOLDER / "racing.py"), str(state)]
    said_to = [state.parent / f"racer-{who}" for who in range(RACERS)]
    racing = []
    for who, path in enumerate(said_to):
        with path.open("wb") as said:
            racing.append(subprocess.Popen([*call, str(who), str(rounds)], stdout=said))
    asked = {}
    acted = {}
    for number in range(rounds):
        each = request(id=f"{number:032x}", key=str(number))
        asked[each.id] = each
        ledger.ask(each)
        for row in ledger.wait([each.id], 60):
            acted[each.id] = verdict(each, row, trust)
    told = defaultdict(list)
    for process, path in zip(racing, said_to, strict=True):
        assert process.wait(PATIENCE_S) == 0
        for line in path.read_bytes().splitlines():
            said = json.loads(line)
            told[said["id"]].append(said)

    assert len(told) == len(acted) == rounds
    for request_id, answers in told.items():
        (won,) = [answer for answer in answers if "won" in answer]
        lost = [answer for answer in answers if "won" not in answer]
        assert {(answer["refused"], answer["winner"]) for answer in lost} == {("settled", won["won"])}
        said = acted[request_id]
        assert isinstance(said, Verdict) and (said.message, said.behaviour) == (won["won"], won["behaviour"])
    found = Ledger(state).check()
    assert (found.rows, found.pending, found.flaws, found.unsigned) == (rounds, 0, (), ())
    settled = Ledger(state).rows(limit=rounds, states=[State.APPROVED, State.DENIED])
    assert len(settled) == rounds


@pytest.mark.parametrize("kills", [60, pytest.param(400, marks=pytest.mark.long)])
def test_processes_killed_at_any_moment_lose_nothing(kills, state):
    """C10: every acknowledged step survives, the chain is intact, and no request of a dead process can be approved."""
    call = [sys.executable, str(FOLDER / "killing.py"), str(state), str(kills), "7"]
    done = subprocess.run(call, capture_output=True, text=True, timeout=PATIENCE_S, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    seen = dict(word.split("=") for word in done.stdout.split())
    assert int(seen["rows"]) >= int(seen["acknowledged"]) > kills / 2
