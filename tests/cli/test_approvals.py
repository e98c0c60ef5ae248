"""Tests of `chorus approvals`, `approve`, `deny` and `approver`, as a person and as an agent use them."""

import json
import os
import re
import subprocess
import sys
import threading

import pytest
from msgspec import structs
from rich.cells import cell_len

from chorus.cli.commands.approver import login_name
from chorus.keep.archive.listing import name_of
from chorus.keep.vault import journal_line
from chorus.keep.vault.files import FileVault
from chorus.steer.approvals import approvers
from chorus.steer.approvals.ledger import Ledger
from chorus.steer.approvals.model import Answered, Asker, Row, State
from chorus.steer.approvals.verdict import Verdict, verdict
from chorus.steer.runs.run_folders import Runs
from chorus.testing.builders.lines import SESSION_ID
from tests.cli.at_a_terminal import at_a_terminal
from tests.cli.commands import run, run_json, run_process
from tests.keep.archive.vaults import client, keep, talk
from tests.steer.approvals.samples import add_approver, allow, deny, request
from tests.support.runs import described

PASSPHRASE = "correct horse battery"
HOSTILE = "\x1b[2J\u202e\u200b\r\n<b>[red]`$(id)`" + " " * 50 + "end"


@pytest.fixture
def home(tmp_path):
    """Returns the path of a vault. `$CHORUS_HOME` is not needed, because every command names the vault."""
    return tmp_path / "home"


@pytest.fixture
def state(home):
    return home / "state"


def add(home, name="ada", passphrase=PASSPHRASE, by=None):
    typed = [("Passphrase of", by)] if by else []
    typed += [("New passphrase", passphrase), ("Once more", passphrase)]
    return at_a_terminal("approver", "add", name, "--vault", home, typed=typed)


def test_a_person_makes_an_approver_and_approves(home, state):
    """A person at a terminal reads the card and types the passphrase, and then the asker may act on the approval."""
    code, seen = add(home)
    assert code == 0 and "ada may approve now" in seen and PASSPHRASE not in seen
    trust = approvers.pin(state)
    asked = request(input='{"command": "rm -rf build"}')
    ledger = Ledger(state, trust=trust)
    ledger.ask(asked)

    code, seen = at_a_terminal(
        "approve", asked.id[:8], "--suggestion", "1", "--vault", home, typed=[("Passphrase of ada", PASSPHRASE)]
    )

    assert code == 0 and "rm -rf build" in seen and "may delete" in seen and "--suggestion 2" in seen
    taken = seen[: seen.index("Passphrase of ada")]
    assert "With it, suggestion 1: " in taken and "With it, suggestion 2" not in taken
    assert f"Approved {asked.id[:8]} as ada" in seen
    (row,) = ledger.wait([asked.id], 5)
    said = verdict(asked, row, trust)
    assert isinstance(said, Verdict) and said.behaviour == "allow" and said.suggestions == (asked.suggestions[0],)
    assert run("approvals", "--check", "--vault", home).exit_code == 0
    for path in state.rglob("*"):
        assert PASSPHRASE.encode() not in path.read_bytes() and path.stat().st_mode & 0o077 == 0


def test_an_edited_input_is_what_was_shown(home, state, tmp_path):
    """`--input` shows the person's own input and signs exactly its text.

    Text that is not JSON is refused before that.
    """
    add(home)
    trust = approvers.pin(state)
    asked = request()
    Ledger(state).ask(asked)
    mine = tmp_path / "mine.json"
    mine.write_text('{"command":  "ls -l"}')
    (tmp_path / "bad.json").write_text('{"command": ')

    bad, seen = at_a_terminal("approve", asked.id, "--input", tmp_path / "bad.json", "--vault", home)
    assert bad == 2 and "not a JSON object" in seen
    code, seen = at_a_terminal(
        "approve", asked.id, "--input", mine, "--vault", home, typed=[("Passphrase", PASSPHRASE)]
    )

    assert code == 0 and "ls -l" in seen and "not the input of the request" in seen
    row = Ledger(state).row(asked.id)
    said = verdict(asked, row, trust) if row else None
    assert isinstance(said, Verdict) and said.input == '{"command":  "ls -l"}'


def test_a_request_that_nobody_waits_for_asks_for_no_passphrase(home, state):
    """If the asker is gone, the next command that looks ends the request and asks the person for no passphrase."""
    add(home)
    asked = request(asker=Asker(1 << 22, "long ago"))
    Ledger(state).ask(asked)

    code, seen = at_a_terminal("approve", asked.id, "--vault", home)

    assert code == 1 and "who asked is gone" in seen and "Passphrase" not in seen
    found = Ledger(state).row(asked.id)
    assert found is not None and found.state is State.INVALID
    assert run("approvals", "--vault", home).output.strip() == "No requests are pending."


def test_an_answer_that_came_too_late_says_so(home, state):
    """If the terminal answered first, the exit code is 1 and the message says what really happened."""
    row = Ledger(state).ask(request())
    was_faster = threading.Timer(0.2, lambda: Ledger(state).answered(row.id, Answered("allow", "terminal")))
    decide = Ledger.decide

    def decided(ledger, *args):
        done = decide(ledger, *args)
        was_faster.start()
        return done

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ledger, "decide", decided)
        late = run("deny", row.id, "--vault", home)
    assert late.exit_code == 1 and "too late: answered in the terminal: allowed" in late.stderr
    assert run("approvals", "--all", "--json", "--vault", home).output.count("came too late") == 1


def test_a_wrong_passphrase_does_nothing(home, state):
    """After a wrong passphrase, an empty one or Ctrl-C, the request is still pending."""
    add(home)
    row = Ledger(state).ask(request())

    for typed, expected in (("wrong horse battery", 2), ("", 2), (b"\x04", 130), (b"\x03", 130)):
        code, seen = at_a_terminal("approve", row.id, "--vault", home, typed=[("Passphrase", typed)])
        assert code == expected and "Traceback" not in seen, seen
    assert len(Ledger(state).pending()) == 1


@pytest.mark.parametrize("passphrase", ["short", "aaaaaaaaaaaa", "123456789"])
def test_an_easy_passphrase_is_refused(home, state, passphrase):
    """A passphrase needs ten characters, five of them different, and a person must type it twice the same."""
    code, seen = at_a_terminal("approver", "add", "--vault", home, typed=[("New passphrase", passphrase)])
    assert code == 2 and "at least 10 characters" in seen
    code, _ = at_a_terminal(
        "approver", "add", "--vault", home, typed=[("New passphrase", PASSPHRASE), ("Once more", "another one!")]
    )
    assert code == 2 and not (state / "approvers.jsonl").exists()


@pytest.mark.parametrize("name", ["", "a\nb", "\udcff", "x" * 200])
def test_an_odd_name_is_refused(home, name):
    """The name of an approver must be printable and must not be long."""
    code, seen = at_a_terminal("approver", "add", f" {name}", "--vault", home)

    assert code == 2 and "printable characters" in seen and "Traceback" not in seen


def test_a_second_approver_needs_the_first(home, state):
    """Adding or removing an approver needs the passphrase of an existing one, and the last approver stays."""
    add(home)
    code, seen = add(home, "bob", "another passphrase", by="no idea at all")
    assert code == 2 and "not the passphrase of ada" in seen
    code, seen = add(home, "bob", "another passphrase", by=PASSPHRASE)
    assert code == 0, seen
    assert [each["name"] for each in run_json("approver", "list", "--vault", home)["approvers"]] == ["ada", "bob"]

    code, seen = at_a_terminal(
        "approver", "remove", "ada", "--vault", home, typed=[("Passphrase", "another passphrase")]
    )
    assert code == 0, seen
    code, seen = at_a_terminal("approver", "remove", "bob", "--vault", home)
    assert code == 2 and "last approver" in seen
    assert at_a_terminal("approver", "remove", "nobody", "--vault", home)[0] == 2
    shown = run("approver", "list", "--vault", home)
    # Ids are hexadecimal, so one of them may contain the name as a part of a word.
    assert shown.exit_code == 0 and "bob" in shown.stdout.split() and "ada" not in shown.stdout.split()


def test_approving_needs_an_approver_and_a_terminal(home, state):
    """Without an approver or without a terminal, approving is refused and the message says what to do.

    A pipe is not a person.
    """
    row = Ledger(state).ask(request())
    code, seen = at_a_terminal("approve", row.id, "--vault", home)
    assert code == 2 and "`chorus approver add`" in seen
    add(home)

    piped = run_process("approve", row.id, "--vault", home, given=f"{PASSPHRASE}\n".encode(), start_new_session=True)

    assert piped.returncode == 2 and b"needs a person at a terminal" in piped.stderr
    assert run_process("approver", "add", "--vault", home, start_new_session=True).returncode == 2
    assert len(Ledger(state).pending()) == 1


def test_a_run_that_began_before_there_was_an_approver_says_so(home, state):
    """Such a run would not accept the approval, so Chorus asks for nothing, signs nothing and says what to do."""
    began = described(Runs(home).new(), started_at="2026-01-05T09:00:00.000Z")
    add(home)
    row = Ledger(state).ask(request(run=began.id))

    code, seen = at_a_terminal("approve", row.id, "--vault", home)

    assert code == 2 and "started before there was an approver" in seen and "`chorus resume`" in seen
    assert len(Ledger(state).pending()) == 1


def test_an_agent_cannot_approve_from_inside_its_run(home, state):
    """With the mark of a run, or below a holder, Chorus does not even ask for the passphrase. Denying still works."""
    add(home)
    row = Ledger(state).ask(request())
    marked = {"CHORUS_RUN": "abc"}

    for command in (["approve", row.id], ["approver", "add", "eve"], ["approver", "remove", "ada"]):
        code, seen = at_a_terminal(*command, "--vault", home, environment=marked)
        assert code == 2 and "inside a supervised run" in seen and "Passphrase" not in seen
    holding = "import subprocess, sys; sys.exit(subprocess.run([sys.executable, *sys.argv[2:]]).returncode)"
    below = [
        sys.executable,
        "-c",
        holding,
        "chorus.steer.runs",
        "-m",
        "chorus",
        "approve",
        row.id,
        "--vault",
        str(home),
    ]
    done = subprocess.run(below, capture_output=True, timeout=60, check=False)
    assert done.returncode == 2 and b"holds a run" in done.stderr

    denied = run_process("deny", row.id[:6], "-m", "stop", "--vault", home, env=os.environ | marked)
    assert denied.returncode == 0
    found = Ledger(state).row(row.id)
    assert found and found.state is State.DENIED and found.decision and found.decision.message == "stop"


def test_what_nobody_waits_for_is_not_offered_to_be_approved(home, state):
    """Listing the requests ends a request whose asker is gone, and `--all` shows it with that reason."""
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    asker = structs.replace(request().asker, pid=gone.pid)
    ledger = Ledger(state)
    left, open_ = ledger.ask(request(asker=asker)), ledger.ask(request(key="2"))

    shown = run("approvals", "--vault", home).stdout

    assert "who asked is gone" in run("approvals", "--all", "--vault", home).stdout
    assert f"chorus approve {open_.id[:8]}" in shown and f"chorus approve {left.id[:8]}" not in shown


def test_too_late_has_its_own_exit_code(home, state):
    """If the request was already answered or withdrawn, the exit code is 1 and the message says by whom."""
    trust = add_approver(state, "ada")
    ledger = Ledger(state)
    row, other = ledger.ask(request()), ledger.ask(request(key="2"))
    ledger.decide(row.id, row.digest, allow(row), trust)
    ledger.withdraw(other.id, "answered in its own terminal")

    late = run("deny", row.id, "--vault", home)
    assert late.exit_code == 1 and "already approved from the page" in late.stderr
    gone = run("deny", other.id, "--vault", home)
    assert gone.exit_code == 1 and "withdrawn: answered in its own terminal" in gone.stderr
    code, seen = at_a_terminal("approve", row.id, "--vault", home)
    assert code == 1 and "already approved" in seen


def test_ids_may_be_short_if_they_are_clear(home, state):
    """Four digits are enough to name a request.

    An id that matches several or none, or that is no id, is refused in one line.
    """
    ledger = Ledger(state)
    for number in ("aaaa1", "aaaa2", "bbbb1"):
        ledger.ask(request(id=number.ljust(32, "0"), key=number))

    assert run_process("deny", "BBBB", "--vault", home).returncode == 0
    for name, words in (
        ("aaaa", b"2 ids begin with this"),
        ("cccc", b"no such request"),
        ("b", b"not an id"),
        ("../x", b"not an id"),
    ):
        done = run_process("deny", name, "--vault", home)
        assert done.returncode == 2 and words in done.stderr and b"Traceback" not in done.stderr
    assert run_process("deny", "aaaa1", "--vault", home).returncode == 0
    assert run_process("deny", "aaaa", "--vault", home).returncode == 0


def test_hostile_requests_are_listed_harmlessly(home, state):
    """Lists, cards and JSON send no escape codes and no hidden or padding characters of any field to the terminal."""
    ledger = Ledger(state)
    for tool in ("Bash", "Write", HOSTILE):
        text = json.dumps({"command": HOSTILE, "file_path": HOSTILE, "content": HOSTILE})
        given = {"session": HOSTILE, "cwd": HOSTILE, "agent": HOSTILE, "description": HOSTILE, "conversation": HOSTILE}
        ledger.ask(request(tool=tool, input=text, key=tool, suggestions=[json.dumps({"type": HOSTILE})], **given))
    ledger.withdraw(ledger.pending()[0].id, HOSTILE)

    for arguments in ([], ["--all"], ["--json"], ["--all", "--json"]):
        shown = run("approvals", *arguments, "--vault", home)
        assert shown.exit_code == 0
        text = shown.stdout_bytes.decode()
        assert not set(text) & set("\x1b\u202e\u200b\r") and "end" in text
    assert "\\u{202e}" in run("approvals", "--vault", home).stdout
    (first, *_) = json.loads(run("approvals", "--json", "--vault", home).stdout_bytes)
    assert json.loads(first["request"]["input"])["command"] == HOSTILE


def kept_conversation(home, tmp_path, **said):
    """Records a conversation in the vault and its index, and returns its name in the vault."""
    client(tmp_path / "claude", talk(**said))
    keep(FileVault(home), home, tmp_path / "claude")
    run("index", "--vault", home)
    name = name_of(home, SESSION_ID)
    assert name is not None
    return name


def test_requests_name_the_conversation_by_its_title_and_workspace(home, state, tmp_path):
    """Cards and lists show the title of the conversation, and a person's own title replaces the recorded one."""
    name = kept_conversation(home, tmp_path, title="Tidy the build")
    ledger = Ledger(state)
    row = ledger.ask(request(conversation=name, session=SESSION_ID))
    ledger.ask(request(key="2", session=SESSION_ID))

    shown = run("approvals", "--vault", home).stdout
    assert shown.count("conversation: Tidy the build") == 2 and shown.count("workspace: work\n") == 2
    assert name not in shown
    listed = run("approvals", "--all", "--vault", home).stdout
    assert listed.count("Tidy the build") == 2 and "work" in listed.split()

    run("mark", SESSION_ID, "--title", "Spring cleaning\u202e", "--vault", home)
    assert "conversation: Spring cleaning\\u{202e}" in run("approvals", "--vault", home).stdout
    assert "Spring cleaning" in run("approvals", "--all", "--vault", home).stdout
    add(home)
    _, seen = at_a_terminal("approve", row.id, "--vault", home, typed=[("Passphrase", b"\x03")])
    assert "conversation: Spring cleaning" in seen
    assert run_json("approvals", "--vault", home)[0]["request"]["conversation"] == name


def test_settled_requests_are_watched_with_the_title(home, state, tmp_path):
    """`--watch` prints the workspace and the title of the conversation on the line of a request that was settled."""
    name = kept_conversation(home, tmp_path, title="Tidy the build")
    ledger = Ledger(state)
    row = ledger.ask(request(conversation=name, session=SESSION_ID))
    call = [sys.executable, "-m", "chorus", "approvals", "--watch", "--vault", str(home)]
    watching = subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    killer = threading.Timer(60, watching.kill)
    killer.start()
    try:
        assert watching.stderr and "watching" in watching.stderr.readline()
        ledger.withdraw(row.id, "over")
        assert watching.stdout
        line = next(line for line in watching.stdout if "withdrawn" in line)
        assert "Tidy the build · work" in line
    finally:
        killer.cancel()
        watching.kill()
        watching.communicate()


def test_a_request_without_a_known_title_has_a_short_id(home, state):
    """Without an index, the title comes from the description of the run.

    If there is no title, a part of the id is shown.
    """
    began = described(Runs(home).new(), title="Write the tests")
    ledger = Ledger(state)
    ledger.ask(request(run=began.id, conversation="work-12345678/ada/" + began.session, session=began.session))
    ledger.ask(request(key="2", session="22222222-2222-4222-8222-222222222222"))
    ledger.ask(request(key="3", conversation="../../x", run="../../x", session="../../etc"))

    shown = run("approvals", "--vault", home).stdout
    assert "conversation: Write the tests\n" in shown and "workspace: work\n" in shown
    assert "conversation: 22222222\n" in shown and "Traceback" not in shown
    assert not (home / "index").exists()


def test_a_card_names_the_sub_agent_by_what_it_does(home, state, tmp_path, monkeypatch):
    """A sub-agent is called by its type and description; by its id only if the client's files do not name it."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    known, unknown = request(agent="a1"), request(agent="a2")
    notes = tmp_path / "claude" / "projects" / "-work" / known.session / "subagents"
    notes.mkdir(parents=True)
    (notes / "agent-a1.meta.json").write_text('{"agentType": "Explore", "description": "find \\u202e the tests"}')
    ledger = Ledger(state)
    ledger.ask(known)
    ledger.ask(unknown)

    shown = run("approvals", "--vault", home).stdout

    assert "sub-agent: Explore: find \\u{202e} the tests\n" in shown and "sub-agent: a2\n" in shown


@pytest.mark.parametrize("columns", [80, 120])
def test_what_was_asked_fits_the_terminal_a_line_each(home, state, columns):
    """`--all` cuts long texts but not the table: every request has one line with its id and its outcome."""
    ledger = Ledger(state)
    commands = [json.dumps({"command": f"echo {number} " + "é漢 word " * 40}) for number in range(3)]
    long = [ledger.ask(request(key=each, input=each)) for each in commands]
    ledger.withdraw(long[0].id, "no longer asked, " + "since somebody was faster " * 5)
    ledger.decide(long[1].id, long[1].digest, deny(), None)

    code, seen = at_a_terminal("approvals", "--all", "--vault", home, environment={"COLUMNS": str(columns)})

    lines = [line for line in seen.splitlines() if line.strip() and not set(line.strip()) <= {"─"}]
    assert code == 0 and len(lines) == 2 + len(long), seen
    for row, became in zip(reversed(long), ("pending", "denied", "withdrawn"), strict=True):
        (line,) = [line for line in lines if row.id[:8] in line]
        assert became in line and "echo" in line and cell_len(line.rstrip()) <= columns
    assert "no longer asked" in seen and "terminal" in seen


def test_files_that_were_changed_by_hand_are_reported(home, state):
    """`--check` and `approver list` name forged lines and exit with 1, and the other lines still work."""
    trust = add_approver(state, "ada")
    ledger = Ledger(state)
    row = ledger.ask(request())
    assert isinstance(ledger.decide(row.id, row.digest, allow(row), trust), Row)
    with (state / "approvals.jsonl").open("ab") as file:
        file.write(b'{"type":"decided"}\n' + journal_line.encode(99, "x", b'{"type":"asked"}') + b"\n")
    with (state / "approvers.jsonl").open("ab") as file:
        file.write(b"me too\n")

    found = run("approvals", "--check", "--json", "--vault", home)
    assert found.exit_code == 1
    told = json.loads(found.stdout_bytes)
    assert [flaw["line"] for flaw in told["flaws"]] == [3, 4] and told["rejected_approvers"][0]["line"] == 2
    assert not told["ok"] and told["rows"] == 1
    plain = run("approvals", "--check", "--vault", home)
    assert plain.exit_code == 1 and "changed by hand" in plain.stdout
    assert run("approver", "list", "--vault", home).exit_code == 1
    assert run("approvals", "--all", "--vault", home).exit_code == 0


@pytest.mark.parametrize("how", ["link", "folder", "garbage", "huge line"])
def test_a_state_that_is_no_ledger_is_an_error_in_words(home, state, how):
    """Commands print no traceback, whatever is in the place of the ledger file."""
    state.mkdir(parents=True)
    for name in ("approvals.jsonl", "approvers.jsonl"):
        path = state / name
        if how == "link":
            path.symlink_to("/dev/zero")
        elif how == "folder":
            path.mkdir()
        else:
            path.write_bytes(os.urandom(9 << 20) if how == "garbage" else b"[" * (9 << 20) + b"\n{}\n")

    for arguments in (
        ["approvals"],
        ["approvals", "--all"],
        ["approvals", "--check"],
        ["approver", "list"],
        ["deny", "abcd"],
    ):
        done = run_process(*arguments, "--vault", home)
        assert done.returncode in ((2,) if how in ("link", "folder") else (0, 1, 2)), arguments
        assert b"Traceback" not in done.stderr and len(done.stderr) < 1_000
    assert b"Traceback" not in at_a_terminal("approve", "abcd", "--vault", home)[1].encode()


def test_an_empty_vault_has_nothing_waiting(home):
    """Listing the requests of an empty vault creates no file."""
    assert "No requests" in run("approvals", "--vault", home).stdout
    assert run_json("approvals", "--all", "--vault", home) == []
    assert "Nobody can approve yet" in run("approver", "list", "--vault", home).stdout
    assert not home.exists()


def test_watching_shows_what_comes_and_goes(home, state):
    """`--watch --json` prints each change as a line and ends at SIGTERM. It also ends requests that have expired."""
    ledger = Ledger(state)
    first = ledger.ask(request())
    call = [sys.executable, "-m", "chorus", "approvals", "--watch", "--json", "--vault", str(home)]
    watching = subprocess.Popen(call, stdout=subprocess.PIPE)
    killer = threading.Timer(60, watching.kill)
    killer.start()
    try:
        assert watching.stdout
        assert json.loads(watching.stdout.readline())["request"]["id"] == first.id
        second = ledger.ask(request(key="2", deadline_at="2026-01-01T00:00:00.000Z"))
        assert json.loads(watching.stdout.readline())["request"]["id"] == second.id
        assert json.loads(watching.stdout.readline())["state"] == "expired"
        ledger.withdraw(first.id, "over")
        assert json.loads(watching.stdout.readline())["state"] == "withdrawn"
        watching.terminate()
        assert watching.wait(30) == 0
    finally:
        killer.cancel()
        watching.kill()
        watching.communicate()


def test_starting_loads_no_cryptography(home, state):
    """Listing and denying need no signature and do not load the cryptography package."""
    row = Ledger(state).ask(request())
    code = f"""
import sys
from chorus.cli.main import main
assert main(["approvals", "--vault", {str(home)!r}]) == 0
assert main(["deny", {row.id!r}, "--vault", {str(home)!r}]) == 0
assert "cryptography" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_an_answer_of_another_process_wakes_who_waits(home, state):
    """A waiting asker polls the file, so a command that answers needs no server."""
    ledger = Ledger(state)
    row = ledger.ask(request())
    answering = subprocess.Popen([sys.executable, "-m", "chorus", "deny", row.id, "--vault", str(home)])

    (found,) = ledger.wait([row.id], 60)

    assert found.state is State.DENIED and answering.wait(60) == 0


def test_doctor_tells_of_forged_lines(home, state):
    """`chorus doctor` reports a ledger that was changed by hand as something that needs attention."""
    Ledger(state).ask(request())
    assert "approvals" not in run("doctor", "--vault", home).stdout
    with (state / "approvals.jsonl").open("ab") as file:
        file.write(b"forged\n")

    shown = run("doctor", "--vault", home)

    assert shown.exit_code == 1 and "`chorus approvals --check`" in shown.stdout
    assert run_json("doctor", "--vault", home)["approvals"] == {"flaws": 1, "unsigned": 0, "rejected_approvers": 0}


def test_a_user_without_a_name_is_called_by_its_number(monkeypatch):
    """A user whom neither a variable nor the list of users names, as in containers, is called by the user id."""
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("os.getuid", lambda: 3_000_000_017)

    assert login_name() == "user 3000000017"


def test_every_prompt_shows_the_phrase_of_the_set_up(tmp_path):
    """A new approver gets three words or chooses a phrase, and each prompt for the passphrase shows it again."""
    home = tmp_path / "home"
    environment = {"CHORUS_HOME": str(home)}
    typed = [("New passphrase", "correct horse battery"), ("Once more", "correct horse battery")]
    code, seen = at_a_terminal("approver", "add", "ada", typed=typed, environment=environment)
    shown = re.search(r"Every passphrase prompt shows: ([a-z]+ [a-z]+ [a-z]+)\.", " ".join(seen.split()))
    assert code == 0 and shown is not None, seen

    typed = [(f"Your phrase, ada: {shown[1]}", None), ("Passphrase of ada", "correct horse battery"), *typed]
    code, seen = at_a_terminal(
        "approver", "add", "bo", "--phrase", "my own words", typed=typed, environment=environment
    )
    assert code == 0 and "shows: my own words" in " ".join(seen.split()), seen
    assert not run_json("approver", "list", "--vault", home)["rejected"]


def test_the_list_of_approvers_names_the_program_that_runs(tmp_path):
    """The list shows a digest of the program that runs, and the digest does not depend on the vault."""
    listed = run_json("approver", "list", "--vault", tmp_path / "home")
    shown = run("approver", "list", "--vault", tmp_path / "home").stdout

    assert listed["program"]["digest"] in shown and len(listed["program"]["digest"]) == 32
    assert listed["program"]["digest"] == run_json("approver", "list", "--vault", tmp_path)["program"]["digest"]
