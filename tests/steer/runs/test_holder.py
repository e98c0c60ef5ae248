"""Tests of the holder: it records all streams, serves attachments, and sends only verified decisions to the client."""

import contextlib
import json
import resource
import sys
import uuid
from pathlib import Path

import pytest

from chorus.core.protocol.launch import Launch
from chorus.core.protocol.outgoing import Image
from chorus.errors import ChorusError
from chorus.steer.approvals.ledger import GRACE_S, Ledger
from chorus.steer.approvals.lifecycle import Refused
from chorus.steer.approvals.model import State
from chorus.steer.runs import messages
from chorus.steer.runs.attached import Attached
from chorus.testing.builders import Run, Session, lay_out, tool_use
from tests.steer.approvals.samples import Clock, add_approver, add_rule, key, set_budget
from tests.support.running import end, events_until, is_ended, is_state, kill, program, recording, until

QUESTION = {"command": "rm -rf build"}


def short_talk(session=None):
    run = Run(session or str(uuid.uuid4()))
    run.init()
    run.assistant("Hello ☃.")
    run.result("Hello ☃.")
    return run


def asking(then="removed", **more):
    """Builds the script of a client that wants to run a command."""
    run = Run(str(uuid.uuid4()))
    run.init()
    run.assistant(tool_use("Bash", QUESTION, id="toolu_1"))
    run.ask("toolu_1", "Bash", QUESTION, request="ask-1", **more)
    run.tool_result("toolu_1", then)
    run.assistant("All clean.")
    run.result("All clean.")
    return run


def lines_of(events, stream="out"):
    return [event for event in events if isinstance(event, messages.Line) and event.stream == stream]


def question_in(events):
    return next(
        event.questions[0] for event in reversed(events) if isinstance(event, messages.Status) and event.questions
    )


def is_asking(event):
    return isinstance(event, messages.Status) and bool(event.questions)


def test_all_that_goes_through_the_pipes_is_kept(place, tmp_path):
    """Standard output, input and error are in the vault byte for byte, with the time of each piece."""
    body = """
import sys
print("warm-up", file=sys.stderr, flush=True)
sys.stdout.buffer.write(b'{"type":"system"}\\n\\xff\\xfe no JSON\\r\\n{"type":"x"}')
sys.stdout.flush()
sys.stdin.readline()
"""
    with place.running(program(tmp_path / "client", body)) as folder:
        until(lambda: not folder.is_held())

    assert place.kept(folder, "out") == b'{"type":"system"}\n\xff\xfe no JSON\r\n{"type":"x"}'
    assert place.kept(folder, "err") == b"warm-up\n"
    assert json.loads(place.kept(folder, "in"))["request"]["subtype"] == "initialize"
    came = [note for note in place.notes(folder) if note["type"] == "came" and note["stream"] == "out"]
    assert came[-1]["until"] == len(place.kept(folder, "out"))
    assert all(note["at"].endswith("Z") for note in came)


def test_whoever_comes_back_sees_what_was_missed_once(place, tmp_path):
    """An attachment that continues from a place gets every later line once."""
    with place.running(recording(tmp_path / "claude", short_talk())) as folder:
        with Attached(folder) as first:
            first.attach(["out"])
            first.do(messages.Send(text="hi"))
            seen = lines_of(events_until(first, is_state("idle")))
        run = folder.read()
        middle = seen[1]
        with Attached(folder) as again:
            again.attach(["out"], {f"{run.session}/out": middle.place})
            again.do(messages.Finish())
            rest = lines_of(events_until(again, is_ended))

    assert b"".join(line.data for line in [*seen[:2], *rest]) == place.kept(folder, "out")


def test_a_run_outlives_who_started_it_and_takes_more(place, tmp_path):
    """A run accepts messages and images from any attachment, and ends when it is asked to finish."""
    with place.running(recording(tmp_path / "claude", short_talk())) as folder:
        with Attached(folder) as attached:
            attached.do(messages.Send(text="look", images=[Image(media_type="image/png", data="AAAA")]))
        with Attached(folder) as attached:
            attached.attach(["out"])
            events_until(attached, is_state("idle"))
            attached.do(messages.Finish())
            assert isinstance(events_until(attached, is_ended)[-1], messages.Ended)

    sent = [json.loads(line) for line in place.kept(folder, "in").splitlines()]
    assert [block["type"] for block in sent[-1]["message"]["content"]] == ["image", "text"]
    assert folder.read().title == "look"


def test_a_run_for_one_answer_ends_by_itself(place, tmp_path):
    client = recording(tmp_path / "claude", short_talk())
    with place.running(client, is_once=True) as folder, Attached(folder) as attached:
        attached.attach(["out"])
        attached.do(messages.Send(text="hi"))
        ended = events_until(attached, is_ended)[-1]

    assert (ended.ending.code, ended.ending.is_failure) == (0, False)


def test_a_run_that_only_one_waits_for_ends_with_them(place, tmp_path):
    """A run that needs its attachment stops when that attachment ends."""
    with place.running(recording(tmp_path / "claude", asking())) as folder:
        with Attached(folder) as attached:
            attached.attach(["out"], is_needed=True)
            attached.do(messages.Send(text="clean up"))
            events_until(attached, is_asking)
        until(lambda: not folder.is_held())

    assert folder.read().ending.words == "stopped"


def test_a_denial_reaches_the_client(place, tmp_path):
    """A denial without an approver reaches the client, and the model reads the message."""
    with place.running(recording(tmp_path / "claude", asking()), is_once=True) as folder, Attached(folder) as attached:
        attached.attach(["out"])
        attached.do(messages.Send(text="clean up"))
        question = question_in(events_until(attached, is_asking))
        assert question.tool == "Bash"
        place.decide(question.id, "deny", message="not the build folder")
        events_until(attached, is_ended)

    row = place.row(question.id)
    assert row.state is State.DENIED
    assert (row.request.run, row.request.tool_use) == (folder.read().id, "toolu_1")
    assert json.loads(row.request.input) == QUESTION
    assert b"not the build folder" in place.kept(folder, "out")


def test_an_approval_reaches_the_client_with_what_was_edited(place, tmp_path):
    """The client gets exactly what the approver signed: the edited input and the chosen suggestion."""
    signer = place.approver()
    offers = [{"type": "addRules"}, {"type": "setMode", "mode": "acceptEdits"}]
    script = asking()
    client = recording(tmp_path / "claude", _with_suggestions(script, offers))
    with place.running(client, is_once=True) as folder, Attached(folder) as attached:
        attached.attach(["out"])
        attached.do(messages.Send(text="clean up"))
        question = question_in(events_until(attached, is_asking))
        edited = '{"command":  "rm -rf build/tmp"}'
        place.decide(question.id, "allow", signer, input=edited, suggestions=[0])
        events_until(attached, is_ended)

    answer = place.kept(folder, "in").splitlines()[-1]
    assert b'"updatedInput":' + edited.encode() in answer
    assert json.loads(answer)["response"]["response"]["updatedPermissions"] == [offers[0]]
    assert place.row(question.id).state is State.APPROVED


def test_the_holder_runs_no_code_that_came_after_the_agent(place, tmp_path, monkeypatch):
    """From the start of the client to its end the holder imports nothing, because an agent could have written it."""
    monkeypatch.setenv("PYTHONPROFILEIMPORTTIME", "1")
    signer = place.approver()
    with place.running(recording(tmp_path / "claude", asking()), is_once=True) as folder, Attached(folder) as attached:
        imported = (folder.path / "log").read_text().count("import time:")
        attached.attach(["out"])
        attached.do(messages.Send(text="clean up"))
        question = question_in(events_until(attached, is_asking))
        add_rule(place.state, "deny command:anything")
        set_budget(place.state, "run tokens:3k")
        place.decide(question.id, "allow", signer)
        events_until(attached, is_ended)
        until(lambda: not folder.is_held())

    assert place.row(question.id).state is State.APPROVED
    assert (folder.path / "log").read_text().count("import time:") == imported > 0


def test_a_plan_that_changed_after_it_was_shown_is_not_approved(place, tmp_path, monkeypatch):
    """If the plan's file changes after the card, the client is told no, and the row says that the approval failed."""
    signer = place.approver()
    config = tmp_path / "claude"
    plan = config / "plans" / "brave-otter.md"
    plan.parent.mkdir(parents=True)
    plan.write_text("1. Look.\n")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(config))
    launch = Launch(session=str(uuid.uuid4()))
    written = Session(launch.session)
    written.attachment("plan_mode", planFilePath=str(plan))
    lay_out(config, written)
    talk = Run(launch.session)
    talk.init()
    talk.assistant(tool_use("ExitPlanMode", {"plan": "1. Look."}, id="toolu_1"))
    talk.ask("toolu_1", "ExitPlanMode", {}, request="ask-1")
    talk.tool_result("toolu_1", "changed")
    talk.result("changed")
    client = recording(tmp_path / "client", talk)
    with place.running(client, is_once=True, launch=launch) as folder, Attached(folder) as attached:
        attached.attach(["out"])
        attached.do(messages.Send(text="plan"))
        question = question_in(events_until(attached, is_asking))
        assert [each.text for each in place.row(question.id).request.plans] == ["1. Look.\n"]
        plan.write_text("1. Leap.\n")
        place.decide(question.id, "allow", signer)
        events_until(attached, is_ended)

    assert b'"allow"' not in place.kept(folder, "in")
    row = place.row(question.id)
    assert (row.state, row.effect) == (State.APPROVED, "failed") and "was changed after" in row.note


def test_what_nobody_signed_is_not_allowed(place, tmp_path):
    """A line that is written into the ledger by hand, as an agent could, does not make the client run anything."""
    place.approver()
    with place.running(recording(tmp_path / "claude", asking()), is_once=True) as folder, Attached(folder) as attached:
        attached.attach(["out"])
        attached.do(messages.Send(text="clean up"))
        question = question_in(events_until(attached, is_asking))
        row = place.row(question.id)
        decision = {"behavior": "allow", "at": "2026-11-15T00:00:00.000Z", "surface": "terminal"}
        forged = {"type": "decided", "at": decision["at"], "id": row.id, "digest": row.digest, "decision": decision}
        with (place.state / "approvals.jsonl").open("a") as file:
            file.write(json.dumps(forged) + "\n")
        place.decide(question.id, "deny")
        events_until(attached, is_ended)

    assert b'"allow"' not in place.kept(folder, "in")


def test_an_approver_made_while_the_run_goes_on_is_none_for_it(place, tmp_path):
    """An approver who is added after the start of a run cannot approve for it: an agent could have added them."""
    with place.running(recording(tmp_path / "claude", asking()), is_once=True) as folder, Attached(folder) as attached:
        attached.attach(["out"])
        attached.do(messages.Send(text="clean up"))
        question = question_in(events_until(attached, is_asking))
        place.decide(question.id, "allow", place.approver())
        events_until(attached, is_ended)

    assert b'"allow"' not in place.kept(folder, "in")
    assert b"no approver when this began" in place.kept(folder, "in")


def test_whom_an_approver_let_in_since_may_approve(place, tmp_path):
    """An approver who is added during the run by an earlier approver may approve."""
    place.approver()
    with place.running(recording(tmp_path / "claude", asking()), is_once=True) as folder, Attached(folder) as attached:
        attached.attach(["out"])
        attached.do(messages.Send(text="clean up"))
        question = question_in(events_until(attached, is_asking))
        add_approver(place.state, "bob", by="ada")
        place.decide(question.id, "allow", key("bob"))
        events_until(attached, is_ended)

    assert b'"allow"' in place.kept(folder, "in")


def test_a_run_that_ends_with_an_interrupted_turn_says_so(place, tmp_path):
    """If the last turn was interrupted, the ending says so in words for a person, not in the client's diagnostics."""
    client = recording(tmp_path / "claude", asking())
    with place.running(client) as folder, Attached(folder) as attached:
        attached.attach(["out"])
        attached.do(messages.Send(text="clean up"))
        events_until(attached, is_asking)
        attached.do(messages.Interrupt())
        attached.do(messages.Finish())
        ending = events_until(attached, is_ended)[-1].ending

    assert ending.words == "the last turn was interrupted"


def test_a_question_taken_back_is_withdrawn(place, tmp_path):
    """C7: after an interrupt the request is withdrawn and nobody can answer it."""
    with place.running(recording(tmp_path / "claude", asking())) as folder, Attached(folder) as attached:
        attached.attach(["out"])
        attached.do(messages.Send(text="clean up"))
        question = question_in(events_until(attached, is_asking))
        attached.do(messages.Interrupt())
        until(lambda: place.row(question.id).state is State.WITHDRAWN)


def test_a_question_ends_with_its_run(place, tmp_path):
    with place.running(recording(tmp_path / "claude", asking())) as folder:
        with Attached(folder) as attached:
            attached.attach(["out"])
            attached.do(messages.Send(text="clean up"))
            question = question_in(events_until(attached, is_asking))
        end(folder)

    assert place.row(question.id).state is State.WITHDRAWN


def test_a_question_of_a_holder_that_was_killed_is_answered_by_nobody(place, tmp_path):
    """C7: after its holder was killed, a request cannot be approved, and later its row becomes INVALID."""
    signer, clock = place.approver(), Clock()
    with place.running(recording(tmp_path / "claude", asking())) as folder:
        with Attached(folder) as attached:
            attached.attach(["out"])
            attached.do(messages.Send(text="clean up"))
            question = question_in(events_until(attached, is_asking))
        kill(folder.read().holder)
        until(lambda: not folder.is_held())

    late = place.decide(question.id, "allow", signer)
    assert isinstance(late, Refused) and late.status == 410
    ledger = Ledger(place.state, ticks=clock.ticks)
    assert ledger.invalidate_gone() == []
    clock.go(GRACE_S)
    assert [(row.id, row.state) for row in ledger.invalidate_gone()] == [(question.id, State.INVALID)]


def test_a_question_without_a_call_is_asked_to_nobody(place, tmp_path):
    """A request for a call that the model never made gets an error, and no row appears in the ledger."""
    run = Run(str(uuid.uuid4()))
    run.init()
    run.ask("toolu_9", "Bash", QUESTION, request="ask-9")
    run.result("Done.")
    with place.running(recording(tmp_path / "claude", run), is_once=True) as folder, Attached(folder) as attached:
        attached.attach(["out"])
        attached.do(messages.Send(text="clean up"))
        events_until(attached, is_ended)

    assert Ledger(place.state).rows() == []
    assert b'"subtype":"error","request_id":"ask-9"' in place.kept(folder, "in")


def test_an_agent_does_not_steer_its_own_run(place, tmp_path):
    """A process below the warden, even a detached one, is refused every command that steers the run."""
    body = f"""
import json, os, socket, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    os.environ.clear()
    time.sleep(0.3)
    connection = socket.socket(socket.AF_UNIX)
    os.chdir(sorted(os.scandir({str(place.home / "runs")!r}), key=lambda e: e.name)[0].path)
    connection.connect("socket")
    connection.sendall(b'{{"do":"mode","id":7,"mode":"acceptEdits"}}\\n')
    answer = connection.makefile().readline()
    open({str(tmp_path / "answer")!r}, "w").write(answer)
    os._exit(0)
time.sleep(60)
"""
    with place.running(program(tmp_path / "client", body)) as folder:
        answer = json.loads(until(lambda: (tmp_path / "answer").exists() and (tmp_path / "answer").read_text()))

    assert answer["error"] == "an agent may not steer runs"
    assert "set_permission_mode" not in place.kept(folder, "in").decode()
    assert any(note["type"] == "refused" for note in place.notes(folder))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows the pipes of a process below /proc")
def test_an_agent_does_not_speak_through_the_client_s_pipes(place, tmp_path):
    """A process that the client started can open neither the standard input nor the standard output of the client."""
    body = f"""
import os, time
parent = os.getpid()
if os.fork() == 0:
    found = []
    for stream in (0, 1):
        try:
            os.close(os.open(f"/proc/{{parent}}/fd/{{stream}}", os.O_WRONLY))
            found.append("opened")
        except OSError:
            found.append("refused")
    open({str(tmp_path / "tried")!r}, "w").write(" ".join(found))
    os._exit(0)
time.sleep(60)
"""
    with place.running(program(tmp_path / "client", body)):
        tried = until(lambda: (tmp_path / "tried").exists() and (tmp_path / "tried").read_text())

    assert tried == "refused refused"


@pytest.mark.parametrize(
    ("reply", "changed", "effect", "note"),
    [
        ({"subtype": "success", "response": {"mode": "acceptEdits"}}, {}, "took_effect", None),
        ({"subtype": "error", "error": "not here"}, {}, "failed", "the client refused it: not here"),
        (None, {}, "failed", "the client has ended"),
        (None, {"input": '{"from":"default","mode":"auto"}'}, "failed", "only the mode that was asked for"),
    ],
)
def test_the_row_of_a_wider_mode_says_what_became_of_it(place, tmp_path, reply, changed, effect, note):
    """An approved mode took effect when the client confirms it; otherwise the approval failed, with the reason."""
    signer = place.approver()
    body = f"""
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("request", {{}}).get("subtype") == "initialize":
        print(json.dumps({{"type": "control_response",
            "response": {{"subtype": "success", "request_id": asked["request_id"]}}}}), flush=True)
    if asked.get("request", {{}}).get("subtype") == "set_permission_mode":
        reply = {reply!r}
        if reply is None:
            break
        reply["request_id"] = asked["request_id"]
        print(json.dumps({{"type": "control_response", "response": reply}}), flush=True)
"""
    with place.running(program(tmp_path / "client", body)) as folder, Attached(folder) as attached:
        asked = attached.do(messages.SetMode(mode="acceptEdits")).body["request"]
        assert place.decide(asked, "allow", signer, **changed).effect == "sent"
        until(lambda: place.row(asked).effect != "sent")

    row = place.row(asked)
    assert (row.state, row.effect) == (State.APPROVED, effect)
    assert row.note is None if note is None else note in row.note


def test_a_wider_mode_that_is_denied_is_over(place, tmp_path):
    """A denial of a wider mode takes effect at once, because nothing has to change."""
    place.approver()
    body = "import sys\nfor line in sys.stdin: pass"
    with place.running(program(tmp_path / "client", body)) as folder, Attached(folder) as attached:
        asked = attached.do(messages.SetMode(mode="acceptEdits")).body["request"]
        place.decide(asked, "deny")
        until(lambda: place.row(asked).effect == "took_effect")


def test_a_run_is_not_brought_to_a_mode_that_asks_nothing(place, tmp_path):
    with place.running(recording(tmp_path / "claude", short_talk())) as folder, Attached(folder) as attached:
        with pytest.raises(ChorusError, match="bypassPermissions"):
            attached.do(messages.SetMode(mode="bypassPermissions"))
        attached.do(messages.SetMode(mode="plan"))
        attached.do(messages.SetModel(model="opus"))
        with pytest.raises(ChorusError, match="not the name of a model"):
            attached.do(messages.SetModel(model="--x"))


@pytest.mark.parametrize("line", [b"", b"nonsense", b"[]", b'{"do":"fly"}', b'{"do":"send"}', b"\xff", b"[" * 90_000])
def test_nonsense_on_the_socket_is_answered_and_harms_nothing(place, tmp_path, line):
    with place.running(recording(tmp_path / "claude", short_talk())) as folder, Attached(folder) as attached:
        attached._socket.sendall(line + b"\n")
        answer = events_until(attached, lambda event: isinstance(event, messages.Answer))[-1]
        assert answer.error.startswith("not a command")
        attached.do(messages.Ask())


def test_the_client_gets_no_more_of_the_environment_than_it_may(place, tmp_path, monkeypatch):
    """The client's environment contains only the allowed list, the named variables and the mark of the run."""
    for name in ("NODE_OPTIONS", "SECRET", "ALLOWED", "LD_PRELOAD_X", "PYTHONSTARTUP"):
        monkeypatch.setenv(name, "1")
    body = f"import json, os; open({str(tmp_path / 'env')!r}, 'w').write(json.dumps(dict(os.environ)))"
    with place.running(program(tmp_path / "client", body), environment=["ALLOWED", "NODE_OPTIONS"]) as folder:
        until(lambda: not folder.is_held())

    found = json.loads((tmp_path / "env").read_text())
    assert found["ALLOWED"] == "1"
    assert found["CHORUS_RUN"] == folder.path.name
    assert found["CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS"] == "1"
    assert not {"NODE_OPTIONS", "SECRET", "LD_PRELOAD_X", "PYTHONSTARTUP"} & found.keys()


def test_a_turn_that_failed_for_want_of_a_login_says_what_to_do(place, tmp_path):
    """After a failed login the status gives advice until a turn succeeds, because `/login` works only in the client."""
    run = Run(str(uuid.uuid4()))
    run.init()
    run.result("Not logged in · Please run /login", is_error=True)
    run.user("again")
    run.result("Hello.")

    def is_advised(event):
        return isinstance(event, messages.Status) and "run `claude` once and log in" in event.advice

    with place.running(recording(tmp_path / "claude", run)) as folder, Attached(folder) as attached:
        attached.attach(["out"])
        attached.do(messages.Send(text="hi"))
        events_until(attached, is_advised)
        attached.do(messages.Send(text="again"))
        events_until(attached, lambda event: isinstance(event, messages.Status) and not event.advice)
        end(folder)


def test_a_vault_that_cannot_be_written_loses_nothing(place, tmp_path):
    """Lines that cannot be stored wait and are reported as trouble, and they are stored once the vault is writable."""
    (place.home).mkdir()
    blocked = place.home / "conversations"
    blocked.write_text("in the way")
    with place.running(recording(tmp_path / "claude", short_talk())) as folder, Attached(folder) as attached:
        attached.attach(["out"])
        attached.do(messages.Send(text="hi"))
        events_until(attached, lambda event: isinstance(event, messages.Status) and bool(event.trouble))
        blocked.unlink()
        events_until(attached, lambda event: isinstance(event, messages.Line) and '"result"' in event.text)
        attached.do(messages.Finish())
        events_until(attached, is_ended)

    assert b"Hello" in place.kept(folder, "out")
    assert b'"initialize"' in place.kept(folder, "in")


def test_after_clear_what_is_said_is_kept_with_the_new_session(place, tmp_path):
    """After `/clear` the run has two sessions, and each line is stored with its own session."""
    first, second = str(uuid.uuid4()), str(uuid.uuid4())
    body = f"""
import json, sys, time
for line in ({{"type": "system", "subtype": "init", "session_id": {first!r}}},
             {{"type": "conversation_reset", "new_conversation_id": {second!r}, "session_id": {first!r}}}):
    print(json.dumps(line), flush=True)
time.sleep(0.3)
print(json.dumps({{"type": "system", "subtype": "init", "session_id": {second!r}}}), flush=True)
"""
    from chorus.core.protocol.launch import Launch

    with place.running(program(tmp_path / "client", body), launch=Launch(session=first)) as folder:
        until(lambda: not folder.is_held())

    run = folder.read()
    assert run.sessions == [first, second]
    assert place.runs.home_of(second) == (run.workspace, run.agent)
    assert b'"conversation_reset"' not in place.kept(folder, "out")
    assert b'"init"' in place.kept(folder, "out")


@pytest.mark.parametrize("name", ["../../elsewhere", "", "x" * 4_000, "a\x1b[2J", "run.jsonl"])
def test_a_session_s_id_that_is_none_names_nothing(place, tmp_path, name):
    """If the client uses a malformed session id, its lines are stored with the session that the run started with."""
    body = f"""
import json
for line in ({{"type": "system", "subtype": "init", "session_id": {name!r}, "model": "opus"}},
             {{"type": "conversation_reset", "new_conversation_id": {name!r}}},
             {{"type": "result", "result": "kept all the same"}}):
    print(json.dumps(line), flush=True)
"""
    with place.running(program(tmp_path / "client", body)) as folder:
        until(lambda: not folder.is_held())

    run = folder.read()
    assert run.ending is not None and run.sessions == [run.launch.session]
    assert b"kept all the same" in place.kept(folder, "out")


def test_a_client_that_never_answers_is_said(place, tmp_path, monkeypatch):
    """If the client does not answer a command, the error says so in words, and the socket still works."""
    monkeypatch.setattr("chorus.steer.runs.attached.PATIENCE_S", 0.5)
    client = program(tmp_path / "client", "import time; time.sleep(60)")
    with place.running(client) as folder, Attached(folder) as attached:
        with pytest.raises(ChorusError, match=r"gave no answer .* `chorus stop"):
            attached.do(messages.Interrupt())
        attached.do(messages.Ask())


@pytest.mark.parametrize("place_named", [-1, -(1 << 80), 7, 1 << 40, 1 << 63, 1 << 80])
def test_a_place_that_is_none_harms_nothing(place, tmp_path, place_named):
    """An attachment from an invalid place gets an answer, and the run continues."""
    with place.running(recording(tmp_path / "claude", short_talk())) as folder, Attached(folder) as attached:
        attached.attach(["out"])
        attached.do(messages.Send(text="hi"))
        events_until(attached, is_state("idle"))
        name = f"{folder.read().session}/out"
        with Attached(folder) as other:
            command = {"do": "attach", "id": 1, "streams": ["out"], "places": {name: place_named}}
            other._socket.sendall(json.dumps(command).encode() + b"\n")
            events_until(other, lambda event: isinstance(event, messages.Status | messages.Answer))
        attached.do(messages.Ask())
        assert folder.is_held()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists the open descriptors of a process")
def test_a_crowd_at_the_door_is_turned_away(place, tmp_path):
    """However many clients connect, earlier attachments are served, and new ones are served when the crowd is gone."""
    with place.running(recording(tmp_path / "claude", short_talk())) as folder, Attached(folder) as first:
        first.do(messages.Ask())
        before, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        crowd = []
        for _ in range(min(1_200, before - 100)):
            # The system itself limits the number of connections that wait.
            with contextlib.suppress(ChorusError):
                crowd.append(Attached(folder))
        first.do(messages.Ask())
        assert sum(1 for _ in Path(f"/proc/{folder.read().holder}/fd").iterdir()) < 200
        for each in crowd:
            each.close()
        first.do(messages.Ask())
        with Attached(folder) as last:
            until(lambda: last.do(messages.Ask()))


def _with_suggestions(script, offers):
    lines = []
    for line in bytes(script).splitlines():
        value = json.loads(line)
        if value["type"] == "control_request":
            value["request"]["permission_suggestions"] = offers
        lines.append(json.dumps(value).encode() + b"\n")
    return b"".join(lines)
