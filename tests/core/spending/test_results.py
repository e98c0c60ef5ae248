"""Tests of counting from standard output alone, where messages have placeholders and turn results have totals.

All counters give the same numbers.
"""

from pathlib import Path
from random import Random

import pytest

import chorus
from chorus.core.conversation.usage import plus
from chorus.core.views.heading import facts, heading
from chorus.find.index.memory import MemoryIndex
from chorus.keep.sources.sync import Sync
from chorus.keep.vault.memory import MemoryVault
from chorus.lab.census.books import settled
from chorus.lab.census.stats import Stats
from chorus.lab.census.usage import UsageCount
from chorus.library import files as library
from chorus.testing.builders import Run, Session, tool_use
from chorus.testing.builders.lines import SESSION_ID, Ids, usage
from chorus.testing.indexes import whole
from tests.cli.commands import SHARED

MODEL, SIDE = "claude-opus-4-8", "claude-haiku-4-5"
FIELDS = ("input", "output", "cache_creation", "cache_read")


def counts(tokens):
    return tuple(getattr(tokens, field) for field in FIELDS)


def model_usage(**models):
    """Returns the usage as a turn result writes it, from (input, output) for each model."""
    return {
        name: {"inputTokens": given, "outputTokens": said, "cacheReadInputTokens": 0, "cacheCreationInputTokens": 0}
        for name, (given, said) in models.items()
    }


def everyone(path, tmp_path):
    """Returns the tokens of all conversations in a file, by each counter."""
    talks = library.open_all(path)
    count = UsageCount()
    count.take(str(path))
    stats = Stats()
    stats.take(str(path))
    vault, index = MemoryVault(), MemoryIndex()
    Sync(vault, tmp_path / "state", lambda: "2026-11-16T00:00:00.000Z").run([path])
    index.write(whole(vault))
    spent = [each.tokens for each in index.spent()[0]]
    rows = [row.tokens for row in (index.conversation(name) for name in index.positions()) if row]
    return {
        "files": summed([talk.tokens for talk in talks]),
        "library": summed([chorus.cost(talk).tokens for talk in talks]),
        "cost --no-index": summed([each.tokens for each in settled(count).spent]),
        "stats": tuple(stats.as_json()["tokens"][field] for field in FIELDS),
        "cost": summed(spent),
        "list": summed(rows),
    }


def summed(many):
    total = library.count([])
    for tokens in many:
        total = plus(total, tokens)
    return counts(total)


class Wire:
    """A random run on standard output, and what it really used until its last turn result."""

    def __init__(self, seed):
        random = Random(seed)
        self.run, totals = Run(), {}
        self.run.init(model=MODEL)
        is_stated = random.random() < 0.5
        for _ in range(random.randrange(1, 4)):
            turn = {MODEL: [0, 0]}
            for _ in range(random.randrange(1, 4)):
                given, said = random.randrange(1, 90), random.randrange(5, 900)
                self.run.assistant("So", tokens=usage(given=given, said=1))
                turn[MODEL][0] += given
                turn[MODEL][1] += said
            own = usage(given=turn[MODEL][0], said=turn[MODEL][1])
            if random.random() < 0.4:
                self.run.assistant(tool_use("Agent", {"prompt": "x"}, id=(call := self.run.ids.tool())))
                turn[MODEL] = [turn[MODEL][0] + 10, turn[MODEL][1] + 1]
                own = usage(given=turn[MODEL][0], said=turn[MODEL][1])
                self.run.assistant("Seen", parent_tool_use_id=call, tokens=usage(given=7, said=1))
                turn[SIDE] = [7, random.randrange(5, 900)]
            for model, (given, said) in turn.items():
                before = totals.get(model, (0, 0))
                totals[model] = (before[0] + given, before[1] + said)
            said = self.run.result(usage=own, modelUsage=model_usage(**totals))
            if is_stated:
                said["model_usage_since_last_result"] = model_usage(**turn)
        self.used = tuple(sum(both) for both in zip(*totals.values(), strict=True))


@pytest.mark.parametrize("seed", range(12))
def test_results_tell_what_messages_do_not(seed, tmp_path):
    """In every count the totals of the turn results replace the placeholders, per model and including sub-agents."""
    wire = Wire(seed)
    path = tmp_path / "log.jsonl"
    path.write_bytes(bytes(wire.run))
    for who, told in everyone(path, tmp_path).items():
        assert told == (*wire.used, 0, 0), who


def test_all_who_count_agree_on_recordings(tmp_path):
    """For every recorded run, all counters give the same tokens: files, library, vault, census and statistics."""
    files = sorted((SHARED / "captures").glob("*/*.jsonl")) if SHARED.is_dir() else []
    if not files:
        pytest.skip("no recordings beside this clone (../shared)")
    for number, path in enumerate(files):
        found = everyone(path, tmp_path / str(number))
        assert len(set(found.values())) == 1, (path, found)


def test_a_total_that_goes_on_over_a_resume_counts_once(tmp_path):
    """If the first total exceeds the usage of its turn, the rest was used before and does not count for the turn."""
    run = Run()
    run.init(model=MODEL, claude_code_version="2.1.325")
    run.assistant("Yes", tokens=usage(given=12, said=1))
    run.result(usage=usage(given=12, said=42), modelUsage=model_usage(**{MODEL: (36, 126)}))
    (tmp_path / "log.jsonl").write_bytes(bytes(run))
    assert library.open(tmp_path / "log.jsonl").tokens.output == 42


def test_a_run_that_was_killed_is_a_lower_bound(tmp_path):
    """Without a final turn result, only the messages count, and every count is marked as a lower bound."""
    run = Run()
    run.assistant("First", tokens=usage(given=5, said=1))
    run.result(usage=usage(given=5, said=30), modelUsage=model_usage(**{MODEL: (5, 30)}))
    run.assistant("Second, and then nothing", tokens=usage(given=9, said=1))
    path = tmp_path / "log.jsonl"
    path.write_bytes(bytes(run))
    assert set(everyone(path, tmp_path).values()) == {(14, 2, 0, 0)}
    talk, stats = library.open(path), Stats()
    stats.take(str(path))
    assert talk.is_lower_bound and stats.as_json()["lower_bounds"] == 2
    assert "14 in · ≥ 2 out" in " ".join(facts(heading(talk), ""))


def test_a_session_file_knows_better(tmp_path):
    """If the session file exists, its messages count, and turn results are another figure for the same work."""
    session, run = Session(), Run(ids=Ids("run"))
    session.assistant("Yes", message_id="msg_1", stop="end_turn", tokens=usage(given=5, said=30))
    run.assistant("Yes", message_id="msg_1", tokens=usage(given=5, said=1))
    run.result(usage=usage(given=5, said=30), modelUsage=model_usage(**{MODEL: (5, 30), SIDE: (3, 4)}))
    folder = tmp_path / "both"
    folder.mkdir()
    (folder / f"{SESSION_ID}.jsonl").write_bytes(bytes(session))
    (folder / "log.jsonl").write_bytes(bytes(run))
    assert [counts(talk.tokens) for talk in library.open_all(folder)] == [(5, 30, 0, 0)]


def test_a_native_cost_is_reported():
    """`costUSD` on messages is the reported cost if the client reports nothing else."""
    session = Session()
    session.assistant("a", costUSD=0.25)
    session.assistant("b", costUSD=0.5)
    (talk,) = library.fold(library.read(bytes(session)))
    assert talk.reported_cost_usd == 0.75 and heading(talk).cost_usd == 0.75


def test_flat_calls_count_among_the_tools(tmp_path):
    """A call in a flat event counts once, with its input and its failure, even if the answer repeats it."""
    path = Path(tmp_path / "flat.jsonl")
    call = '"id":"t1","name":"Bash","input":{"command":"ls"}'
    path.write_text(
        f'{{"type":"tool_use",{call.replace("name", "toolName").replace("input", "toolInput")}}}\n'
        '{"type":"tool_result","toolUseId":"t1","isError":true,"content":"no"}\n'
        f'{{"type":"assistant","message":{{"role":"assistant","content":[{{"type":"tool_use",{call}}}]}}}}\n'
        '{"type":"result","subtype":"error","is_error":true}\n'
    )
    stats = Stats()
    stats.take(str(path))
    found = stats.as_json()
    assert found["tools"] == [{"name": "Bash", "uses": 1, "errors": 1, "inputs": {"command": 1}}]
    assert found["unknown"] == {}
