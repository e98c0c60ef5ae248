"""Of several sessions, the one that is meant."""

from chorus import library
from chorus.conversation.main_session import main_session
from chorus.ledger.evidence import gather, main_of
from chorus.testing.builders import Session
from tests.conversation.talks import read

ONE, TWO = "11111111-0000-4000-8000-000000000000", "22222222-0000-4000-8000-000000000000"


def test_the_named_one_then_the_longest():
    """A name decides; without it the number of items, and of equals the first."""
    found = {"a": "xx", "b": "xxx", "c": "xxx"}

    assert main_session(found, "a", len) == "xx"
    assert main_session(found, "z", len) == "xxx"
    assert main_session({"b": [1], "c": [2]}, "z", len) == [1]
    assert main_session({}, "a", len) is None


def test_all_who_ask_get_the_same_one():
    """What is shown and what is counted are the same session, however often its lines are repeated."""
    often, long = Session(ONE), Session(TWO)
    often.assistant("once", message_id="m")
    for number in range(5):
        long.user(f"prompt {number}")
    data = bytes(often) * 9 + bytes(long)
    shown = library.main_of(library.fold(read("log.jsonl", data)), "log.jsonl")
    counted = main_of(gather(read("log.jsonl", data), lambda stream: stream), "log")

    assert counted is not None
    assert shown.id == counted.fold.session_id == TWO
