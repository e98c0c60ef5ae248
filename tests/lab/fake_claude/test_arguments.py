"""Tests of the client's command line: what it accepts, and the client's own messages for what it refuses."""

import pytest

from chorus.lab.fake_claude.arguments import Invocation, Refusal, parse

STREAM = ["--output-format", "stream-json", "--verbose"]
OPTION = "error: option "
FORMATS_SHOWN = "text, json, stream-json."
MODES_SHOWN = "acceptEdits, auto, bypassPermissions, manual, dontAsk, plan."
UUID = "11111111-1111-4111-8111-111111111111"


def accepted(*arguments):
    asked = parse(arguments)
    assert isinstance(asked, Invocation), asked
    return asked


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--no-such-flag"], "error: unknown option '--no-such-flag'"),
        (["--no-such-flag=1"], "error: unknown option '--no-such-flag'"),
        (["-p", "hi", "-z"], "error: unknown option '-z'"),
        (
            ["-p", "hi", "--output-format", "stream-json"],
            "Error: When using --print, --output-format=stream-json requires --verbose",
        ),
        (
            ["-p", "--input-format", "stream-json"],
            "Error: --input-format=stream-json requires output-format=stream-json.",
        ),
        (
            ["-p", "hi", "--output-format", "bogus"],
            OPTION
            + "'--output-format <format>' argument 'bogus' is invalid. Allowed choices are text, json, stream-json.",
        ),
        (
            ["-p", "hi", "--permission-mode", "bogus"],
            OPTION + "'--permission-mode <mode>' argument 'bogus' is invalid. Allowed choices are " + MODES_SHOWN,
        ),
        (["-p", "hi", "--session-id", "nope"], "Error: Invalid session ID. Must be a valid UUID."),
        (["-p", "hi", "--model"], "error: option '--model <model>' argument missing"),
        (
            ["-p", "hi", "--replay-user-messages"],
            "Error: --replay-user-messages requires both --input-format=stream-json and --output-format=stream-json.",
        ),
        (
            ["-p", "hi", "--include-partial-messages"],
            "Error: --include-partial-messages requires --print and --output-format=stream-json.",
        ),
        (
            ["-p", "hi", "--session-id", UUID, "--resume", UUID],
            "Error: --session-id can only be used with --continue or --resume if --fork-session is also specified.",
        ),
        (
            ["-p", "hi", "--max-turns", "x"],
            "error: option '--max-turns <turns>' argument 'x' is invalid. must be a number",
        ),
    ],
)
def test_a_call_that_makes_no_sense_is_refused_in_the_clients_words(arguments, complaint):
    """Each refusal is the line that client 2.1.325 wrote to standard error, with exit code 1."""
    assert parse(arguments) == Refusal(complaint, 1)


def test_what_matters_is_understood():
    """A value may follow its option or be joined with `=`, and the prompt may be at any position."""
    asked = accepted("-p", "say hi", "--output-format=stream-json", "--verbose", "--resume", UUID, "--max-turns", "3")

    assert (asked.prompt, asked.output_format, asked.resume, asked.max_turns) == ("say hi", "stream-json", UUID, "3")
    assert {"print", "verbose", "resume"} <= asked.given and not asked.is_streaming


def test_options_take_as_much_as_the_clients_do():
    """A required value may look like an option, an optional one may not, and a list ends at the next option."""
    assert accepted("--system-prompt", "--strange", "hi").prompt == "hi"
    assert accepted("-p", "--resume", "-c").resume == ""
    assert accepted("--allowedTools", "Bash", "Edit", "-p", "hi").prompt == "hi"
    assert accepted("-pc", "hi").continues and accepted("-rabc").resume == "abc"
    assert accepted("-p", "--", "--not-an-option").prompt == "--not-an-option"


def test_a_host_of_the_sdk_is_understood():
    """All options that an SDK passes are known."""
    asked = accepted(
        *STREAM, "--system-prompt", "", "--permission-prompt-tool", "stdio", "--setting-sources=", "--mcp-config", "{}",
        "--permission-mode", "default", "--max-thinking-tokens", "1000",
        "--agents", "{}", "--input-format", "stream-json", "--tools", "",
    )  # fmt: skip

    assert asked.is_streaming and asked.permission_prompt_tool == "stdio" and asked.prompt is None
