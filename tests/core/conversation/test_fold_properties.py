"""Tests the three properties of the fold on which the index, the live view and replay depend."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.fold import Fold
from chorus.testing.builders import Flat, Run, Session, tool_use
from tests.core.conversation.talks import Talk, folded, interleaved, read

seeds = st.integers(min_value=0, max_value=2**32)


@given(seeds)
def test_changes_applied_one_by_one_give_what_folding_at_once_gives(seed: int) -> None:
    """Changes that are applied one by one give the same conversation as changes that are applied together."""
    records = [record for stream in Talk(seed).streams().values() for record in stream]
    fold, step_by_step = Fold("s"), Conversation("s")
    everything = []
    for record in records:
        for change in fold.feed(record):
            everything.append(change)
            step_by_step.apply([change])
    at_once = Conversation("s")
    at_once.apply(everything)

    assert step_by_step == at_once
    assert step_by_step == folded(records)


@given(seeds, st.data())
def test_a_fold_goes_on_from_its_dump_at_any_cut(seed: int, data: st.DataObject) -> None:
    """A fold that is written to bytes and read back at any record continues without a difference."""
    records = [record for stream in Talk(seed).streams().values() for record in stream]
    cuts = data.draw(st.frozensets(st.integers(0, max(len(records) - 1, 0)), max_size=4))

    assert folded(records, cuts=cuts) == folded(records)


@given(seeds, seeds)
def test_any_interleaving_of_streams_gives_the_same_conversation(seed: int, order: int) -> None:
    """The conversation does not depend on the order in which streams are read, or on how they alternate."""
    streams = Talk(seed).streams()
    in_turn = folded([record for stream in streams.values() for record in stream])

    assert folded(list(interleaved(streams, Random(order)))) == in_turn
    assert folded([record for stream in reversed(streams.values()) for record in stream]) == in_turn


def _with_everything_open() -> bytes:
    """Returns lines that each need something that the fold remembers from an earlier line."""
    session, run, flat = Session(), Run(), Flat()
    first, between, child = session.user("one"), session.attachment("skill_listing"), session.user("two")
    session.lines[:] = [child, between, first]
    session.user("side", isSidechain=True, parentUuid=None, uuid="s1")
    session.assistant("chain", isSidechain=True, parentUuid="s1")
    session.leaf = child["uuid"]
    for mode in ("plan", "plan"):
        session.user("go", permissionMode=mode)
    session.queue("enqueue", "later")
    session.queue("enqueue", "later still")
    session.queue("dequeue")
    session.summary("titled", leaf="to come")
    session.user("go on", uuid="to come", timestamp="2026-01-05T08:00:00.000Z")
    run.assistant(tool_use("Bash", id="t1"))
    run.ask("t1", "Bash", request="r1")
    run.tool_result("t1", "ran")
    run.streamed("Wor", message_id="m")
    run.event("content_block_delta", index=0, delta={"type": "text_delta", "text": "king"})
    run.assistant("Working", message_id="m")
    flat.text("Half")
    flat.tool_use("t2", "Read")
    flat.tool_result("t2", "x")
    flat.text(" whole")
    flat.assistant("Half whole")
    return bytes(session) + bytes(run) + bytes(flat)


def test_nothing_is_forgotten_between_two_records() -> None:
    """A fold that is written to bytes and read back before every record still gives the same conversation."""
    records = read("all.jsonl", _with_everything_open())

    assert folded(records, cuts=frozenset(range(len(records)))) == folded(records)


def test_turns_of_a_stream_without_times_are_not_forgotten() -> None:
    """A turn without a time finds the time of its line even if the fold was written and read back before that."""
    session, run = Session(), Run()
    for n in range(2):
        (line,) = session.assistant(f"answer {n}")
        run.line("assistant", uuid=line["uuid"], message=line["message"])
        run.result(f"answer {n}")
    records = [*read("run.jsonl", bytes(run)), *read("main.jsonl", bytes(session))]

    assert folded(records, cuts=frozenset(range(len(records)))) == folded(records)


def test_a_state_of_another_version_is_not_understood() -> None:
    """A dump of another version is not restored, so the records must be folded again."""
    fold = Fold("s")
    other = b"\x92\x00" + fold.dump()[2:]

    assert Fold.restore(other) is None
    assert Fold.restore(fold.dump()) is not None
