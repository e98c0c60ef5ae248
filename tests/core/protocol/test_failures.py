"""Tests the messages that tell a person why a client ended."""

import pytest

from chorus.core.protocol.failures import advice, explain, keys_of


@pytest.mark.parametrize(
    ("code", "complaint", "result", "is_error", "words"),
    [
        (1, "error: unknown option '--forward-subagent-text'", "", False, "`claude update`"),
        (1, "Error: Session ID x is already in use.", "", False, "--fork"),
        (1, "No conversation found with session ID: x", "", True, "chorus restore"),
        (1, "", "Not logged in · Please run /login", True, "run `claude` once and log in"),
        (1, "", "Invalid API key · Please run /login", True, "ANTHROPIC_API_KEY"),
        (-9, "", "", False, "was killed; `chorus resume`"),
        (-6, "trouble", "", False, "died of signal 6: trouble"),
        (-2, "", "", False, "was interrupted; `chorus resume`"),
        (130, "", "", False, "was interrupted; `chorus resume`"),
        (143, "", "", True, "was terminated; `chorus resume`"),
        (None, "", "", False, "its warden was killed, and the client with it; `chorus resume`"),
        (3, "trouble", "", False, "exit code 3: trouble"),
        (1, "", "API Error: 500", True, "API Error: 500"),
        (0, "", "the last turn failed", True, "the last turn failed"),
    ],
)
def test_each_end_is_a_failure_with_words(code, complaint, result, is_error, words):
    """Each way in which a client fails is reported as a failure, with a text that says why or what to do."""
    is_failure, said = explain(code, complaint=complaint, result=result, is_error=is_error, was_stopped=False)

    assert is_failure
    assert words in said


@pytest.mark.parametrize(
    "said",
    [
        "Invalid API key · Fix external API key",
        "Invalid API key · Please run /login",
        'API Error: 401 {"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}',
        "API Error: 401 Invalid bearer token",
        "Not logged in · Please run /login",
    ],
)
def test_a_key_that_was_refused_is_named(said):
    """If a key is set, the message says that the API refused this key; without a key, it says how to log in."""
    keys = keys_of({"ANTHROPIC_API_KEY": "sk-ant-x", "ANTHROPIC_AUTH_TOKEN": "", "HOME": "/"})
    ends = (
        explain(1, complaint="", result=said, is_error=True, was_stopped=False, keys=keys),
        explain(1, complaint=said, result="", is_error=False, was_stopped=False, keys=keys),
        (True, advice(said, keys)),
    )

    for is_failure, words in ends:
        assert is_failure and words.startswith("the API refused the key in ANTHROPIC_API_KEY (401)")
    assert "not logged in" in advice(said)
    assert keys_of({"ANTHROPIC_API_KEY": "", "HOME": "/"}) == "" and "sk-ant" not in keys


def test_what_went_well_needs_no_words():
    """A client that ended with success gets no message, even if its output contains words of an error."""
    assert explain(
        0, complaint="a warning", result="Please run /login, I said.", is_error=False, was_stopped=False
    ) == (
        False,
        "",
    )


def test_what_was_stopped_did_not_fail():
    """A client that was stopped did not fail."""
    assert explain(143, complaint="", result="", is_error=False, was_stopped=True) == (False, "stopped")
