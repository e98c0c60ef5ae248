"""Tests which of several sessions is chosen."""

from chorus.core.conversation.main_session import main_session


def test_the_named_one_then_the_longest():
    """The named session is chosen, or else the one with the most items, or else the first of several equal ones."""
    found = {"a": "xx", "b": "xxx", "c": "xxx"}

    assert main_session(found, "a", len) == "xx"
    assert main_session(found, "z", len) == "xxx"
    assert main_session({"b": [1], "c": [2]}, "z", len) == [1]
    assert main_session({}, "a", len) is None
