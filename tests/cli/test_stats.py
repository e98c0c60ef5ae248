"""Tests of `chorus stats`: every number follows its definition and agrees with a slow, plain recount."""

import json
import os
import sys
from pathlib import Path

import pytest

from chorus.testing.builders import Flat, Run, Session, corpus, text, thinking, tool_use
from chorus.testing.builders.lines import usage
from tests.cli.commands import BROKEN, SHARED, below, run, run_json, run_process
from tests.lab.census.recount import recount

KEYS = [
    "files",
    "bytes",
    "lines",
    "records",
    "subtypes",
    "blocks",
    "tools",
    "models",
    "versions",
    "conversations",
    "messages",
    "tool_calls",
    "tool_results",
    "calls_without_result",
    "results_without_call",
    "tokens",
    "lower_bounds",
    "unknown",
    "unread",
    "calls",
]

READS_ALL = sys.platform == "win32" or not hasattr(os, "geteuid") or os.geteuid() == 0


def stats_of(*scripts):
    """Returns the numbers of one stream made of scripts."""
    return run_json("stats", "-", given=b"".join(map(bytes, scripts)))


def tokens(given=0, said=0, created=0, read=0):
    return {"input": given, "output": said, "cache_creation": created, "cache_read": read}


def test_the_shape_is_fixed():
    """Every key is present and in order, even without any data."""
    numbers = run_json("stats", "-", given=b"")

    assert list(numbers) == KEYS
    assert numbers["files"] == 1 and numbers["tokens"] == tokens() and numbers["tools"] == []


def test_records_lines_and_bytes():
    """Records are counted by type, also those without a type, and lines and bytes are those of the file."""
    data = b'{"type":"user"}{"type":"mode"}\n\n  \n{"a":1}\nnoise\n{"type":"system","subtype":"init"}\n'
    numbers = run_json("stats", "-", given=data)

    assert numbers["records"] == {"(no type)": 1, "mode": 1, "system": 1, "user": 1}
    assert (numbers["lines"], numbers["bytes"], numbers["unread"]) == (4, len(data), 1)
    assert numbers["subtypes"] == {"system/init": 1}


def test_blocks_are_those_of_user_and_assistant_records():
    """Content blocks are counted by type. A string has no blocks, and blocks deeper in a record are not its own."""
    session = Session()
    session.user("words")
    inner = session.assistant(thinking("hm"), text("ok"), tool_use("Bash", {"command": "ls"}))[0]
    session.tool_result("toolu_1", [text("not a block of the record")])
    session.progress_agent("a1", "toolu_1", {**inner, "uuid": "u9"})

    assert stats_of(session)["blocks"] == {"text": 1, "thinking": 1, "tool_result": 1, "tool_use": 1}


def test_tools():
    """Tools are sorted by uses, then by name, with the uses of each input field and the number of failed results."""
    session = Session()
    session.assistant(tool_use("Read", {"file_path": "/a", "limit": 5}, id="t1"))
    session.assistant(tool_use("Read", {"file_path": "/b"}, id="t2"))
    session.assistant(tool_use("Glob", {"pattern": "*"}, id="t3"))
    session.assistant(tool_use("Bash", {"command": "ls"}, id="t4"))
    session.tool_result("t2", "gone", is_error=True)
    session.tool_result("t4", "fine", is_error=False)

    assert stats_of(session)["tools"] == [
        {"name": "Read", "uses": 2, "errors": 1, "inputs": {"file_path": 2, "limit": 1}},
        {"name": "Bash", "uses": 1, "errors": 0, "inputs": {"command": 1}},
        {"name": "Glob", "uses": 1, "errors": 0, "inputs": {"pattern": 1}},
    ]


def test_calls_and_results_are_joined_over_files(tmp_path):
    """A result in another file answers its call, and each id counts once, however often it is written."""
    first, second = Session(), Session("5e551011-0000-4000-8000-000000000002")
    first.assistant(tool_use("Read", id="t1"), tool_use("Read", id="t2"))
    second.assistant(tool_use("Read", id="t1"))
    second.tool_result("t1", is_error=True)
    second.tool_result("t3")
    (tmp_path / "a.jsonl").write_bytes(bytes(first))
    (tmp_path / "b.jsonl").write_bytes(bytes(second))
    numbers = run_json("stats", tmp_path)

    assert (numbers["tool_calls"], numbers["tool_results"]) == (2, 2)
    assert (numbers["calls_without_result"], numbers["results_without_call"]) == (1, 1)
    assert numbers["tools"] == [{"name": "Read", "uses": 3, "errors": 1, "inputs": {}}]


def test_flat_calls_count_as_calls():
    """Calls, results and tools of flat events are counted in both spellings."""
    for snake_case in (False, True):
        flat = Flat(snake_case=snake_case)
        flat.tool_use("t1", "Read", {"file_path": "/a"})
        flat.tool_result("t1", is_error=True)
        numbers = stats_of(flat)

        assert (numbers["tool_calls"], numbers["tool_results"]) == (1, 1)
        assert numbers["tools"] == [{"name": "Read", "uses": 1, "errors": 1, "inputs": {"file_path": 1}}]
        assert (numbers["calls_without_result"], numbers["results_without_call"]) == (0, 0)


@pytest.mark.parametrize("snake_case", [True, False])
def test_a_flat_result_fails_the_call_of_a_block(snake_case):
    """If a message repeats a flat call as a block, the failure in the flat event counts for its tool."""
    flat = Flat(snake_case=snake_case)
    flat.tool_use("t1", "Read", {"file_path": "/a"})
    flat.tool_result("t1", is_error=True)
    flat.assistant(tool_use("Read", {"file_path": "/a"}, id="t1"))

    assert stats_of(flat)["tools"] == [{"name": "Read", "uses": 1, "errors": 1, "inputs": {"file_path": 1}}]


def test_a_message_counts_once(tmp_path):
    """The lines and copies of a message are one message of one model, and a sub-agent's message does not count."""
    session = Session()
    lines = session.assistant(text("a"), text("b"), text("c"), message_id="m1")
    session.progress_agent("a1", "t1", {**lines[0], "message": {**lines[0]["message"], "id": "m2"}})
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_bytes(bytes(session))
    numbers = run_json("stats", tmp_path)

    assert (numbers["messages"], numbers["models"]) == (1, {"claude-test-1": 1})
    assert numbers["records"] == {"assistant": 6, "progress": 2}


def test_messages_without_an_id_are_distinguished():
    """A message without an id is identified by its uuid, and without a uuid by its place."""
    line = b'{"type":"assistant","uuid":"u1","message":{"content":[]}}\n'
    bare = b'{"type":"assistant","message":{"content":[]}}\n'

    assert run_json("stats", "-", given=line + line + bare + bare)["messages"] == 3


def test_tokens_count_once_at_their_highest():
    """Each field counts once per message, with its maximum over all lines."""
    session = Session()
    session.assistant("a", message_id="m1", tokens=usage(given=5, said=1, cache_creation=7, cache_read=100))
    session.assistant("b", message_id="m1", tokens=usage(given=5, said=9, cache_creation=7, cache_read=90))
    session.assistant("c", message_id="m2", tokens=usage(given=1, said=1))

    assert stats_of(session)["tokens"] == tokens(6, 10, 7, 100)


def test_tokens_of_sub_agents_count_and_made_up_ones_do_not():
    """A sub-agent's message inside a progress record counts, and text of the client itself used no tokens."""
    session = Session()
    line = session.assistant("a", message_id="m1", tokens=usage(given=1, said=2))[0]
    inner = {**line["message"], "id": "m2", "usage": usage(given=10, said=20)}
    session.progress_agent("a1", "t1", {**line, "uuid": "u9", "message": inner})
    session.model = "<synthetic>"
    session.assistant("error", message_id="m3", tokens=usage(given=1000, said=1000))

    numbers = stats_of(session)
    assert numbers["tokens"] == tokens(11, 22)
    assert numbers["models"] == {"<synthetic>": 1, "claude-test-1": 1}


def test_turns_count_only_where_no_message_carries_usage(tmp_path):
    """The usage of a turn result counts only in conversations whose messages carry no usage."""
    flat = Flat()
    flat.start("s1")
    flat.assistant("hello")
    flat.result("s1", given=3, said=4)
    flat.result("s1", given=30, said=40)
    run_ = Run()
    run_.init()
    run_.assistant("hi", tokens=usage(given=1, said=1))
    run_.result()
    (tmp_path / "flat.jsonl").write_bytes(bytes(flat))
    (tmp_path / "run.jsonl").write_bytes(bytes(run_))

    assert run_json("stats", tmp_path / "flat.jsonl")["tokens"] == tokens(33, 44)
    assert run_json("stats", tmp_path)["tokens"] == tokens(34, 45)


def test_a_session_file_silences_the_turns_of_its_run(tmp_path):
    """If messages in one file carry usage, the turn results of the same conversation in another file do not count."""
    session, run_ = Session(), Run()
    session.assistant("hi", tokens=usage(given=1, said=2))
    run_.result()
    (tmp_path / "run.jsonl").write_bytes(bytes(run_))
    assert run_json("stats", tmp_path)["tokens"] == tokens(10, 20)

    (tmp_path / "session.jsonl").write_bytes(bytes(session))
    assert run_json("stats", tmp_path)["tokens"] == tokens(1, 2)


def test_conversations():
    """Each session id counts once, and hooks with an id of their own are no conversation."""
    run_ = Run()
    run_.add({"type": "system", "subtype": "hook_started", "session_id": "other"})
    run_.init()
    run_.user("hi")
    numbers = stats_of(run_, Session("5e551011-0000-4000-8000-000000000002"))
    assert numbers["conversations"] == 1

    second = Session("5e551011-0000-4000-8000-000000000002")
    second.user("hi")
    assert stats_of(run_, second, run_)["conversations"] == 2
    only_hooks = b'{"type":"system","subtype":"hook_started","session_id":"x"}\n'
    assert run_json("stats", "-", given=only_hooks)["conversations"] == 0


def test_conversations_without_any_id_are_one_per_file(tmp_path):
    """Files of one name whose records carry no session id are different conversations."""
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "full.jsonl").write_bytes(b'{"type":"assistant","message":{"content":"hi"}}\n')

    assert run_json("stats", tmp_path)["conversations"] == 2


def test_versions():
    """Records are counted by their version, and the first line of a run names it in another field."""
    session = Session(version="2.1.7")
    session.user("a")
    session.fact("mode", mode="plan")
    init = b'{"type":"system","subtype":"init","claude_code_version":"2.1.30"}\n'
    numbers = run_json("stats", "-", given=bytes(session) + init)

    assert numbers["versions"] == {"2.1.30": 1, "2.1.7": 1}


def test_unknown_names():
    """Types, subtypes, block types and attachment kinds that the catalogue lacks are named and counted."""
    session = Session()
    session.system("brand_new")
    session.system("turn_duration")
    session.attachment("novelty")
    session.attachment("file")
    session.user([{"type": "hologram"}, text("hi")])
    session.fact("new-type")
    session.fact("data-flow-anything")

    assert stats_of(session)["unknown"] == {
        "attachment/novelty": 1,
        "block/hologram": 1,
        "new-type": 1,
        "system/brand_new": 1,
    }


def test_fields_of_the_wrong_shape_do_not_stop_the_count():
    """Numbers, nulls and lists in place of objects, and huge token counts, do not stop the count."""
    data = (
        b'{"type":"assistant","message":"words"}\n'
        b'{"type":"assistant","message":{"content":[1,"a",{"type":5},{"type":"tool_use","name":7,"input":[1]}]}}\n'
        b'{"type":"assistant","message":{"id":"m","usage":{"input_tokens":-5,"output_tokens":99999999999999999999999}}}\n'
        b'{"type":"user","message":null}\n{"type":[]}\n{"type":"result","usage":[],"result":{"usage":3}}\n'
    )
    numbers = run_json("stats", "-", given=data)

    assert sum(numbers["records"].values()) == 6


@pytest.mark.skipif(not BROKEN.exists(), reason="this system has no file that fails when read")
@pytest.mark.parametrize("is_json", [True, False])
def test_a_file_that_fails_is_reported_and_not_counted(tmp_path, is_json):
    """The other files are counted, the failure is one line on standard error, and the exit code is 2."""
    (tmp_path / "a.jsonl").symlink_to(BROKEN)
    (tmp_path / "b.jsonl").write_bytes(b'{"type":"user"}\n')
    outcome = run_process("stats", tmp_path / "a.jsonl", tmp_path / "b.jsonl", *(["--json"] if is_json else []))

    assert outcome.returncode == 2
    assert outcome.stderr.startswith(b"chorus: " + bytes(tmp_path / "a.jsonl")) and outcome.stderr.count(b"\n") == 1
    assert not is_json or json.loads(outcome.stdout)["files"] == 1


@pytest.mark.skipif(READS_ALL, reason="this user (root) may read every file")
def test_a_named_file_that_may_not_be_read(tmp_path):
    """A named source without read permission is an error before any work."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"{}\n")
    path.chmod(0)
    outcome = run_process("stats", path)

    assert (outcome.returncode, outcome.stdout) == (2, b"")


def test_tables_for_people():
    """Without --json, the same numbers are plain tables, and a field that some uses lack has a question mark."""
    session = Session()
    session.assistant(tool_use("Read", {"file_path": "/a", "limit": 5}, id="t1"))
    session.assistant(tool_use("Read", {"file_path": "/b"}, id="t2"))
    shown = run("stats", "-", given=bytes(session)).stdout

    assert "  Tool  Uses  Errors  Input fields (? not in every use)\n  Read     2       0  file_path, limit?\n" in shown
    assert "Record types\n  Type       Count\n  assistant      2\n" in shown
    assert "\x1b" not in shown


def test_names_from_transcripts_cannot_steer_the_terminal():
    """Control characters in the name of a tool are shown as escapes."""
    session = Session()
    session.assistant(tool_use("Evil\x1b]0;x\x07\n\u202e", {"a\x1bb": 1}))
    shown = run("stats", "-", given=bytes(session)).stdout

    assert r"Evil\x1b]0;x\x07\n\u202e" in shown and "\x1b" not in shown


def test_two_processes_count_as_one(tmp_path):
    """If there are enough files for several processes, the numbers are the same as those of a recount."""
    corpus(tmp_path, seed=3, megabytes=26)
    shared_out = json.loads(run_process("stats", tmp_path, "--json").stdout)

    shared_out.pop("unknown")
    calls = shared_out.pop("calls")
    assert sum(each["calls"] for each in calls.values()) == shared_out["tool_calls"]
    assert shared_out == recount(below(tmp_path))


@pytest.mark.skipif(not SHARED.is_dir(), reason="no recordings beside this clone (../shared)")
@pytest.mark.parametrize("folder", ["transcripts", "captures"])
def test_recordings_as_recounted(folder):
    """For the recordings, every number equals that of an independent recount."""
    numbers = run_json("stats", SHARED / folder)

    numbers.pop("unknown")
    # These include the calls of sub-agents inside progress records.
    assert sum(each["calls"] for each in numbers.pop("calls").values()) >= numbers["tool_calls"]
    assert numbers == recount(below(SHARED / folder))


def test_every_key_is_documented():
    """The guide explains each key of the JSON that the commands print."""
    guide = (Path(__file__).parents[2] / "docs" / "guide" / "commands.md").read_text(encoding="utf-8")
    shapes = [run_json(command, "-", given=b"") for command in ("stats", "verify", "drift")]

    assert [key for shape in shapes for key in shape if f"`{key}`" not in guide] == []
