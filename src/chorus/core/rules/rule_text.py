"""Reads a rule that a person wrote, such as `allow command:"git status *" path:inside`."""

import re
import shlex
from collections.abc import Callable, Iterable
from typing import Any

from chorus.core.rules.reserved_variables import is_reserved_variable
from chorus.core.rules.rule import INSIDE, OUTSIDE, CommandPattern, Rule, RuleBehaviour
from chorus.core.rules.shell import commands_of
from chorus.core.rules.shell_words import KEYWORDS, UNSAFE_BUILTINS, Unknown
from chorus.errors import ChorusError

KEYS = ("tool", "command", "path", "host", "env", "workspace", "agent", "subagent", "hours", "days", "until")
LONGEST_TEXT = 2_000
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_TERM = re.compile(r'([a-z]+):(?:"((?:[^"\\]|\\["\\])*)"|([^\s"]+))(?=\s|$)')
_TOOL = re.compile(r"[A-Za-z0-9_.-]+\*?")
_ONE_SERVER = re.compile(r"mcp__.+__.*\*")
"""Tools of one MCP server. Any other beginning of a name may also be that of `Bash`, or of other servers."""
_PROGRAM = re.compile(r"[A-Za-z0-9_./+@:\[-]+")
_HOST = re.compile(r"(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NAME = re.compile(r"[\w.@+-]+")
_HOURS = re.compile(r"([01]\d|2[0-4]):([0-5]\d)-([01]\d|2[0-4]):([0-5]\d)")
_DATE = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])")


def read_rule(text: str) -> Rule:
    """Returns the rule in a text. Raises `ChorusError` that says what is wrong."""
    if len(text) > LONGEST_TEXT or not text.isprintable():
        raise ChorusError(f"a rule is one line of at most {LONGEST_TEXT} characters that can be seen")
    behaviour, _, rest = text.strip().partition(" ")
    if behaviour not in ("allow", "deny", "ask"):
        raise ChorusError(f"{behaviour[:40] or 'nothing'}: a rule begins with `allow`, `deny` or `ask`")
    given = _terms(rest)
    rule = Rule(text=_written(behaviour, given), behaviour=behaviour, **_conditions(given))
    _refuse_too_wide(rule)
    return rule


def rule_lines(text: str) -> list[tuple[int, str]]:
    """Returns the lines of a file that hold a rule, with their numbers; empty lines and `#` comments are left out."""
    lines = ((number, line.strip()) for number, line in enumerate(text.split("\n"), 1))
    return [(number, line) for number, line in lines if line and not line.startswith("#")]


def command_text(words: Iterable[str], *, is_open: bool) -> str:
    """Returns the words of a command as a rule writes them."""
    return " ".join([*map(shlex.quote, words), *(["*"] if is_open else [])])


def _terms(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        term = _TERM.match(text, at)
        if term is None:
            raise ChorusError(f'{text[at : at + 40]}: a condition is written `name:value`, or `name:"a value"`')
        key = term.group(1)
        if key not in KEYS:
            raise ChorusError(f"{key}: no such condition; there are {', '.join(KEYS)}")
        if key in found:
            raise ChorusError(f"{key}: it is given twice; several values are separated by commas")
        quoted = term.group(2)
        found[key] = term.group(3) if quoted is None else re.sub(r"\\(.)", r"\1", quoted)
        at = term.end()
    return found


def _written(behaviour: str, given: dict[str, str]) -> str:
    """Returns the one form in which a rule is stored: conditions in the order of `KEYS`."""
    return " ".join([behaviour, *(f"{key}:{_quoted(given[key])}" for key in KEYS if key in given)])


def _quoted(value: str) -> str:
    if value and not re.search(r'[\s"]', value):
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _conditions(given: dict[str, str]) -> dict[str, Any]:
    readers: dict[str, tuple[str, Callable[[str], Any]]] = {
        "tool": ("tools", lambda value: _each("tool", value, _TOOL)),
        "command": ("command", _command),
        "path": ("folders", _folders),
        "host": ("hosts", lambda value: _each("host", value.lower(), _HOST)),
        "env": ("variables", lambda value: _each("env", value, _VARIABLE)),
        "workspace": ("workspaces", lambda value: _each("workspace", value, _NAME)),
        "agent": ("agents", lambda value: _each("agent", value, _NAME)),
        "subagent": ("is_subagent", _subagent),
        "hours": ("hours", _hours),
        "days": ("days", _days),
        "until": ("until", lambda value: _each("until", value, _DATE)[0]),
    }
    return {readers[key][0]: readers[key][1](value) for key, value in given.items()}


def _each(key: str, value: str, pattern: re.Pattern[str]) -> tuple[str, ...]:
    values = tuple(value.split(","))
    for each in values:
        if not pattern.fullmatch(each):
            raise ChorusError(f"{key}:{each[:40]}: this value cannot be read")
    return values


def _command(value: str) -> CommandPattern:
    """Reads the words as a shell does; only plain words, and `*` at the end."""
    is_open = value.endswith(" *")
    text = value.removesuffix(" *") if is_open else value
    if text == "time":
        # A keyword: what it measures is a command of its own.
        return CommandPattern(("time",), is_open)
    try:
        commands = commands_of(text)
    except Unknown as reason:
        raise ChorusError(f"command:{value[:60]}: this is not understood: {reason}") from reason
    if len(commands) != 1 or commands[0].assigned or commands[0].redirections or not commands[0].words:
        raise ChorusError(f"command:{value[:60]}: name one command, without pipes, variables and redirections")
    words = commands[0].words
    if not all(word.is_fixed for word in words):
        raise ChorusError(f"command:{value[:60]}: write plain words; only `*` as the last word stands for any others")
    name = words[0].text
    if not _PROGRAM.fullmatch(name) or name.startswith("-") or name in KEYWORDS or name in UNSAFE_BUILTINS:
        raise ChorusError(f"command:{name[:60]}: this is no program that a rule can name")
    return CommandPattern(tuple(word.text for word in words), is_open)


def _folders(value: str) -> tuple[str, ...]:
    values = tuple(value.split(","))
    for each in values:
        if not each or each.startswith(("~", "$")) or ".." in each.split("/"):
            raise ChorusError(f"path:{each[:60]}: name a folder by its whole path, or below the workspace")
        if each in (INSIDE, OUTSIDE) and len(values) > 1:
            raise ChorusError(f"path:{each}: it stands alone")
    return values


def _subagent(value: str) -> bool:
    if value not in ("yes", "no"):
        raise ChorusError(f"subagent:{value[:40]}: it is `yes` or `no`")
    return value == "yes"


def _hours(value: str) -> tuple[int, int]:
    found = _HOURS.fullmatch(value)
    if found is None:
        raise ChorusError(f"hours:{value[:40]}: it looks like 09:00-18:00")
    start_h, start_m, end_h, end_m = map(int, found.groups())
    return start_h * 60 + start_m, end_h * 60 + end_m


def _days(value: str) -> frozenset[int]:
    found: set[int] = set()
    for part in value.lower().split(","):
        first, _, last = part.partition("-")
        if first not in _DAYS or (last or first) not in _DAYS:
            raise ChorusError(f"days:{value[:40]}: it looks like mon-fri, or sat,sun")
        start, end = _DAYS.index(first), _DAYS.index(last or first)
        found.update(range(start, end + 1) if start <= end else (*range(start, 7), *range(end + 1)))
    return frozenset(found)


def _refuse_too_wide(rule: Rule) -> None:
    """Raises `ChorusError` for a rule that would allow more than a person can judge on a card."""
    behaviour: RuleBehaviour = rule.behaviour
    if behaviour != "allow":
        return
    if rule.command is None and not rule.tools and not rule.variables:
        raise ChorusError("a rule that allows must name a tool, a command or a variable")
    if rule.command is None and any(each.startswith(("Bash", "PowerShell")) for each in rule.tools):
        raise ChorusError('a rule that allows commands must name them: `command:"git status *"`')
    if any(each.endswith("*") and not _ONE_SERVER.fullmatch(each) for each in rule.tools):
        raise ChorusError(
            "a rule that allows must name its tools; `*` may only stand for one server's: `mcp__github__*`"
        )
    if rule.folders and rule.folders[0] in (OUTSIDE, "/"):
        raise ChorusError("a rule cannot allow everything outside the workspace: name the folder")
    for name in rule.variables:
        if is_reserved_variable(name):
            raise ChorusError(f"env:{name}: it decides which program runs, so no rule can allow it")
