"""Tests the hook socket with the real hook program: a hook gets the decision of a person and nothing else."""

import json
import os
import socket
import stat
import subprocess
import sys
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs

from chorus.core.records.times import wire_time
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.port import contents
from chorus.steer.approvals.lifecycle import Refused
from chorus.steer.approvals.model import Asker, Row, State
from chorus.steer.hooks.home import Home, read_key
from chorus.testing.builders import Session, tool_use
from tests.cli.commands import run, run_json
from tests.show.server.serving import serving, until
from tests.steer.approvals.samples import add_rule
from tests.steer.clients.entries import entry, put
from tests.steer.hooks.calling import RULE, SESSION, Hooks, decision, ended, payload
from tests.steer.hooks.deciding import Person

linux = pytest.mark.skipif(sys.platform != "linux", reason="only /proc says when a process started")


@pytest.fixture
def person(places):
    return Person(places[0])


@pytest.fixture
def hooks(places):
    hooks = Hooks(places[0], places[1] / "settings.json")
    yield hooks
    hooks.close()


def test_a_question_is_asked_and_an_approval_is_returned(places, person, hooks):
    """The ledger row has the client's request byte for byte, and a signed approval lets the client continue."""
    with serving(*places):
        waiting = hooks.start(payload())
        row = person.asked()
        request = row.request
        assert (request.source, request.session, request.tool, request.cwd) == (
            "hook",
            SESSION,
            "Bash",
            "/home/dev/harbour",
        )
        assert request.input == '{"command":  "touch a.txt", "description": "é"}'
        assert request.suggestions == [RULE]
        assert request.deadline_at is not None and request.tool_use is None
        assert isinstance(person.allow(row), Row)
        assert decision(ended(waiting)) == {"behavior": "allow"}


def test_an_edited_input_and_one_suggestion_go_along(places, person, hooks):
    """The client gets exactly the signed input and exactly the suggestion that the person chose."""
    with serving(*places):
        waiting = hooks.start(payload())
        edited = '{"command":   "touch b.txt"}'
        assert isinstance(person.allow(person.asked(), input=edited, suggestions=[0]), Row)
        out = ended(waiting)
        assert f'"updatedInput":{edited}'.encode() in out and f'"updatedPermissions":[{RULE}]'.encode() in out


def test_a_rule_answers_a_hook_at_once(places, person, hooks):
    """A rule that an approver signed answers the hook, and after its removal the next request waits for a person."""
    add_rule(person.state, 'allow command:"touch *"')
    with serving(*places):
        assert decision(ended(hooks.start(payload()))) == {"behavior": "allow"}
        assert person.ledger.pending() == []
        (row,) = person.ledger.rows()
        assert row.decision is not None and row.decision.rule_names.startswith("rule ")
        add_rule(person.state, 'allow command:"touch *"', action="remove")
        waiting = hooks.start(payload())
        person.deny(person.asked())
        assert decision(ended(waiting)) == {"behavior": "deny", "message": "not today"}


def test_a_denial_is_returned_with_its_message(places, person, hooks):
    """Every person may deny a request, and the agent gets the message of the denial."""
    with serving(*places):
        waiting = hooks.start(payload())
        person.deny(person.asked(), 'use the other "file"\n')
        assert decision(ended(waiting)) == {"behavior": "deny", "message": 'use the other "file"\n'}


def test_nobody_becomes_an_approver_under_a_running_server(places, hooks):
    """An approver who was added after the server started, and whom nobody vouches for, decides nothing."""
    person = Person(places[0], is_approver=False)
    with serving(*places) as server:
        person.become_approver()
        waiting = hooks.start(payload())
        assert isinstance(person.allow(person.asked()), Row)
        assert ended(waiting) == b""
        browser = server.browser()
        assert "start `chorus serve` again" in until(lambda: browser.get("/api/status").json["trouble"])


def test_in_a_strict_folder_what_may_not_be_acted_on_is_a_no(places, hooks):
    """In a strict folder, the hook denies with a message if the approval is not valid or the request is unreadable."""
    person = Person(places[0], is_approver=False)
    with serving(*places):
        hooks.home.strict.write_text('["/home/dev"]')
        person.become_approver()
        waiting = hooks.start(payload())
        assert isinstance(person.allow(person.asked()), Row)
        assert decision(ended(waiting))["behavior"] == "deny"
        odd = payload().replace(b'"tool_input"', b'"tool_imput"')
        assert decision(hooks.call(odd))["behavior"] == "deny"


def test_a_forged_row_allows_nothing(places, person, hooks):
    """A decision that was written into the ledger's file by hand does not reach the client."""
    with serving(*places):
        waiting = hooks.start(payload())
        row = person.asked()
        forged = {
            "type": "decided",
            "at": row.request.created_at,
            "id": row.id,
            "digest": row.digest,
            "decision": {"behavior": "allow", "at": row.request.created_at, "surface": "page"},
        }
        with (places[0] / "state" / "approvals.jsonl").open("ab") as file:
            file.write(json.dumps(forged).encode() + b"\n")
        person.deny(row)
        assert b'"allow"' not in ended(waiting)


def test_the_client_that_leaves_takes_its_question_along(places, person, hooks):
    """If the hook is killed, its request is withdrawn, and a late approval is refused."""
    with serving(*places):
        waiting = hooks.start(payload())
        row = person.asked()
        waiting.kill()
        assert person.settled(row).state is State.WITHDRAWN
        late = person.allow(row)
        assert isinstance(late, Refused) and late.kind == "gone"


def says(server, **words):
    """Writes a registry entry as the client does, and waits until the server has read it."""
    browser = server.browser()
    with browser.live() as live:
        path = put(server.folder, entry(session=SESSION, **words))
        live.until(lambda frame: [each["status"] for each in frame.get("sessions", [])] == [words["status"]])
    return path


@linux
def test_a_client_that_goes_on_was_answered_elsewhere(places, person, hooks):
    """If a client waited and works again, its request was answered elsewhere, and the hook ends without output.

    The ledger says whether the answer was an approval as soon as the session file shows it.
    """
    with serving(*places) as server:
        waiting = hooks.start(payload())
        row = person.asked()
        says(server, status="waiting", waitingFor="permission prompt")
        says(server, status="busy")
        assert ended(waiting) == b""
        found = person.settled(row)
        assert (found.state, found.note) == (State.ANSWERED, "answered elsewhere")
        server.write(answered_session(permissionDecision={"decision": "accept", "source": "user_temporary"}))
        assert until(lambda: (told := person.ledger.row(row.id)) and not told.is_open and told).note == IN_TERMINAL


@linux
def test_a_session_that_ends_takes_its_questions_along(places, person, hooks):
    """C7: when the session ends, its request ends too, because no client can use the answer."""
    with serving(*places) as server:
        waiting = hooks.start(payload())
        row = person.asked()
        says(server, status="busy").unlink()
        assert ended(waiting) == b""
        assert person.settled(row).note == "the session has ended"


@linux
def test_a_sub_agent_of_a_terminal_is_not_waited_for_as_long(places, person, hooks, monkeypatch):
    """A sub-agent's request expires soon and allows nothing, because its prompt appears only after the hook ends.

    A request of the main agent continues to wait, because its prompt appears at once.
    """
    monkeypatch.setattr("chorus.show.server.hooks.questions.BEHIND_S", 1)
    with serving(*places) as server:
        says(server, status="busy", entrypoint="cli")
        behind = hooks.start(payload("touch b.txt", agent_id="a1"))
        row = person.asked()
        assert ended(behind) == b""
        assert person.settled(row).state is State.EXPIRED
        assert not isinstance(person.allow(row), Row)
        waiting = hooks.start(payload())
        row = person.asked()
        assert row.request.deadline_at is not None
        person.deny(row)
        assert decision(ended(waiting))["behavior"] == "deny"


@linux
def test_a_client_that_never_waits_says_nothing_by_being_at_work(places, person, hooks):
    """The request stays open for a client without a prompt, because such a client is always busy or idle."""
    with serving(*places) as server:
        waiting = hooks.start(payload())
        row = person.asked()
        for status in ("busy", "idle", "busy", "idle"):
            says(server, status=status)
        person.deny(row)
        assert decision(ended(waiting))["behavior"] == "deny"


IN_TERMINAL = "answered in the terminal: allowed"


def answered_session(**facts):
    """Returns a session in which the requested call has its result, with the given facts of the client."""
    session = Session(SESSION)
    session.user("go")
    session.assistant(tool_use("Bash", {"command": "touch a.txt", "description": "é"}, id="toolu_2"))
    session.tool_result("toolu_2", "", timestamp=wire_time(datetime.now(UTC)), **facts)
    return session


@pytest.mark.parametrize(
    ("sent", "facts", "state", "note"),
    [
        ("deny", {"decision": "accept", "source": "user_temporary"}, State.ANSWERED, f"{IN_TERMINAL}; the denial"),
        ("allow", {"decision": "reject", "source": "user_reject"}, State.ANSWERED, "answered in the terminal: denied"),
        ("allow", {"decision": "accept", "source": "user_permanent"}, State.ANSWERED, f"{IN_TERMINAL}; the approval"),
        ("allow", {"decision": "reject", "source": "hook"}, State.ANSWERED, "answered elsewhere: denied; the approval"),
        ("deny", {"decision": "accept", "source": "config"}, State.ANSWERED, "answered elsewhere: allowed"),
        ("allow", {"decision": "accept", "source": "hook"}, State.APPROVED, ""),
        ("deny", {"decision": "reject", "source": "hook"}, State.DENIED, ""),
        ("allow", None, State.APPROVED, ""),
    ],
)
def test_a_decision_is_final_when_the_client_says_so(places, person, hooks, sent, facts, state, note):
    """A decision counts as sent until the client's own record shows whether it took effect or came too late."""
    with serving(*places) as server:
        waiting = hooks.start(payload())
        row = person.asked()
        done = person.allow(row) if sent == "allow" else person.deny(row)
        assert isinstance(done, Row) and done.effect == "sent"
        assert decision(ended(waiting))["behavior"] == sent
        assert person.ledger.row(row.id).effect == "sent"
        server.write(answered_session(**({"permissionDecision": facts} if facts else {})))
        found = until(lambda: (told := person.ledger.row(row.id)) and not told.is_open and told)
        assert found.state is state and (found.note or "").startswith(note)
        assert (found.effect == "took_effect") == (state is not State.ANSWERED)


def test_a_result_in_the_session_file_withdraws_it(places, person, hooks):
    """A request ends as allowed elsewhere when its own call gets a result.

    The result of an earlier equal call does not count.
    """
    with serving(*places) as server:
        session = Session(SESSION)
        asked = {"command": "touch a.txt", "description": "é"}
        session.user("go")
        session.assistant(tool_use("Bash", asked, id="toolu_1"))
        session.tool_result("toolu_1", "done before")
        session.assistant(tool_use("Bash", asked, id="toolu_2"))
        server.write(session)
        waiting = hooks.start(payload())
        row = person.asked()
        session.tool_result("toolu_2", "", timestamp=wire_time(datetime.now(UTC)))
        server.write(session)
        assert ended(waiting) == b""
        assert person.settled(row).note == "answered elsewhere: allowed"


def test_a_restart_keeps_the_question(places, person, hooks):
    """After a restart the hook asks the new server, which finds the same open row and passes on its answer."""
    with serving(*places):
        waiting = hooks.start(payload())
        row = person.asked()
    with serving(*places):
        until(lambda: person.ledger.pending() and person.ledger.is_asker_alive(person.ledger.pending()[0]))
        assert person.asked().id == row.id
        person.allow(person.asked())
        assert decision(ended(waiting)) == {"behavior": "allow"}


def test_a_decision_made_while_no_server_ran_is_returned(places, person, hooks):
    """A denial that was made between two servers reaches the hook when it asks again."""
    with serving(*places):
        waiting = hooks.start(payload())
        row = person.asked()
    person.deny(row)
    with serving(*places):
        assert decision(ended(waiting))["behavior"] == "deny"


def test_a_question_that_nobody_comes_back_for_ends(places, person, hooks, monkeypatch):
    """C7: a request that a killed server left open soon becomes invalid under the next server.

    A late click is refused.
    """
    monkeypatch.setattr("chorus.steer.approvals.ledger.GRACE_S", 0.5)
    with serving(*places):
        waiting = hooks.start(payload())
        row = person.asked()
        request = structs.replace(row.request, id="0" * 32, asker=Asker(1 << 22, "long ago"))
        assert person.ledger.ask(request).is_pending
        left = person.ledger.row("0" * 32)
        assert left is not None
        assert person.settled(left).state is State.INVALID
        person.deny(row)
        assert decision(ended(waiting))["behavior"] == "deny"


def test_without_a_server_nothing_is_said(places, hooks):
    """C8: the hook prints nothing and does not fail if no server runs.

    The server never started, ended, or was killed and left its socket.
    """
    assert hooks.call(payload()) == b""
    with serving(*places):
        pass
    assert hooks.call(payload()) == b""
    dead = socket.socket(socket.AF_UNIX)
    before = os.open(".", os.O_RDONLY)
    hooks.home.run.mkdir(exist_ok=True)
    os.chdir(hooks.home.run)
    dead.bind("hooks.sock")
    os.fchdir(before)
    os.close(before)
    dead.close()
    assert hooks.call(payload()) == b""


def test_a_run_of_ours_is_not_asked_twice(places, person, hooks):
    """The hook does not ask for a run of Chorus, because its holder already asks.

    It does not ask for an invented run either: the prompt stays where it is.
    """
    with serving(*places):
        run = places[0] / "runs" / "run-1"
        run.mkdir(parents=True)
        (run / "run.json").write_text("{}")
        assert hooks.call(payload(), CHORUS_RUN="run-1") == b""
        assert person.ledger.rows() == []
        assert hooks.call(payload(), CHORUS_RUN="../../run-2") == b""
        assert not [row for row in person.ledger.rows() if row.is_pending]


def test_what_hooks_are_given_is_kept(places, hooks):
    """Hook payloads are stored byte for byte in a stream of their conversation as soon as it exists.

    They add nothing to the list of conversations.
    """
    with serving(*places) as server:
        told = [payload(event=event) for event in ("SessionStart", "Stop")]
        assert hooks.call(told[0]) == b""
        browser = server.browser()
        session = Session(SESSION, cwd="/home/dev/harbour")
        session.user("go")
        assert browser.get("/api/conversations").json.get("conversations", []) == []
        server.write(session)
        (listed,) = until(lambda: browser.get("/api/conversations").json.get("conversations"))
        assert hooks.call(told[1]) == b""
        workspace, agent, conversation = listed["name"].split("/")
        key = StreamKey(workspace, agent, conversation, "hooks")
        until(lambda: contents(FileVault(places[0]), key) == b"".join(told))
    assert run("verify", "--vault", places[0]).exit_code == 0
    assert run("index", "--vault", places[0]).exit_code == 0
    (row,) = run_json("list", "--vault", places[0])["conversations"]
    assert row["id"] == SESSION


def test_the_door_is_for_its_owner(places, hooks):
    """Socket and key have mode 600 and their folder has mode 700, and the socket answers only while the server runs."""
    home = hooks.home
    with serving(*places):
        assert stat.S_IMODE((home.run / "hooks.sock").stat().st_mode) == 0o600
        assert stat.S_IMODE(home.run.stat().st_mode) == 0o700
        assert stat.S_IMODE(home.key.stat().st_mode) == 0o600
        assert json.loads(hooks_check(home)) == {"key": True, "server": True}
    assert json.loads(hooks_check(home)) == {"key": True, "server": False}


def hooks_check(home):
    return subprocess.run([home.program, "--check"], capture_output=True, timeout=60, check=True).stdout


def said_to(home, data):
    """Returns the answer of the hook socket to bytes that no hook sent."""
    channel = socket.socket(socket.AF_UNIX)
    channel.settimeout(30)
    path = f"/proc/self/fd/{os.open(home.run, os.O_RDONLY)}/hooks.sock"
    try:
        channel.connect(path)
        channel.sendall(data)
        channel.shutdown(socket.SHUT_WR)
        heard = b""
        while piece := channel.recv(4096):
            heard += piece
    except (BrokenPipeError, ConnectionResetError):
        return b""
    finally:
        channel.close()
        os.close(int(path.split("/")[4]))
    return heard


@linux
def test_without_the_key_nothing_is_asked(places, person, hooks):
    """Input with a wrong, missing or misplaced key, and invalid input, creates no row, and the server continues."""
    with serving(*places):
        key = read_key(hooks.home)
        data = payload()

        def head(**changes):
            return json.dumps({"key": key, "id": "0" * 32, "size": len(data)} | changes).encode() + b"\n"

        for hostile in (
            head(key="0" * 64) + data,
            head(key="") + data,
            head(key=None) + data,
            head(id="../../etc") + data,
            head(size=-1) + data,
            head(size=1 << 40) + data,
            head(size="5") + data,
            head()[:-3] + data,
            b"\x00\xff" * 5_000,
            b"",
            head(size=2) + b"{}",
            head(size=len(data) * 2) + data,
            head(size=4) + b"null",
        ):
            assert b"allow" not in said_to(hooks.home, hostile)
        assert person.ledger.rows() == []
        assert json.loads(hooks_check(hooks.home))["server"] is True


@linux
def test_no_payload_is_allowed_by_itself(places, person, hooks):
    """C8: a hook that has the key never gets a decision that no person made, whatever it sends."""
    with serving(*places):
        key = read_key(hooks.home)

        @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
        @given(
            st.binary(max_size=300)
            | st.fixed_dictionaries(
                {
                    "hook_event_name": st.sampled_from(["PermissionRequest", "Stop", "", "x"]),
                    "session_id": st.sampled_from([SESSION, "../x", ""]) | st.text(max_size=5),
                },
                optional={
                    "cwd": st.text(max_size=5) | st.integers(),
                    "tool_name": st.text(max_size=5) | st.none(),
                    "tool_input": st.text(max_size=5) | st.lists(st.integers()),
                    "agent_id": st.integers(),
                },
            ).map(lambda value: json.dumps(value).encode())
        )
        def never(data):
            sent = json.dumps({"key": key, "id": os.urandom(16).hex(), "size": len(data)}).encode() + b"\n" + data
            assert b"behavior" not in said_to(hooks.home, sent)

        never()
        assert person.ledger.pending() == []


def test_a_long_home_is_no_trouble(tmp_path):
    """The hook socket works in a home with a long path, although socket paths must be short."""
    home = tmp_path / ("long" * 20) / ("longer" * 20) / "vault"
    hooks = Hooks(home, tmp_path / "settings.json")
    with serving(home, tmp_path / "client"):
        assert json.loads(hooks_check(Home(home)))["server"] is True
        person = Person(home, is_approver=False)
        waiting = hooks.start(payload())
        person.deny(person.asked())
        assert decision(ended(waiting))["behavior"] == "deny"
    hooks.close()


def test_who_changes_the_hooks_is_noticed(places, hooks, monkeypatch):
    """If the hook program or the settings change while the server runs, its status says so until they are restored."""
    monkeypatch.setattr("chorus.show.server.hooks.opening.WATCH_S", 0.1)
    with serving(*places) as server:
        browser = server.browser()

        def trouble():
            return browser.get("/api/status").json["trouble"]

        program, settings_text = hooks.home.program.read_bytes(), hooks.settings.read_bytes()
        assert trouble() is None
        hooks.home.program.write_bytes(program.replace(b"deny", b"allow"))
        assert "was changed by somebody else" in until(trouble)
        hooks.home.program.write_bytes(program)
        until(lambda: trouble() is None)
        hooks.settings.write_bytes(b"{}")
        assert "taken out" in until(trouble)
        hooks.settings.write_bytes(settings_text)
        until(lambda: trouble() is None)


def test_fifty_questions_at_once(places, person, hooks):
    """C9: ten sessions with sub-agents send fifty requests at the same time, and each gets its own answer."""
    with serving(*places):
        waiting = {}
        for number in range(50):
            session = f"{number % 10:08}-0000-4000-8000-000000000000"
            agent = {"agent_id": f"a{number}"} if number % 3 else {}
            waiting[f"touch {number}.txt"] = hooks.start(payload(f"touch {number}.txt", session=session, **agent))
        rows = until(lambda: len(found := person.ledger.pending()) == 50 and found)
        for row in reversed(rows):
            person.deny(row, json.loads(row.request.input)["command"])
        for command, process in waiting.items():
            assert decision(ended(process))["message"] == command
