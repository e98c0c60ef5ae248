"""Tests the texts of entries, which are read from the vault."""

from chorus.find.search.entry_texts import Texts
from chorus.testing.builders import tool_use
from chorus.testing.indexes import name_of
from tests.find.search.asking import asked, session, vault_of


def texts_of(vault, talk, *ids):
    def act(index):
        entries = {entry.id: entry for entry in index.all_entries(name_of(talk))}
        texts = Texts(index, vault)
        return [texts.text(name_of(talk), entries[each]) for each in ids]

    return asked(vault, act)


def test_a_call_says_what_it_was_asked_and_gave(tmp_path):
    """The input of a call is a part of its message, and the output is a part of the call."""
    talk = session()
    talk.assistant("I look.", tool_use("Bash", {"command": "ls"}, id="t1"), tool_use("Read", {"path": "/x"}, id="t2"))
    talk.tool_result("t2", "second")
    talk.tool_result("t1", "first")

    assert texts_of(vault_of(tmp_path, talk), talk, "call:t1", "call:t2") == ["ls\nfirst", "/x\nsecond"]


def test_the_message_of_a_call_is_found_however_far_it_is(tmp_path):
    """The message of a call is found, also if hundreds of entries of other threads come between them."""
    talk = session()
    first = talk.assistant("I start.", message_id="msg_long")
    agent = talk.agent("a1b2c3", "t0")
    for number in range(500):
        agent.user(f"step {number}")
    talk.leaf = first[-1]["uuid"]
    talk.assistant(tool_use("Bash", {"command": "far away"}, id="t1"), message_id="msg_long")
    talk.tool_result("t1", "ok")

    assert texts_of(vault_of(tmp_path, talk), talk, "call:t1") == ["far away\nok"]


def test_a_result_without_its_call_says_what_it_has(tmp_path):
    """A result without a call has its own text, and no message is searched for."""
    talk = session()
    talk.user("hello")
    talk.tool_result("lost", "only the output")

    assert texts_of(vault_of(tmp_path, talk), talk, "call:lost") == ["only the output"]
