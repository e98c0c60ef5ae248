"""Tests the neighbourhood of an entry."""

import pytest

from chorus.core.views.rows import MessageRow, ToolCall, TurnRow
from chorus.core.views.transcript import rows
from chorus.errors import SourceUnreadable
from chorus.find.search.context import context, locate
from chorus.keep.archive.listing import find
from chorus.keep.archive.opening import open_kept
from chorus.keep.vault.files import FileVault
from chorus.testing.builders import Run, thinking, tool_use
from chorus.testing.builders.lines import SESSION_ID
from chorus.testing.indexes import name_of
from tests.find.search.asking import asked, bash, session, vault_of
from tests.keep.archive.vaults import client, keep, talk


def around(vault, name, item, *, before=3, after=3):
    def act(index):
        row = index.conversation(name)
        return context(index, vault, row, locate(index, name, item), before=before, after=after)

    return asked(vault, act)


def described(found):
    return [each.text or each.asked or each.given for each in found.entries]


@pytest.fixture
def long_talk():
    made = session()
    for number in range(10):
        made.user(f"prompt {number}", uuid=f"u{number}", permissionMode="default")
        made.assistant(
            thinking(f"thought {number}"),
            f"answer {number}",
            tool_use("Bash", {"command": f"run {number}"}, id=f"t{number}"),
        )
        made.tool_result(f"t{number}", f"output {number}")
    return made


def test_so_many_before_and_after(tmp_path, long_talk):
    """A neighbourhood has the wanted number of messages and calls in order, and fewer at an end of the conversation."""
    vault, name = vault_of(tmp_path, long_talk), name_of(long_talk)

    assert described(around(vault, name, "call:t5", before=2, after=1)) == [
        "prompt 5",
        "answer 5",
        "command: run 5",
        "prompt 6",
    ]
    assert described(around(vault, name, "u0", before=3, after=2)) == ["prompt 0", "answer 0", "command: run 0"]
    assert described(around(vault, name, "u4", before=0, after=0)) == ["prompt 4"]
    assert len(around(vault, name, "u4", before=200, after=200).entries) == 30


def test_a_call_in_words_has_what_was_asked_and_given(tmp_path, long_talk):
    """A call has its input and its output as text, and a message has its thinking apart from its text."""
    found = around(vault_of(tmp_path, long_talk), name_of(long_talk), "call:t3", before=1, after=0)
    answer, call = found.entries

    assert (answer.text, answer.thinking, answer.role) == ("answer 3", "thought 3", "assistant")
    assert (call.tool, call.asked, call.given, call.is_failed) == ("Bash", "command: run 3", "output 3", False)
    assert found.hit.id == "call:t3" and found.thread == ""


def test_it_is_drawn_as_the_whole_is(tmp_path, long_talk):
    """The rows of the neighbourhood are those of the conversation."""
    vault, name = vault_of(tmp_path, long_talk), name_of(long_talk)
    (kept,) = find(vault, long_talk.id)
    every = rows(open_kept(vault, kept))

    assert rows(around(vault, name, "call:t4", before=200, after=200).conversation) == every
    few = rows(around(vault, name, "call:t4", before=2, after=3).conversation)
    assert few == [row for row in every if row.id in {each.id for each in few}] and len(few) == 4


def test_a_call_far_from_its_message_stands_in_it(tmp_path):
    """A message whose calls are far away is shown with only the calls in the neighbourhood."""
    made = session()
    calls = [tool_use("Bash", {"command": f"run {number}"}, id=f"t{number}") for number in range(9)]
    made.assistant("I run them all.", *calls)
    for number in range(9):
        made.tool_result(f"t{number}", f"output {number}")
    found = around(vault_of(tmp_path, made), name_of(made), "call:t6", before=1, after=1)
    (row,) = rows(found.conversation)

    assert isinstance(row, MessageRow)
    assert [piece.id for piece in row.pieces if isinstance(piece, ToolCall)] == ["t5", "t6", "t7"]
    assert len(row.pieces) == 3


def test_threads_are_not_mixed(tmp_path):
    """The neighbours of an entry are entries of its own thread, for a sub-agent and for the main thread."""
    made = session()
    made.user("Look around")
    made.assistant(tool_use("Agent", {"prompt": "Dig"}, id="t1"))
    agent = made.agent("a1b2c3", "t1")
    agent.user("Dig")
    bash(agent, "t2", "ls", "sand")
    agent.assistant("Found it.", stop="end_turn")
    made.tool_result("t1", "Found it.", structured={"agentId": "a1b2c3", "status": "completed"})
    made.assistant("Done.", stop="end_turn")
    vault, name = vault_of(tmp_path, made), name_of(made)

    inner = around(vault, name, "call:t2")
    assert inner.thread == "a1b2c3" and described(inner) == ["Dig", "command: ls", "Found it."]
    assert [row.id for row in rows(inner.conversation, inner.thread)]
    assert described(around(vault, name, "call:t1")) == ["Look around", "prompt: Dig", "Done."]


def test_a_total_is_not_taken_for_a_turn_s_cost(tmp_path):
    """Totals continue over turns, so a turn in a neighbourhood shows no cost of its own."""
    run = Run()
    run.init()
    for number in (1, 2, 3):
        run.assistant(f"answer {number}")
        run.result(f"answer {number}", cost=float(number))
    vault = FileVault(tmp_path / "vault")
    (tmp_path / "log.jsonl").write_bytes(bytes(run))
    keep(vault, tmp_path / "vault", tmp_path / "log.jsonl")
    name, last = asked(vault, _last_message)
    turns = [row for row in rows(around(vault, name, last, before=1, after=1).conversation) if isinstance(row, TurnRow)]

    assert turns and {turn.cost_usd for turn in turns} == {None}


def _last_message(index):
    (name,) = index.positions()
    return name, [entry.id for entry in index.all_entries(name) if entry.id.startswith("msg")][-1]


def test_a_side_file_is_known_as_kept(tmp_path):
    """A long output in a side file is named with its size, as in `show`."""
    client(tmp_path / "claude", talk())
    vault = FileVault(tmp_path / "vault")
    keep(vault, tmp_path / "vault", tmp_path / "claude")
    (kept,) = find(vault, SESSION_ID)
    found = around(vault, kept.name, "call:t1")

    assert found.conversation.side_files == open_kept(vault, kept).side_files
    assert found.conversation.side_files["result:t1"].size_bytes == 3000


def test_what_the_vault_lost_is_left_out(tmp_path, long_talk):
    """An entry whose lines are damaged is empty, and its neighbours are complete."""
    vault, name = vault_of(tmp_path, long_talk), name_of(long_talk)
    asked(vault, lambda _: None)
    path = next((vault.root / "conversations").rglob("*.jsonl"))
    path.write_bytes(path.read_bytes().replace(b"prompt 5", b"prompt X"))

    assert described(around(vault, name, "u5", before=1, after=1)) == ["command: run 4", "", "answer 5"]


def test_an_entry_is_named_by_the_beginning_of_its_id(tmp_path, long_talk):
    """The beginning of an entry's id, or of its tool call's id, finds it. An exact id wins over longer ones."""
    vault, name = vault_of(tmp_path, long_talk), name_of(long_talk)

    def located(wanted):
        return asked(vault, lambda index: locate(index, name, wanted)).id

    assert [located(wanted) for wanted in ("call:t7", "t7", "u7")] == ["call:t7", "call:t7", "u7"]
    with pytest.raises(SourceUnreadable, match=r"10 entries of .* have ids that begin with it: call:t0, .* and 5 more"):
        located("call:")
    with pytest.raises(SourceUnreadable, match="nope: no entry of"):
        located("nope")
