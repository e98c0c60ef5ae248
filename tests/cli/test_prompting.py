"""Tests of requests that a person answers in the terminal that watches the run."""

import json
import sys
import uuid

import pytest

from chorus.keep.vault.files import FileVault
from chorus.keep.vault.port import contents
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.approvals.model import Decision, State
from chorus.steer.runs.run_folders import Runs
from chorus.testing.builders import Run, tool_use
from tests.cli.at_a_terminal import at_a_terminal
from tests.cli.people import QUESTION, Person, asking
from tests.steer.approvals.samples import add_approver, allow
from tests.support.running import until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="this system has no pseudo-terminals")

PASSPHRASE = "correct horse battery"
CHOICES = "s skip, answer elsewhere"
COLOURS = {
    "questions": [
        {
            "question": "Which colour?",
            "header": "Colour",
            "multiSelect": False,
            "options": [{"label": "Red", "description": "r"}, {"label": "Blue", "description": "b"}],
        },
        {
            "question": "Which sizes?",
            "header": "Size",
            "multiSelect": True,
            "options": [{"label": "S", "description": ""}, {"label": "M"}, {"label": "L"}],
        },
        {"question": "Which name?", "header": "Name", "multiSelect": False, "options": [{"label": "Ada"}]},
    ]
}


class Desk(Person):
    """A person at a terminal, with access to the permission ledger and the vault of the run."""

    @property
    def ledger(self):
        return Ledger(self.home / "state")

    @property
    def row(self):
        (row,) = self.ledger.rows()
        return row

    def becomes_approver(self):
        typed = [("New passphrase", PASSPHRASE), ("Once more", PASSPHRASE)]
        assert at_a_terminal("approver", "add", "ada", typed=typed, environment=self.environment)[0] == 0

    def watches(self, *typed, options=()):
        arguments = ("run", "-p", "clean up", "--once", "--workspace", self.work, *options)
        return at_a_terminal(*arguments, typed=typed, environment=self.environment)

    def denies_elsewhere(self):
        row = until(self.ledger.pending)[0]
        denied = Decision(behaviour="deny", at="2026-11-15T00:00:00.000Z", surface="page", message="leave it")
        self.ledger.decide(row.id, row.digest, denied, None)

    def told_client(self):
        """Returns the answer that the client got."""
        ((_, run),) = Runs(self.home)
        lines = map(json.loads, contents(FileVault(self.home), run.key("in")).splitlines())
        (answer,) = [line["response"]["response"] for line in lines if line["type"] == "control_response"]
        return answer


@pytest.fixture
def desk(tmp_path):
    made = []

    def sit_down(*what):
        made.append(Desk(tmp_path, asking(*what)))
        return made[0]

    yield sit_down
    for each in made:
        each.end_all()


def test_a_person_approves_where_they_watch(desk):
    """The terminal shows the card, the passphrase unlocks the approver, and the run continues.

    No other command is needed.
    """
    person = desk()
    person.becomes_approver()

    code, seen = person.watches((CHOICES, "a"), ("Passphrase of ada", PASSPHRASE))

    assert code == 0, seen
    assert "rm -rf build" in seen and "may delete" in seen and "approved as ada" in seen and "All clean." in seen
    assert PASSPHRASE not in seen and "can only be denied" not in seen
    assert person.row.state is State.APPROVED and person.row.decision.surface == "terminal"
    assert person.told_client()["behavior"] == "allow"


def test_what_the_agent_said_stands_above_what_it_asks(tmp_path):
    """The text of the agent is above the request, and the terminal does not repeat it with the result of the call."""
    run = Run(str(uuid.uuid4()))
    run.init()
    run.assistant("The build is stale.", tool_use("Bash", QUESTION, id="toolu_1"))
    run.ask("toolu_1", "Bash", QUESTION, request="ask-1")
    run.tool_result("toolu_1", "removed")
    run.assistant("All clean.")
    run.result("All clean.")
    person = Desk(tmp_path, run)

    code, seen = person.watches((CHOICES, "d no"))

    assert code == 0, seen
    assert seen.index("The build is stale.") < seen.index("may delete")
    assert seen.count("The build is stale.") == 1


def test_without_an_approver_it_is_said_at_once_and_can_only_be_denied(desk):
    """`a` is refused as `chorus approve` refuses it, and the terminal asks again until the request is answered."""
    person = desk()

    code, seen = person.watches((CHOICES, "a"), (CHOICES, "d"), ("what to tell the agent", "not the build folder"))

    assert code == 0, seen
    words = " ".join(seen.split())
    assert words.index("can only be denied; `chorus approver add`") < words.index("rm -rf build")
    assert "approving needs an approver" in seen and "denied" in seen
    assert (person.row.state, person.row.decision.message) == (State.DENIED, "not the build folder")
    assert person.told_client()["message"] == "not the build folder"


def test_a_wrong_passphrase_decides_nothing(desk):
    """A wrong passphrase, Ctrl-C at the passphrase or an unknown key decides nothing, and the terminal asks again."""
    person = desk()
    person.becomes_approver()

    code, seen = person.watches(
        (CHOICES, "a"),
        ("Passphrase", "wrong"),
        (CHOICES, "a"),
        ("Passphrase", b"\x03"),
        (CHOICES, "x"),
        (CHOICES, "d no"),
    )

    assert code == 0, seen
    assert "this is not the passphrase" in seen and "nothing was done" in seen
    assert (person.row.state, person.row.decision.message) == (State.DENIED, "no")


@pytest.mark.parametrize(
    "typed",
    [[(CHOICES, "s")], [(CHOICES, b"\x04")], [(CHOICES, "d"), ("what to tell the agent", b"\x04")]],
    ids=["s", "end", "end of a message"],
)
def test_what_is_left_is_answered_elsewhere(desk, typed):
    """After `s` or an end of input, the terminal does not ask again, and the answer comes from elsewhere."""
    person = desk()

    code, seen = person.watches(*typed, ("skipped; answer it with `chorus approve", person.denies_elsewhere))

    assert code == 0, seen
    assert seen.count(CHOICES) == 1
    assert person.told_client()["message"] == "leave it"


def test_what_is_answered_elsewhere_goes_away_here(desk):
    """The first answer counts. The terminal says who gave it and accepts no other answer."""
    person = desk()
    trust = add_approver(person.home / "state", "grace")

    def approves_elsewhere():
        row = until(person.ledger.pending)[0]
        person.ledger.decide(row.id, row.digest, allow(row, "grace"), trust)
        return b"d half a wo"

    code, seen = person.watches((CHOICES, approves_elsewhere))

    assert code == 0, seen
    assert "answered elsewhere: approved by grace, from the page" in seen and "All clean." in seen
    assert person.told_client()["behavior"] == "allow"


def test_a_ledger_that_cannot_be_had_is_said_and_the_question_stands(desk):
    """If the ledger cannot be read, nothing is decided, the run continues and the terminal asks again."""
    person = desk()
    ledger = person.home / "state" / "approvals.jsonl"

    def breaks():
        ledger.rename(ledger.with_suffix(".away"))
        ledger.mkdir()
        return "d too early"

    def mends():
        ledger.rmdir()
        ledger.with_suffix(".away").rename(ledger)
        return "d no"

    code, seen = person.watches((CHOICES, breaks), ("approvals.jsonl:", None), (CHOICES, mends))

    assert code == 0, seen
    assert person.told_client()["message"] == "no"


def test_what_was_typed_before_it_was_asked_is_no_answer(desk):
    """Text that a person typed before the request appeared does not answer it."""
    person = desk()

    code, seen = person.watches(("session ", "d"), (CHOICES, "d asked"))

    assert code == 0, seen
    assert person.told_client()["message"] == "asked"


def test_an_interrupt_takes_the_question_back(desk):
    """Ctrl-C at the request interrupts the turn: nothing is decided, and the terminal asks for the next message."""
    person = desk()

    code, seen = person.watches((CHOICES, b"\x03"), ("interrupted by user", None), ("❯ ", b"\x04"), options=["--stay"])

    assert code == 1, seen
    assert person.row.state is State.WITHDRAWN


def test_who_attaches_is_asked_as_well(desk):
    """A person who attaches to a running run can answer its request."""
    person = desk()
    name = person.json("run", "-p", "clean up", "--detach", "--once")["run"]

    code, seen = at_a_terminal("attach", name, typed=[(CHOICES, "d no")], environment=person.environment)

    assert code == 0, seen
    assert person.told_client()["message"] == "no"


def test_a_choice_is_made_by_its_number(desk):
    """A person chooses by numbers with commas or in own words. The terminal shows the choice before it is signed."""
    person = desk("AskUserQuestion", COLOURS)
    person.becomes_approver()

    code, seen = person.watches(
        ("2  Blue", None), (CHOICES, "1,2"), ("only one", None), (CHOICES, "2"),
        ("4  something else", None), (CHOICES, "1, 3"), ("2  something else", None), (CHOICES, "2"),
        ("your own words ❯", "d"), ("Passphrase of ada", PASSPHRASE),
    )  # fmt: skip

    assert code == 0, seen
    assert seen.index("● ") < seen.index("Passphrase of ada") and "whole input" not in seen
    answer = person.told_client()
    assert answer["updatedInput"] == {
        **COLOURS, "answers": {"Which colour?": "Blue", "Which sizes?": "S, L", "Which name?": "d"},
    }  # fmt: skip


def test_a_question_may_be_denied_instead(desk):
    """A question can be denied with a message, and `a` alone chooses no answer."""
    person = desk("AskUserQuestion", COLOURS)

    code, seen = person.watches((CHOICES, "a"), (CHOICES, "in my own words"), (CHOICES, "d decide yourself"))

    assert code == 0, seen
    assert person.told_client() == {"behavior": "deny", "message": "decide yourself"}
    assert seen.count("Which colour?") == 3, "in the card, and above the choices: `a` alone chooses nothing"


@pytest.mark.parametrize("given", [{"questions": "none"}, {"questions": []}, {"questions": [{"options": []}]}, {}])
def test_a_question_that_cannot_be_read_is_judged_as_it_is(desk, given):
    """A question whose choices cannot be read is handled like any other request."""
    person = desk("AskUserQuestion", given)

    code, seen = person.watches(("a approve", "d no"))

    assert code == 0, seen
    assert person.told_client()["message"] == "no"


def test_a_plan_is_shown_and_taken_or_sent_back(desk):
    """The terminal shows the plan, and a denial sends the person's message to the client."""
    person = desk("ExitPlanMode", {"plan": "1. Look.\n2. Leap."})

    code, seen = person.watches(("a approve", "d look twice"))

    assert code == 0, seen
    assert "2. Leap." in seen
    assert person.told_client()["message"] == "look twice"


@pytest.mark.parametrize("options", [[], ["--mode", "plan"], ["--mode", "dontAsk"], ["--mode", "bypassPermissions"]])
def test_a_run_that_nobody_can_approve_says_so(desk, options):
    """Standard error says once per run that nobody can approve and what to do.

    With an approver, or in a mode without requests, it says nothing.
    """
    person = desk()
    person.types("run", "-p", "x", "--detach", *options)
    done = person.types("run", "-p", "x", "--detach", *options)

    is_asked = options in ([], ["--mode", "plan"])
    assert done.stderr.decode().count("can only be denied; `chorus approver add`") == is_asked
    add_approver(person.home / "state", "grace")
    assert b"can only be denied" not in person.types("run", "-p", "x", "--detach", *options).stderr
