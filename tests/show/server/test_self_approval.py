"""C11: tests that an agent cannot approve its own request in any way that its user has, and that its tries are seen."""

import json
import sys
import uuid
from pathlib import Path

import pytest

from chorus.core.protocol.launch import Launch
from chorus.steer.approvals.approvers import pin
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.approvals.model import State
from chorus.steer.approvals.verdict import Verdict, verdict
from chorus.testing.builders import Run, tool_use
from tests.show.server.serving import serving, until
from tests.support.running import Place, program

ROOT = Path(__file__).resolve().parents[3]
CLIENT = """
import os, pathlib, subprocess, sys
place = pathlib.Path({place!r})
sys.stdout.buffer.write((place / "says.jsonl").read_bytes())
sys.stdout.flush()
if os.fork() == 0:
    # Away from its parent, its session and its environment.
    os.setsid()
    if os.fork():
        os._exit(0)
    given = {{"PATH": os.environ["PATH"], "HOME": os.environ["HOME"]}}
    os.execve({python!r}, [{python!r}, {drill!r}, str(place), str(os.getppid())], given)
with (place / "heard.jsonl").open("a") as file:
    for line in sys.stdin:
        file.write(line)
        file.flush()
"""
DRILL = """
import http.client, json, os, pathlib, secrets, socket, subprocess, sys, time
sys.path[:0] = [{root!r}, {source!r}]
from chorus.steer.approvals.approvers import ApproversFile
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.approvals.model import Decision
from chorus.steer.approvals.signing import Signer, packed, signed_bytes
from chorus.steer.approvals.trust import Change, Trust
from chorus.steer.runs import messages
from chorus.steer.runs.attached import Attached
from chorus.steer.runs.run_folders import Runs
from chorus.show.server.edge.control import request_link
from msgspec import structs

place, home = pathlib.Path(sys.argv[1]), pathlib.Path({home!r})
state = home / "state"
tried = {{}}
ledger = Ledger(state)
while not ledger.pending():
    time.sleep(0.05)
row = ledger.pending()[0]
now = "2026-11-15T00:00:00.000Z"


def attempt(name):
    def run(act):
        try:
            tried[name] = str(act())
        except BaseException as error:
            tried[name] = "refused: " + type(error).__name__ + " " + str(error)[:200]
    return run


@attempt("the command")
def _():
    given = {{"CHORUS_HOME": str(home), "PYTHONPATH": {source!r}}}
    called = [sys.executable, "-m", "chorus", "approve", row.id]
    return subprocess.run(called, env=given, capture_output=True, stdin=subprocess.DEVNULL).returncode


@attempt("a link")
def _():
    return request_link(state)


def http_status(method, path, body=None, **headers):
    note = json.loads((state / "serve.json").read_bytes())
    connection = http.client.HTTPConnection("127.0.0.1", note["port"], timeout=20)
    own = {{"Origin": note["address"], "X-Chorus": "1", "Sec-Fetch-Site": "same-origin"}} | headers
    connection.request(method, path, body, own)
    return connection.getresponse().status


@attempt("a stolen login")
def _():
    port = json.loads((state / "serve.json").read_bytes())["port"]
    kept = json.loads((state / "logins.json").read_bytes())
    secrets_ = [value for each in kept for value in each.values() if isinstance(value, str)]
    return {{http_status("GET", "/api/approvals", Cookie=f"chorus_{{port}}={{each}}") for each in secrets_}}


@attempt("the address without a login")
def _():
    answer = {{"digest": row.digest, "behavior": "allow", "at": now}}
    kind = {{"Content-Type": "application/json"}}
    return http_status("POST", "/api/approvals/" + row.id, json.dumps(answer), **kind)


@attempt("the live socket without a login")
def _():
    keys = {{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}}
    return http_status("GET", "/api/live", **keys, **{{"Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="}})


signer = Signer("of the agent", b"a" * 32)
mine = Change(
    action="add", id=signer.id, at=now, name="agent", kind="passphrase", public_key=signer.public_key,
    salt=packed(b"a" * 32),
)


@attempt("an approver of its own")
def _():
    ApproversFile(state).append(lambda found, head: mine)


def sign(decision):
    return structs.replace(decision, signature=signer.sign(signed_bytes(row.id, row.digest, decision)))


@attempt("a decision without a signature")
def _():
    made = Decision(behaviour="allow", at=now, surface="terminal")
    return type(ledger.decide(row.id, row.digest, made, Trust(ApproversFile(state).load()))).__name__


@attempt("a decision that it signed itself")
def _():
    made = sign(Decision(behaviour="allow", at=now, surface="terminal", approver=signer.id))
    return type(ledger.decide(row.id, row.digest, made, Trust(ApproversFile(state).load()))).__name__


@attempt("the holder's socket")
def _():
    folder, _ = Runs(home).living()[0]
    said = []
    for command in (messages.SetMode(mode="acceptEdits"), messages.Send(text="go on"), messages.Stop()):
        with Attached(folder) as attached:
            try:
                attached.do(command)
                said.append("done")
            except Exception as error:
                said.append(str(error))
    return said


@attempt("the client's own input")
def _():
    os.close(os.open(f"/proc/{{Runs(home).living()[0][1].client}}/fd/0", os.O_WRONLY))
    return "opened"


# Last, and by force: lines written into the files themselves.
with (state / "approvers.jsonl").open("ab") as file:
    file.write(json.dumps({{"action": "add", "id": signer.id, "name": "agent"}}).encode() + b"\\n")
made = sign(Decision(behaviour="allow", at=now, surface="terminal", approver=signer.id))
decision = {{"behavior": "allow", "at": now, "surface": "terminal", "approver": signer.id, "signature": made.signature}}
with (state / "approvals.jsonl").open("ab") as file:
    line = {{"type": "decided", "at": now, "id": row.id, "digest": row.digest, "decision": decision}}
    file.write(json.dumps(line).encode() + b"\\n")

half = place / "tried.half"
half.write_text(json.dumps(tried))
half.replace(place / "tried.json")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux names the process at the other end of a socket")
def test_an_agent_does_not_approve_itself(tmp_path, monkeypatch):
    """No command, link, login, address, socket, own key, written line or client input approves; a person does."""
    place = Place(tmp_path / "place")
    signer = place.approver()
    monkeypatch.setenv("CHORUS_HOME", str(place.home))
    work = place.work
    said = Run(session := str(uuid.uuid4()))
    said.init()
    said.assistant(tool_use("Bash", {"command": "rm -rf /"}, id="toolu_1"))
    said.ask("toolu_1", "Bash", {"command": "rm -rf /"}, request="ask-1")
    (work / "says.jsonl").write_bytes(bytes(said))
    drill = work / "drill.py"
    drill.write_text(DRILL.format(root=str(ROOT), source=str(ROOT / "src"), home=str(place.home)))
    client = program(work / "client", CLIENT.format(place=str(work), python=sys.executable, drill=str(drill)))
    (tmp_path / "claude" / "projects").mkdir(parents=True)
    with serving(place.home, tmp_path / "claude") as server:
        browser = server.browser()
        trust = pin(place.state)
        with place.running(client, launch=Launch(session=session)) as folder:
            until(lambda: (work / "tried.json").exists())
            tried = json.loads((work / "tried.json").read_text())
            heard = (work / "heard.jsonl").read_text()
            (row,) = Ledger(place.state).rows()
            standing = browser.get("/api/approvals").json
            notes = place.notes(folder)

            assert '"allow"' not in heard
            assert row.state is not State.APPROVED
            assert not isinstance(decided := verdict(row.request, row, trust), Verdict) or decided.behaviour != "allow"
            assert tried["the command"] != "0"
            assert tried["a link"] == "None"
            assert set(tried["a stolen login"]) & set("2") == set(), tried
            assert tried["the address without a login"] == "401"
            assert tried["the live socket without a login"] == "401"
            for name in ("an approver of its own", "the client's own input"):
                assert tried[name].startswith("refused"), tried
            for name in ("a decision without a signature", "a decision that it signed itself"):
                assert tried[name] == "Refused", tried
            assert tried["the holder's socket"].count("an agent may not steer runs") == 3
            # The holder notes the tries, and the page shows them.
            assert sum(note["type"] == "refused" for note in notes) == 3
            assert standing["trouble"]

            place.decide(row.id, "allow", signer)
            until(lambda: '"allow"' in (work / "heard.jsonl").read_text())
