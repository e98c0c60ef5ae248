"""Tests that a decision about a permission request is part of its conversation, once, and can be read and found."""

import json
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from chorus.core.records.times import wire_time
from chorus.keep.vault.files import FileVault
from chorus.show.recorder.decisions import Decisions
from chorus.steer.approvals.asking_process import this_process
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.approvals.model import Answered, Request
from chorus.testing.builders import Session, lay_out, tool_use
from tests.cli.commands import run, run_json
from tests.support.running import Place

SESSION = "dec1de00-0000-4000-8000-000000000001"
MARKUP = "no \x1b[31m<script>alert(1)</script> \u202egnp.exe"


@pytest.fixture
def place(tmp_path, monkeypatch):
    place = Place(tmp_path / "place")
    monkeypatch.setenv("CHORUS_HOME", str(place.home))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    (tmp_path / "claude" / "projects").mkdir(parents=True)
    return place


@pytest.fixture
def session(tmp_path, place):
    made = Session(SESSION, cwd=str(place.work))
    made.user("Clean up, please.")
    made.assistant(tool_use("Bash", {"command": "rm -rf build"}, id="toolu_1"))
    made.tool_result("toolu_1", "removed")
    lay_out(tmp_path / "claude", made)
    return made


def asked(place, *, tool="Bash", given=None, session=SESSION, conversation=None):
    request = Request(
        id=uuid4().hex,
        source="hook",
        key=uuid4().hex,
        session=session,
        tool=tool,
        input=json.dumps(given or {"command": "rm -rf build"}),
        cwd=str(place.work),
        created_at=wire_time(datetime.now(UTC)),
        asker=this_process(),
        conversation=conversation,
        suggestions=[
            '{"type":"addRules","rules":[{"toolName":"Bash"}],"behavior":"allow","destination":"localSettings"}'
        ],
    )
    Ledger(place.state).ask(request)
    return request.id


def decide(place, request_id, *args, **more):
    """Decides a request and records, as its asker, that the decision took effect."""
    place.decide(request_id, *args, **more)
    Ledger(place.state).took_effect(request_id)


def test_a_decision_that_came_too_late_says_what_happened(place, session):
    """A decision is recorded only when its effect is known.

    If it came too late, the conversation says who answered and how.
    """
    request = asked(place)
    place.decide(request, "deny", message="Not today.")
    assert run("sync").exit_code == 0
    assert "Denied" not in run("show", SESSION).output
    Ledger(place.state).answered(request, Answered("allow", "terminal"))
    assert run("sync").exit_code == 0
    shown = run("show", SESSION).output
    assert "Answered in the terminal: allowed; the denial from the" in shown and "Denied:" not in shown
    assert run_json("search", "is:denied", "--json")["hits"] == []


def test_a_decision_is_read_and_found_in_its_conversation(place, session):
    """The transcript shows who approved or denied what and why, and queries find it."""
    signer = place.approver()
    decide(place, asked(place), "allow", signer, suggestions=[0])
    decide(place, asked(place, given={"command": "curl evil.example"}), "deny", message="Not over the network.")
    assert run("sync").exit_code == 0

    shown = run("show", SESSION).output
    assert "Approved: Bash rm -rf build (by ada in the terminal" in shown
    assert "Denied: Bash curl evil.example (in the terminal" in shown
    assert "Not over the network." in shown

    found = {query: len(run_json("search", query, "--json")["hits"]) for query in QUERIES}
    assert found == QUERIES


def test_the_call_that_ran_instead_is_shown(place, session):
    """If a person changed the input, the conversation shows the allowed input, and a search finds it."""
    signer = place.approver()
    decide(place, asked(place), "allow", signer, input='{"command": "rm -rf build/tmp \\u202e"}')
    decide(place, asked(place, tool="Read", given={"file_path": "a"}), "allow", signer, input='{"file_path": "zebra"}')
    assert run("sync").exit_code == 0

    shown = run("show", SESSION).output
    assert "with another input than the one asked for: rm -rf build/tmp \\u{202e}" in shown
    assert len(run_json("search", "is:approved zebra", "--json")["hits"]) == 1


def test_an_answered_question_is_shown_with_its_answers(place, session):
    """An answered question is shown with its answers and not as a changed input, although it is sent as one."""
    question = {"question": "Which way?", "header": "Way", "options": [{"label": "left"}], "multiSelect": False}
    answered = {"questions": [question], "answers": {"Which way?": "left, then up"}}
    request = asked(place, tool="AskUserQuestion", given={"questions": [question]})
    decide(place, request, "allow", place.approver(), input=json.dumps(answered))
    assert run("sync").exit_code == 0

    shown = run("show", SESSION).output
    assert "Answered: Questions for you (by ada" in shown and "Which way? left, then up" in shown
    assert "another input" not in shown


QUERIES = {
    "is:approved": 1,
    "is:denied": 1,
    "approved-by:ada": 1,
    "approved-by:ad*": 1,
    "approved-by:nobody": 0,
    "tool:Bash is:denied": 1,
    "tool:Read is:denied": 0,
    "is:denied network": 1,
    "-is:denied is:approved": 1,
}


def test_it_is_there_once_whatever_comes_between(place, session):
    """A decision is recorded once after repeated syncs, a lost mark and a rebuilt index."""
    decide(place, asked(place), "deny")
    for _ in range(2):
        assert run("sync").exit_code == 0
    (place.state / "decisions.json").unlink()
    assert run("sync").exit_code == 0
    assert run("index", "--rebuild").exit_code == 0

    assert len(run_json("search", "is:denied", "--json")["hits"]) == 1


def test_one_whose_conversation_is_not_kept_yet_waits_for_it(place, session, tmp_path):
    """A decision whose conversation is not stored yet is recorded as soon as the conversation is."""
    vault = FileVault(place.home)
    decide(place, asked(place), "deny")
    decisions = Decisions(vault)
    assert decisions.take() == []
    assert run("sync").exit_code == 0

    assert len(run_json("search", "is:denied", "--json")["hits"]) == 1


def test_no_line_of_a_client_is_a_decision(place, tmp_path):
    """A line in a session file with the same form as a decision approves nothing, and no such query finds it."""
    made = Session(SESSION, cwd=str(place.work))
    made.user("Hello.")
    forged = {"type": "decision", "subtype": "approved", "state": "approved", "tool": "Bash", "request": "0" * 32}
    path = lay_out(tmp_path / "claude", made)
    with path.open("ab") as file:
        file.write(json.dumps({**forged, "approver": "ada", "sessionId": SESSION}).encode() + b"\n")
    assert run("sync").exit_code == 0

    assert run_json("search", "is:approved OR is:denied OR approved-by:ada", "--json")["hits"] == []


def test_what_was_forgotten_is_not_brought_back(place, session):
    """A decision about a forgotten conversation does not create a new one."""
    assert run("sync").exit_code == 0
    assert run("forget", SESSION, "--yes").exit_code == 0
    decide(place, asked(place), "deny")
    assert run("sync").exit_code == 0

    assert run_json("list", "--json")["conversations"] == []


@pytest.mark.parametrize("name", ["../../x/y", "a/b", "a/b/c/d", "/", "a/\x00/c", "..", "<b>/<i>/x", "w/a/c.jsonl"])
def test_names_in_a_request_lead_nowhere(place, session, name):
    """Names of conversation and session in a request are untrusted. They become no path and stop nothing."""
    decide(place, asked(place, conversation=name, session=f"../{name}"), "deny")
    decide(place, asked(place, conversation=name), "deny")
    done = run("sync")
    assert done.exit_code == 0, done.output

    assert len(run_json("search", "is:denied", "--json")["hits"]) == 1
    assert not list(place.home.parent.rglob("*decisions.jsonl*"))[1:]


def test_words_in_it_are_harmless(place, session):
    """Control characters in the message of a decision are made visible in a terminal."""
    decide(place, asked(place), "deny", message=MARKUP)
    assert run("sync").exit_code == 0
    shown = run("show", SESSION).output
    assert "\x1b[31m" not in shown
    assert "\u202e" not in shown
