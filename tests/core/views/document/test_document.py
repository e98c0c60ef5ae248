"""Tests of the JSON document: its shape and its exact values."""

import msgspec

from chorus.core.conversation.items import OwnUsage, Tokens
from chorus.core.views.document import document
from chorus.core.views.safe import safe
from chorus.testing.builders import Session, tool_use
from chorus.testing.builders.lines import usage
from tests.core.views.talks import called, finished_run, folded, told, tour

HOSTILE = "\x1b]0;x\x07 \u202e \x9b <b> \U000e0041 ```"


def shape(value):
    """Returns the names and types of a value at all levels; for a list, those of its first member."""
    if isinstance(value, dict):
        return {name: shape(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return type(value).__name__


def test_the_shape_stays(snapshot):
    """The shape of the document does not change, because programs read it.

    A changed shape needs a new version, unless it only adds something.
    """
    found = told(folded(*tour()))

    assert shape(found) == snapshot
    assert shape(told(folded(finished_run()))) == snapshot(name="run")


def test_a_document_is_one_line():
    """A document is one line, so several conversations are as many lines."""
    text = "".join(document(folded(*tour())))

    assert text.endswith("\n") and text.count("\n") == 1


def test_values_are_exact_and_the_text_is_harmless():
    """Hostile text is returned unchanged, and the document can be shown safely in a terminal."""
    talk = called("Bash", {"command": HOSTILE}, HOSTILE, structured={"stdout": HOSTILE})
    text = "".join(document(talk))
    (call,) = msgspec.json.decode(text)["messages"][1]["calls"]

    assert call["input"] == {"command": HOSTILE}
    assert call["result"]["content"] == HOSTILE
    assert call["result"]["structured"] == {"stdout": HOSTILE}
    assert safe(text) == text


def test_the_plan_of_a_session_is_shown():
    """The document contains to-do lists and plans, and the messages of sub-agents with the id of their agent."""
    found = told(folded(*tour()))

    assert [todo["text"] for todo in found["todos"]] == ["Code", "Docs", "Release"]
    assert {message["agent"] for message in found["messages"]} == {"", "a1"}
    assert [agent["call"] for agent in found["agents"]] == ["agent"]


def test_an_abandoned_message_says_so():
    """Messages on an abandoned branch are in the document and are marked."""
    session = Session()
    session.user("One")
    back = session.leaf
    session.assistant("No.")
    session.leaf = back
    session.assistant("Yes.")

    marks = [message["is_abandoned"] for message in told(folded(session))["messages"]]
    assert marks == [False, True, False]


def test_an_orphan_is_in_a_list_of_its_own():
    """A result without its call is listed as an orphan."""
    session = Session()
    session.user("Go")
    session.tool_result("gone", "late")

    assert [call["result"]["content"] for call in told(folded(session))["orphans"]] == ["late"]


def test_a_call_without_input_is_shown():
    """A call that was never finished is in the document, with null as its result."""
    session = Session()
    session.assistant(tool_use("Bash", {}, id="1"))
    (call,) = told(folded(session))["messages"][0]["calls"]

    assert (call["input"], call["result"], call["state"]) == ({}, None, "pending")


def test_a_decision_about_a_call_is_in_the_document():
    """A call says whether it was allowed, and who decided, as in the terminal and in the library."""
    session = Session()
    session.assistant(tool_use("Bash", {"command": "rm a"}, id="1"))
    session.tool_result("1", "No.", is_error=True, toolDenialKind="user-rejected")
    (call,) = told(folded(session))["messages"][0]["calls"]

    assert (call["state"], call["decision"], call["decided_by"]) == ("refused", "denied", "a person")


def test_what_is_not_counted_is_in_the_document():
    """A document says which tokens were copied from the source of a fork, and why tokens of a message do not count."""
    session = Session()
    session.assistant("One.", tokens=usage(given=7, said=3))
    session.assistant("Two.", tokens=usage(given=1 << 70))
    talk = folded(session)
    assert told(talk)["copied_tokens"] is None

    talk.own = OwnUsage(Tokens(), talk.tokens, is_lower_bound=False, cost="")
    found = told(talk)

    assert found["copied_tokens"] == found["tokens"] and found["tokens"]["input"] == 7
    assert [bool(message["doubt"]) for message in found["messages"]] == [False, True]
