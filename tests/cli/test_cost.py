"""Tests of `chorus cost` from the vault and from files, as a person and as a program see it."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from chorus.find.index.sqlite.opening import FILE, FOLDER
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.keys import StreamKey
from chorus.testing.builders import Run, Session, corpus, encode_all, lay_out, tool_use
from chorus.testing.builders.lines import Clock, usage
from tests.cli.commands import BROKEN, SHARED, below, run, run_json, run_process
from tests.core.spending.recount import recount
from tests.keep.archive.vaults import keep

MODEL = "claude-opus-5-5"
ONE = "a1a1a1a1-0000-4000-8000-000000000001"
TWO = "b2b2b2b2-0000-4000-8000-000000000002"
MILLION = 1_000_000


@pytest.fixture(autouse=True)
def home(monkeypatch, tmp_path):
    """Sets up an empty home and the time zone UTC."""
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TZ", "UTC")
    if hasattr(time, "tzset"):
        time.tzset()
    (tmp_path / "home").mkdir()
    yield tmp_path / "home"
    monkeypatch.undo()
    if hasattr(time, "tzset"):
        time.tzset()


def talk(session_id=ONE, *, model=MODEL, start="2026-02-03T09:00:00.000Z", **tokens):
    session = Session(session_id, model=model, clock=Clock(start))
    session.title("A talk")
    session.user("go")
    session.assistant("a", "b", tokens=usage(**{"given": MILLION, "said": 0, **tokens}), stop="end_turn")
    return session


def forked(source, session_id=TWO):
    fork = Session(session_id, model=MODEL, clock=Clock("2026-02-04T09:00:00.000Z"))
    for line in source.lines:
        fork.add({**line, "sessionId": fork.id})
    fork.assistant("more", tokens=usage(given=MILLION, said=0), stop="end_turn")
    return fork


def kept(tmp_path, home, *sessions):
    """Records a client's folder with these sessions in the vault, and returns the session files."""
    paths = [lay_out(tmp_path / "client", session) for session in sessions]
    keep(FileVault(home), home, tmp_path / "client")
    return paths


def test_files_are_counted_by_day(tmp_path):
    """Files are counted without a vault: each message once, with its price, in the documented JSON shape."""
    lay_out(tmp_path / "c", talk())
    numbers = run_json("cost", "--no-index", tmp_path / "c")

    assert list(numbers)[:3] == ["rows", "total", "prices"]
    (row,) = numbers["rows"]
    assert list(row)[:6] == ["key", "tokens", "cost_usd", "reported_usd", "messages", "notes"]
    assert row["tokens"] == {"input": MILLION, "output": 0, "cache_creation": 0, "cache_read": 0}
    assert (row["key"], row["cost_usd"], row["reported_usd"], row["messages"]) == ("2026-02-03", 4.0, None, 1)
    assert numbers["prices"]["dated"] >= "2026-10-19"


def test_the_vault_is_counted_as_its_files_are(tmp_path, home):
    """Without a source, everything in the vault is counted, with sub-agents and forks, as its files are counted."""
    session = talk()
    session.assistant(tool_use("Agent", {"prompt": "dig"}, id="t1"), tokens=usage(given=1, said=2))
    agent = session.agent("a1", "t1")
    agent.assistant("found", tokens=usage(given=3, said=4))
    kept(tmp_path, home, session, forked(session))

    for by in ("day", "week", "month", "model", "workspace", "agent"):
        from_vault = run_json("cost", "--by", by)
        from_files = run_json("cost", "--no-index", tmp_path / "client", "--by", by)
        assert from_vault == from_files
    assert from_vault["total"]["tokens"]["output"] == 6
    assert [row["key"] for row in from_vault["rows"]] == ["main", "main/sub-agents"]


def test_a_fork_counts_what_it_added(tmp_path, home):
    """A fork counts only what it added, also if the report names it alone."""
    source = talk()
    kept(tmp_path, home, source, forked(source))

    rows = {row["key"]: row["cost_usd"] for row in run_json("cost", "--by", "conversation")["rows"]}

    assert rows == {ONE: 4.0, TWO: 4.0}
    assert run_json("cost", TWO[:8])["total"]["cost_usd"] == 4.0
    assert run_json("cost", ONE, TWO)["total"]["cost_usd"] == 8.0


def test_a_table_for_people(tmp_path):
    """The table has aligned columns, a total, the date of the prices, and remarks below it."""
    session = talk(said=5, cache_read=7)
    session.assistant("open", tokens=usage(given=1, said=1))
    lay_out(tmp_path / "c", session)
    lay_out(tmp_path / "c", talk(TWO, model="claude-\x1b[31mx", start="2026-02-04T09:00:00.000Z"))

    outcome = run("cost", "--no-index", tmp_path / "c")

    lines = outcome.stdout.splitlines()
    assert [" ".join(line.split()) for line in lines if line] == [
        "Cost by day",
        "Day Input Output Cache write Cache read Cost",
        "2026-02-03 1,000,001 ≥6 0 7 ≥$4.00",
        "2026-02-04 1,000,000 0 0 0 ?",
        "Total 2,000,001 ≥6 0 7 ≥$4.00",
        "≥: lower bound; ?: not known",
        "no price for claude-\\x1b[31mx: 1 message not in the cost",
        "1 message with an output count that is a lower bound",
        "Prices of 2026-10-19 (genai-prices 0.2.1)",
    ]
    assert "\x1b" not in outcome.stdout


def test_conversations_have_their_titles(tmp_path, home):
    """The row of a conversation begins with its id and ends with its title."""
    kept(tmp_path, home, talk())

    row = run("cost", "--by", "conversation").stdout.splitlines()[2]

    assert row.split()[0] == ONE and row.endswith("  A talk")


def test_reported_and_computed_stand_side_by_side(tmp_path):
    """The report shows the cost that the results of a run state, the computed cost, and the difference."""
    stdout = Run(ONE, model=MODEL)
    stdout.init()
    stdout.assistant("hi", tokens=usage(given=MILLION, said=0), timestamp="2026-02-03T09:00:00.000Z")
    stdout.result("hi", cost=3.5)
    (tmp_path / "log.jsonl").write_bytes(bytes(stdout))

    (row,) = run_json("cost", "--no-index", tmp_path / "log.jsonl")["rows"]

    assert (row["cost_usd"], row["reported_usd"], row["difference_usd"]) == (4.0, 3.5, 0.5)
    assert "reported by turns of 1 conversation" in row["notes"]
    assert "+$0.50" in run("cost", "--no-index", tmp_path / "log.jsonl").stdout


def test_a_period_can_be_asked_for(tmp_path):
    """`--since` and `--until` choose a period, and both days are part of it."""
    for n in range(1, 5):
        lay_out(tmp_path / "c", talk(f"a1a1a1a1-0000-4000-8000-00000000000{n}", start=f"2026-02-0{n}T09:00:00.000Z"))

    numbers = run_json("cost", "--no-index", tmp_path / "c", "--since", "2026-02-02", "--until", "2026-02-03")

    assert [row["key"] for row in numbers["rows"]] == ["2026-02-02", "2026-02-03"]
    assert run_json("cost", "--no-index", tmp_path / "c", "--since", "7d")["rows"] == []


def test_standard_input_is_a_source():
    """`-` reads standard input, as in every command that counts."""
    assert run_json("cost", "--no-index", "-", given=bytes(talk()))["total"]["cost_usd"] == 4.0
    assert run_json("cost", "-", given=bytes(talk()))["total"]["cost_usd"] == 4.0


def test_a_user_has_prices_of_their_own(tmp_path, home):
    """Prices come from the file that `--prices` names, or from `prices.json` in the home."""
    lay_out(tmp_path / "c", talk(model="claude-fable-5-2"))
    ours = {"models": [{"names": ["claude-fable-5-2"], "rates": [{"input": 8, "output": 40}]}]}
    (tmp_path / "mine.json").write_text(json.dumps(ours))

    def total(*more):
        return run_json("cost", "--no-index", tmp_path / "c", *more)["total"]["cost_usd"]

    assert total() is None
    assert total("--prices", tmp_path / "mine.json") == 8.0
    (home / "prices.json").write_text(json.dumps(ours))
    assert total() == 8.0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--no-index"], "--no-index needs files: name them"),
        (["--since", "sometime"], '"sometime" is not a date'),
        (["--prices", "nowhere.json"], "nowhere.json: No such file or directory"),
        (["nowhere.jsonl"], "nowhere.jsonl: No such file or directory"),
        (["deadbeef"], "deadbeef: no file, and no conversation with this id"),
        (["--explain", "deadbeef"], "deadbeef: no file, and no conversation with this id"),
        (["--by", "year"], "'year' is not one of"),
    ],
)
def test_misuse_is_one_line(arguments, complaint, tmp_path):
    """A wrong argument gives one line that says what is wrong, and the exit code is 2."""
    outcome = run_process("cost", *arguments, cwd=tmp_path)

    assert outcome.returncode == 2
    assert outcome.stderr.startswith(b"chorus: ") and outcome.stderr.count(b"\n") == 1
    assert complaint in outcome.stderr.decode()


def test_a_bad_price_file_is_one_line(tmp_path, home):
    """The error names the price file and what is wrong with it."""
    (home / "prices.json").write_text('{"models": 5}')
    outcome = run_process("cost", cwd=tmp_path)

    assert outcome.returncode == 2
    assert f"chorus: {home / 'prices.json'}: Expected `array`" in outcome.stderr.decode()


def test_a_query_counts_every_conversation_that_answers(tmp_path, home):
    """Words and fields choose conversations. The report counts these conversations completely and no others."""
    one, two = talk(ONE), talk(TWO, model="claude-haiku-4-5")
    one.user("about the harbour")
    two.user("about the lighthouse")
    kept(tmp_path, home, one, two)

    def counted(*words):
        return [row["key"] for row in run_json("cost", *words, "--by", "conversation")["rows"]]

    assert sorted(counted("about", "the")) == sorted(counted("role:user")) == sorted([ONE, TWO])
    assert counted("harbour") == counted("model:opus") == [ONE]
    assert counted("cost>3") == [ONE]
    assert "Counted: 2 conversations that answer `about the`" in run("cost", "about", "the").output
    assert "Counted: 1 conversation that answers `harbour`" in run("cost", "harbour").output
    assert "Counted" not in run("cost").output + run("cost", ONE).output
    mixed = run_process("cost", ONE, "harbour")
    assert mixed.returncode == 2 and b"a query cannot be combined" in mixed.stderr
    wrong = run_process("cost", "tol:Bash")
    assert wrong.returncode == 2 and b"did you mean" in wrong.stderr


@pytest.mark.parametrize("source", ["UNKNOWN", "nowhere to be found", "workspace:nowhere", "deadbeef", "no/file.jsonl"])
def test_what_is_not_there_is_an_error(tmp_path, home, source):
    """A word, a query, an id or a file that names nothing gives one line of error and no empty table."""
    kept(tmp_path, home, talk(ONE))
    for form in ((), ("--json",), ("--by", "model")):
        outcome = run_process("cost", source, *form)

        assert (outcome.returncode, outcome.stdout) == (2, b"") and outcome.stderr.count(b"\n") == 1


def test_files_and_kept_conversations_do_not_mix(tmp_path, home):
    """Files and recorded conversations cannot be combined, because a message in both would be counted twice."""
    (path,) = kept(tmp_path, home, talk())
    outcome = run_process("cost", ONE, path)

    assert outcome.returncode == 2 and b"either files or recorded conversations" in outcome.stderr


@pytest.mark.skipif(not BROKEN.exists(), reason="this system has no file that opens but cannot be read")
def test_a_file_that_fails_is_reported_and_the_others_count(tmp_path):
    """A file that cannot be read is reported, and the other files are counted, as in every command that counts."""
    (tmp_path / "good.jsonl").write_bytes(bytes(talk()))
    outcome = run_process("cost", "--no-index", tmp_path / "good.jsonl", BROKEN, "--json", cwd=tmp_path)

    assert outcome.returncode == 2
    assert outcome.stderr.startswith(f"chorus: {BROKEN}: ".encode()) and outcome.stderr.count(b"\n") == 1
    assert json.loads(outcome.stdout)["total"]["cost_usd"] == 4.0


def test_an_empty_vault_costs_nothing():
    """The JSON of an empty vault has the same shape, and a person reads that nothing is recorded yet and what to do."""
    numbers = run_json("cost")

    assert (numbers["rows"], numbers["total"]["cost_usd"]) == ([], None)
    assert run("cost").stdout == "Nothing is recorded here yet: `chorus sync` records your sessions.\n"


@pytest.mark.parametrize("by", ["conversation", "day"])
def test_an_independent_recount_agrees(tmp_path, by):
    """A recount with plain JSON and without Chorus' code agrees, on generated sessions of all client versions."""
    corpus(tmp_path, seed=11, megabytes=2)
    counted = recount(below(tmp_path))
    wanted = {}
    for session, days in counted.items():
        for day, counts in days.items():
            line = wanted.setdefault(session if by == "conversation" else day, [0] * 6)
            wanted[session if by == "conversation" else day] = [a + b for a, b in zip(line, counts, strict=True)]

    rows = run_json("cost", "--no-index", tmp_path, "--by", by)["rows"]

    assert {row["key"]: [*row["tokens"].values(), row["messages"], row["lower_bounds"]] for row in rows} == wanted


def test_what_clients_reported_is_what_they_wrote():
    """On recorded runs of a scripted client, the reported cost is the sum of the amounts that its results state."""
    folder = SHARED / "captures"
    if not folder.is_dir():
        pytest.skip("no recordings beside this clone (../shared)")
    stated, bare = {}, set()
    for path in below(folder):
        for line in Path(path).read_bytes().splitlines():
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict) and record.get("type") == "result" and record.get("uuid"):
                if not isinstance(record.get("model_usage_since_last_result"), dict):
                    bare.add(record.get("session_id"))
                    continue
                costs = record["model_usage_since_last_result"].values()
                stated.setdefault(record["session_id"], {})[record["uuid"]] = sum(cost["costUSD"] for cost in costs)
    rows = {row["key"]: row for row in run_json("cost", "--no-index", folder, "--by", "conversation")["rows"]}
    compared = {session: sum(each.values()) for session, each in stated.items() if session not in bare}

    assert len(compared) > 20
    for session, usd in compared.items():
        assert (rows[session]["reported_usd"] if session in rows else 0) == pytest.approx(usd, abs=1e-9)


def explained(*arguments):
    return run_json("cost", "--explain", *arguments)


def test_a_kept_conversation_is_explained(tmp_path, home):
    """The explanation lists every message with tokens, rates, cost and lines, and its sum is the cost of the report."""
    session = talk(said=1000, cache_read=50)
    session.assistant(tool_use("Agent", {"prompt": "dig"}, id="t1"), tokens=usage(given=1, said=2), stop="tool_use")
    session.agent("a1", "t1").assistant("found", tokens=usage(given=3, said=4), stop="end_turn")
    session.fact("cost-state", totalCostUSD=4.25)
    kept(tmp_path, home, session)

    found = explained(ONE[:8])
    total = run_json("cost", ONE)["total"]

    assert found["cost_usd"] == pytest.approx(total["cost_usd"], abs=1e-9)
    assert found["reported_usd"] == total["reported_usd"] == 4.25
    assert sum(message["cost_usd"] for message in found["messages"]) == pytest.approx(total["cost_usd"], abs=1e-9)
    first, second, third = found["messages"]
    assert [(line["stream"], line["line"]) for line in first["lines"]] == [
        (f"{ONE}/session", 3),
        (f"{ONE}/session", 4),
    ]
    assert second["lines"][0]["line"] == 5
    assert (third["thread"], third["lines"][0]["stream"]) == ("a1", f"{ONE}/agent-a1")
    assert found["reported"] == [
        {
            "source": "cost-state",
            "usd": 4.25,
            "counts": True,
            "lines": [{"stream": f"{ONE}/session", "line": 6, "offset": found["reported"][0]["lines"][0]["offset"]}],
        }
    ]


@pytest.mark.parametrize("number", [10**12, -1])
def test_a_cost_that_cannot_be_computed_has_its_reason(tmp_path, home, number):
    """If usage is impossible, every way of asking for the cost says so: report, list, explanation, header, files."""
    session = Session(ONE, model=MODEL)
    session.user("go")
    session.assistant("a", "b", tokens=usage(given=number, said=0), stop="end_turn")
    (path,) = kept(tmp_path, home, session)
    why = "figures that no API returns"

    for arguments in ([], ["--no-index", path]):
        total = run_json("cost", *arguments)["total"]
        assert (total["cost_usd"], total["unpriced_messages"]) == (None, 1)
        assert total["notes"] == [f"{why}: 1 message not in the cost"]
    assert run_json("list")["conversations"][0]["why_no_cost"] == why
    assert [message["why_unknown"] for message in explained(ONE[:8])["messages"]] == [why]
    assert f"? {why}" in run("show", ONE).stdout
    assert f"? {why}" in run("compare", path, path).stdout


def test_a_session_in_files_is_explained(tmp_path):
    """The line number and byte offset of each message lead to its line in the file."""
    session = talk()
    path = lay_out(tmp_path / "c", session)
    agent = session.agent("a1", "t1")
    agent.assistant("found", tokens=usage(given=3, said=4), stop="end_turn")
    lay_out(tmp_path / "c", session)

    for arguments in ([path], [ONE, tmp_path / "c"]):
        found = explained(*arguments)
        assert len(found["messages"]) == 2
        for message in found["messages"]:
            for line in message["lines"]:
                data = Path(line["stream"]).read_bytes()
                assert data.count(b"\n", 0, line["offset"]) + 1 == line["line"]
                assert json.loads(data[line["offset"] :].split(b"\n")[0])["message"]["id"] == message["message"]


def test_a_forks_messages_lead_to_their_owner(tmp_path, home):
    """A message that counts in another conversation is shown and not added."""
    source = talk()
    kept(tmp_path, home, source, forked(source))

    found = explained(TWO[:8])

    assert [message["counted_in"].rpartition("/")[2] for message in found["messages"]] == [ONE, TWO]
    assert found["cost_usd"] == 4.0
    assert f"counted in {found['messages'][0]['counted_in']}" in run("cost", "--explain", TWO[:8]).stdout


def test_an_explanation_needs_no_index(tmp_path, home):
    """The explanation is the same without an index and with a complete, an outdated or a damaged index."""
    source = talk()
    fork = forked(source)
    third = talk("c3c3c3c3-0000-4000-8000-000000000003", start="2026-02-02T09:00:00.000Z")
    third.assistant("alone", tokens=usage(given=7, said=7), stop="end_turn")
    kept(tmp_path, home, source, fork, third)
    wanted = (ONE, TWO, third.id)
    without = [explained(name) for name in wanted]
    database = home / FOLDER / FILE
    assert not database.exists()

    run("index")
    assert database.is_file() and [explained(name) for name in wanted] == without
    fork.assistant("one", message_id=third.lines[-1]["message"]["id"], tokens=usage(given=9, said=9), stop="end_turn")
    kept(tmp_path, home, fork)
    behind = [explained(name) for name in wanted]
    # Another message with the same id does not change the numbers.
    assert behind[2]["messages"][-1]["tokens"]["input"] == 7
    database.write_bytes(b"no database" * 500)
    assert [explained(name) for name in wanted] == behind


def test_a_log_of_several_sessions_is_divided_alike(home):
    """The index and the explanation both give a line without a session id to the session that the log opened last."""
    said = {"role": "assistant", "model": MODEL, "content": [], "stop_reason": "end_turn"}
    lines = [
        {"type": "system", "subtype": "init", "session_id": ONE},
        {"type": "assistant", "session_id": ONE, "message": {**said, "id": "m1", "usage": usage(given=1, said=0)}},
        {"type": "system", "subtype": "init", "session_id": TWO},
        {"type": "assistant", "message": {**said, "id": "m2", "usage": usage(given=2, said=0)}},
    ]
    vault = FileVault(home)
    vault.append(StreamKey("w", "main", ONE, "log-1"), encode_all(lines), seen_at="2026-02-03T09:00:00.000Z")
    vault.close()

    assert [message["message"] for message in explained(ONE)["messages"]] == ["m1"]
    assert run_json("cost", ONE)["total"]["tokens"]["input"] == 1
    shown = json.loads(run("show", ONE, "--json").stdout)
    assert [message["message_id"] for message in shown["messages"]] == ["m1"]


def test_an_explanation_in_words(tmp_path):
    """The explanation shows the calculation for each message and the place of its line."""
    (tmp_path / f"{ONE}.jsonl").write_bytes(bytes(talk(said=42)))

    shown = run("cost", "--explain", tmp_path / f"{ONE}.jsonl").stdout

    assert "1,000,000 input x $4 + 42 output x $20 = $4.00084\n" in shown
    assert f"{ONE}.jsonl:3 (byte " in shown
    assert "Cost $4.00, reported not known" in shown


def test_an_explanation_steers_no_terminal(tmp_path):
    """Names of models and tiers are hostile input, and the explanation escapes their control characters."""
    session = talk(model="claude\x1b]0;x\x07", service_tier="\u202etier")
    (tmp_path / "s.jsonl").write_bytes(bytes(session))

    shown = run("cost", "--explain", ONE, tmp_path / "s.jsonl").stdout

    assert "\x1b" not in shown and "\u202e" not in shown and "claude\\x1b]0;x\\x07" in shown


def test_json_steers_no_terminal(tmp_path, home):
    """Names of models and titles are hostile input. JSON keeps their values exactly and escapes control characters."""
    session = Session(ONE, model="claude-\x9b31m")
    session.title("a \u202etitle")
    session.assistant("a", tokens=usage(given=1, said=1), stop="end_turn")
    kept(tmp_path, home, session)
    for arguments in (["--by", "conversation"], ["--by", "model"], ["--explain", ONE]):
        shown = run("cost", "--json", *arguments)
        assert shown.exit_code == 0 and not {"\x9b", "\u202e"} & set(shown.stdout)

    (row,) = run_json("cost", "--by", "conversation")["rows"]
    assert row["title"] == "a \u202etitle" and "no price for claude-\x9b31m" in row["notes"][0]


def test_an_id_that_several_sessions_share_is_not_guessed(tmp_path):
    """An id that matches two sessions, or none, gives an error and not a guess."""
    lay_out(tmp_path, talk("a1a1a1a1-0000-4000-8000-000000000001"))
    lay_out(tmp_path, talk("a1a1a1a1-0000-4000-8000-000000000002"))

    assert "2 sessions with this id" in run_process("cost", "--explain", "a1a1a1a1", tmp_path).stderr.decode()
    assert "no session with this id" in run_process("cost", "--explain", "ffffffff", tmp_path).stderr.decode()


def test_the_command_loads_little(tmp_path):
    """A report from the index must take 0.15 s in all, so the command loads no record readers and no renderer."""
    code = (
        "import sys, chorus.cli.commands.cost, chorus.cli.cost_table, chorus.core.spending.report; print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()

    heavy = {"rich", "json", "asyncio", "sqlite3", "chorus.core.records", "chorus.keep.archive", "multiprocessing"}
    assert not heavy & set(loaded)
