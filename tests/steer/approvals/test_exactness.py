"""Tests of C3: an approval is valid for exactly the bytes that the person saw, and for no others."""

import random

import msgspec
from msgspec import structs

from chorus.steer.approvals.lifecycle import Refused
from chorus.steer.approvals.model import Row, State
from chorus.steer.approvals.verdict import Verdict, verdict
from tests.steer.approvals.samples import add_approver, allow, ledger_in, request

LETTERS = 'abc /-"\\\n\t;|&$é\u200b\u202e\U0001f600'
APPROVALS = 1_000
MUTATIONS = 10_000
TEXTS = ("at", "message", "input", "approver", "signature")
"""All that an approver signs, and the signature; where it was made is what the server says, not who signed."""


def test_what_was_approved_runs_byte_for_byte(state):
    """For a thousand inputs of any shape, the asker is allowed to run exactly the text of its request."""
    trust = add_approver(state, "ada")
    ledger = ledger_in(state, trust=trust)
    chance = random.Random(3)
    for number in range(APPROVALS):
        given = {
            "command": "".join(chance.choices(LETTERS, k=chance.randrange(1, 200))),
            "description": "\u202e\x1b[31m" * chance.randrange(3),
        }
        asked = request(input=msgspec.json.encode(given).decode(), key=f"run/{number}")
        row = ledger.ask(asked)
        done = ledger.decide(row.id, row.digest, allow(row), trust)
        assert isinstance(done, Row) and done.state is State.APPROVED
        said = verdict(asked, done, trust)
        assert isinstance(said, Verdict) and said.behaviour == "allow" and said.input is None
        assert done.request.input == asked.input


def test_an_answer_of_which_a_byte_was_changed_is_none(state):
    """A decision with one changed byte is refused, and the request still waits."""
    trust = add_approver(state, "ada")
    ledger = ledger_in(state, trust=trust)
    row = ledger.ask(request())
    signed = allow(row, message="go on", input='{"command": "ls -la"}', suggestions=[0])
    chance = random.Random(4)
    statuses = set()
    for _ in range(MUTATIONS):
        digest, decision = row.digest, signed
        match chance.randrange(4):
            case 0:
                digest = mutated(row.digest, chance)
            case 1:
                decision = structs.replace(signed, suggestions=chance.choice([[], [1], [0, 1], [1, 0], [2], [-1]]))
            case _:
                name = chance.choice(TEXTS)
                decision = structs.replace(signed, **{name: mutated(getattr(signed, name), chance)})
        found = ledger.decide(row.id, digest, decision, trust)
        assert isinstance(found, Refused), (digest, decision)
        statuses.add(found.status)
    assert 409 in statuses

    assert ledger.pending() == [row]
    done = ledger.decide(row.id, row.digest, signed, trust)
    assert isinstance(done, Row) and done.state is State.APPROVED


def test_a_request_of_which_a_byte_was_changed_is_not_answered(state):
    """The asker compares the row with its own request, and a row with other bytes allows nothing."""
    trust = add_approver(state, "ada")
    ledger = ledger_in(state, trust=trust)
    asked = request()
    row = ledger.ask(asked)
    done = ledger.decide(row.id, row.digest, allow(row), trust)
    assert isinstance(done, Row)
    chance = random.Random(5)
    for _ in range(MUTATIONS // 10):
        name = chance.choice(("input", "tool", "cwd", "session", "tool_use"))
        other = structs.replace(asked, **{name: mutated(getattr(asked, name), chance)})
        said = verdict(other, done, trust)
        assert not isinstance(said, Verdict) or said.behaviour != "allow"


def mutated(text: str, chance: random.Random) -> str:
    """Returns the text with one character changed, removed or inserted."""
    at = chance.randrange(len(text))
    other = chance.choice([each for each in '0aZ "\\\n\u200b' if each != text[at]])
    return chance.choice(
        [text[:at] + other + text[at + 1 :], text[:at] + text[at + 1 :], text[:at] + other + text[at:]]
    )
