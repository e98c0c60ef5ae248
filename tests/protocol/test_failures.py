"""Why a client ended, for a person."""

import pytest

from chorus.protocol.failures import explain


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
        (3, "trouble", "", False, "exit code 3: trouble"),
        (1, "", "API Error: 500", True, "API Error: 500"),
        (0, "", "the last turn failed", True, "the last turn failed"),
    ],
)
def test_each_end_is_a_failure_with_words(code, complaint, result, is_error, words):
    is_failure, said = explain(code, complaint=complaint, result=result, is_error=is_error, was_told=False)

    assert is_failure
    assert words in said


def test_what_went_well_needs_no_words():
    assert explain(0, complaint="a warning", result="Please run /login, I said.", is_error=False, was_told=False) == (
        False,
        "",
    )


def test_what_was_stopped_did_not_fail():
    assert explain(143, complaint="", result="", is_error=False, was_told=True) == (False, "stopped")
