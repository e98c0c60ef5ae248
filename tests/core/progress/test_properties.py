"""Tests that progress depends on the records alone, and not on how they were read."""

from random import Random

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from chorus.core.conversation.fold import Fold
from chorus.core.progress.parser import ProgressParser, ProgressState
from chorus.core.records.bounded import encoded
from chorus.testing.builders import Session, tool_use
from tests.core.conversation.talks import Talk, interleaved, read
from tests.core.progress.following import fed


def working(seed: int) -> dict:
    """Returns the streams of a session with a sub-agent, in which everything states some progress."""
    random = Random(seed)
    session = Session()
    session.user("Go")
    session.assistant(tool_use("Agent", {"description": "Look", "prompt": "Look"}, id="a1"))
    agent = session.agent("x1", "a1")
    for n in range(random.randrange(2, 90)):
        where = random.choice((session, session, agent))
        match random.randrange(5):
            case 0:
                states = [random.choice(("completed", "pending")) for _ in range(random.randrange(1, 5))]
                listed = [{"content": f"t{k}", "status": state} for k, state in enumerate(states)]
                where.assistant(tool_use("TodoWrite", {"todos": listed}, id=f"t{n}"))
            case 1:
                where.assistant(tool_use("Bash", {"command": random.choice(("make", "cat x"))}, id=f"b{n}"))
                where.progress("bash_progress", f"b{n}", fullOutput=f"[{n}/99] Building a.o")
                if random.random() < 0.7:
                    where.tool_result(f"b{n}", f"[{n + 1}/99] Building b.o", is_error=random.random() < 0.2 or None)
            case 2:
                where.assistant(f"Checking file {n} of 99.")
            case 3 if random.random() < 0.2:
                session.user("And then?")
            case _:
                where.assistant(tool_use("TaskCreate", {"subject": f"s{n}"}, id=f"k{n}"))
                where.tool_result(f"k{n}", "x", structured={"task": {"id": str(n)}})
    return {"main.jsonl": read("main.jsonl", bytes(session)), "agent.jsonl": read("agent.jsonl", bytes(agent))}


@given(st.integers(0, 2**32), st.integers(0, 2**32))
def test_any_interleaving_gives_the_same_progress(seed, order):
    """However the streams of a conversation are mixed, its progress is the same in the end."""
    streams = working(seed)
    expected = fed([record for records in streams.values() for record in records])

    found = fed(interleaved(streams, Random(order)))

    assert found.current == expected.current
    assert found.progress == expected.progress


@given(st.integers(0, 2**32), st.integers(0, 40))
def test_a_saved_parser_continues(seed, cut):
    """A parser that was stored and read back at any record ends with the same progress."""
    records = [record for each in working(seed).values() for record in each]
    fold, parser = Fold("s"), ProgressParser()
    for n, record in enumerate(records):
        if n == cut:
            parser = ProgressParser(msgspec.msgpack.decode(encoded(parser.save()), type=ProgressState))
        parser.take(fold.feed(record))

    assert parser.current == fed(records).current


def test_no_text_is_saved():
    """What is stored has the numbers and not the texts that state them."""
    session = Session()
    session.user("Go")
    session.assistant("The cargo is secret. Checking file 3 of 9.")

    assert b"secret" not in encoded(fed(read("main.jsonl", bytes(session))).save())


@given(st.integers(0, 2**32))
def test_reading_in_between_changes_nothing(seed):
    """Whether somebody looks after each record makes no difference."""
    records = [record for each in working(seed).values() for record in each]
    fold, parser = Fold("s"), ProgressParser()
    for record in records:
        parser.take(fold.feed(record))
        parser.current  # noqa: B018

    assert parser.current == fed(records).current


@given(st.integers(0, 2**32), st.integers(0, 2**32))
def test_no_conversation_raises(seed, order):
    """Random conversations over several streams, with damage and copies, can be followed and saved."""
    parser = fed(interleaved(Talk(seed, steps=16).streams(), Random(order)))

    assert encoded(parser.save())
    assert parser.current is None or parser.current.main or parser.current.sub_agents
