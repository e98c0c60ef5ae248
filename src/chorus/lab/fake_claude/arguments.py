"""Parses the client's command line: its options, and how it refuses an invalid call.

Names and error messages are those of client 2.1.325. Options without an effect on the stand-in are accepted and
ignored.
"""

import re
from collections.abc import Sequence
from enum import Enum, auto

from msgspec import Struct

MODES = ("acceptEdits", "auto", "bypassPermissions", "manual", "dontAsk", "plan")
FORMATS = ("text", "json", "stream-json")
STREAM = "stream-json"
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")


class Takes(Enum):
    """What may follow an option."""

    NOTHING = auto()
    ONE = auto()
    MAYBE = auto()
    MANY = auto()


_NOTHING = """
allow-dangerously-skip-permissions ax-screen-reader background bare bg brief chrome continue
dangerously-skip-permissions desktop disable-slash-commands enable-auth-status enable-auto-mode
exclude-dynamic-system-prompt-sections fork-session forward-subagent-text help ide include-hook-events
include-partial-messages init init-only maintenance no-chrome no-session-persistence plan-mode-required print
replay-user-messages restricted safe-mode session-mirror strict-mcp-config tmux verbose version
"""
_ONE = """
advisor agent agent-id agent-name agents append-system-prompt append-system-prompt-file autocompact debug-file effort
environment fallback-model input-format json-schema managed-settings max-budget-usd max-thinking-tokens max-turns
messaging-socket-path model name output-format parent-session-id permission-mode permission-prompt-tool
permission-prompts plan-mode-instructions plugin-dir plugin-dir-no-mcp plugin-url prefill
remote-control-session-name-prefix resume-session-at rewind-files session-id setting-sources settings system-prompt
system-prompt-file system-prompt-snapshot task-budget team-name teammate-mode thinking thinking-display workload
"""
_MAYBE = "cloud debug from-pr prompt-suggestions rc remote remote-control resume teleport worktree"
_MANY = "add-dir allowed-tools allowedTools betas channels disallowed-tools disallowedTools file mcp-config tools"
_SHORT = {"c": "continue", "d": "debug", "h": "help", "n": "name", "p": "print", "r": "resume", "v": "version"} | {
    "w": "worktree"
}
_OPTIONS = {
    name: takes
    for takes, names in ((Takes.NOTHING, _NOTHING), (Takes.ONE, _ONE), (Takes.MAYBE, _MAYBE), (Takes.MANY, _MANY))
    for name in names.split()
}
_PLACEHOLDERS = {
    "input-format": "format",
    "max-turns": "turns",
    "output-format": "format",
    "permission-mode": "mode",
    "session-id": "uuid",
}


class Invocation(Struct, frozen=True):
    """What a call asks for, as far as a stand-in supports it."""

    prompt: str | None = None
    output_format: str = "text"
    input_format: str = "text"
    permission_prompt_tool: str = ""
    resume: str = ""
    """The session to resume."""
    session_id: str = ""
    max_turns: str = ""
    max_budget: str = ""
    given: frozenset[str] = frozenset()
    """The names of all given options, without their dashes."""

    @property
    def continues(self) -> bool:
        return "continue" in self.given

    @property
    def is_streaming(self) -> bool:
        """Whether prompts, answers and requests come on standard input, one JSON object per line."""
        return self.input_format == STREAM


class Refusal(Struct, frozen=True):
    """A call that the client refuses: its text on standard error, and its exit code."""

    stderr: str
    code: int = 1


def parse(arguments: Sequence[str]) -> Invocation | Refusal:
    """Returns the parsed call, or why the client would refuse it."""
    found = _split_arguments(arguments)
    if isinstance(found, Refusal):
        return found
    values, given, prompt = found
    asked = Invocation(
        prompt=prompt,
        output_format=values.get("output-format", "text"),
        input_format=values.get("input-format", "text"),
        permission_prompt_tool=values.get("permission-prompt-tool", ""),
        resume=values.get("resume", ""),
        session_id=values.get("session-id", ""),
        max_turns=values.get("max-turns", ""),
        max_budget=values.get("max-budget-usd", ""),
        given=frozenset(given),
    )
    return _bad_value(values) or _bad_combination(asked) or asked


def _split_arguments(arguments: Sequence[str]) -> tuple[dict[str, str], list[str], str | None] | Refusal:
    """Returns values by option, options in order, and the prompt."""
    values: dict[str, str] = {}
    given: list[str] = []
    prompt: str | None = None
    rest = list(reversed(arguments))
    while rest:
        word = rest.pop()
        if word == "--":
            prompt = prompt if prompt is not None or not rest else rest[-1]
            break
        if not word.startswith("-") or word == "-":
            prompt = word if prompt is None else prompt
            continue
        name, value = _split_option(word, rest)
        takes = _OPTIONS.get(name)
        if takes is None or (value is not None and takes is Takes.NOTHING):
            return Refusal(f"error: unknown option '{word.partition('=')[0]}'")
        given.append(name)
        if value is None and takes is Takes.ONE:
            if not rest:
                return Refusal(f"error: option '{_usage(name)}' argument missing")
            value = rest.pop()
        elif value is None and takes is not Takes.NOTHING:
            value = _values(rest, takes)
        if value is not None:
            values[name] = value
    return values, given, prompt


def _split_option(word: str, rest: list[str]) -> tuple[str, str | None]:
    """Returns the long name of an option and its attached value; further letters of `-pc` go back to the rest."""
    if word.startswith("--"):
        name, glue, value = word[2:].partition("=")
        return name, value if glue else None
    name = _SHORT.get(word[1], "")
    if len(word) > 2 and _OPTIONS.get(name) is Takes.NOTHING:
        rest.append(f"-{word[2:]}")
        return name, None
    return name, word[2:] or None


def _values(rest: list[str], takes: Takes) -> str:
    """Returns the optional value, or all values up to the next option."""
    taken = []
    while rest and not rest[-1].startswith("-") and not (takes is Takes.MAYBE and taken):
        taken.append(rest.pop())
    return " ".join(taken)


def _bad_value(values: dict[str, str]) -> Refusal | None:
    choices = {"output-format": FORMATS, "input-format": ("text", STREAM), "permission-mode": (*MODES, "default")}
    for name, allowed in choices.items():
        if name in values and values[name] not in allowed:
            listed = ", ".join(choice for choice in allowed if choice != "default")
            return _invalid(name, values[name], f"Allowed choices are {listed}.")
    if "max-turns" in values and not _NUMBER.fullmatch(values["max-turns"]):
        return _invalid("max-turns", values["max-turns"], "must be a number")
    if "session-id" in values and not _UUID.fullmatch(values["session-id"]):
        return Refusal("Error: Invalid session ID. Must be a valid UUID.")
    return None


def _bad_combination(asked: Invocation) -> Refusal | None:
    """Checks options that require each other, in the order in which the client checks them."""
    if asked.session_id and (asked.resume or asked.continues) and "fork-session" not in asked.given:
        return Refusal(
            "Error: --session-id can only be used with --continue or --resume if --fork-session is also specified."
        )
    streams = asked.output_format == STREAM
    if asked.is_streaming and not streams:
        return Refusal("Error: --input-format=stream-json requires output-format=stream-json.")
    if "replay-user-messages" in asked.given and not (asked.is_streaming and streams):
        return Refusal(
            "Error: --replay-user-messages requires both --input-format=stream-json and --output-format=stream-json."
        )
    if "include-partial-messages" in asked.given and not streams:
        return Refusal("Error: --include-partial-messages requires --print and --output-format=stream-json.")
    if streams and "verbose" not in asked.given:
        return Refusal("Error: When using --print, --output-format=stream-json requires --verbose")
    return None


def _invalid(name: str, value: str, why: str) -> Refusal:
    return Refusal(f"error: option '{_usage(name)}' argument '{value}' is invalid. {why}")


def _usage(name: str) -> str:
    return f"--{name} <{_PLACEHOLDERS.get(name, name.rpartition('-')[2])}>"
