"""Judges one call by rules that a test writes as texts."""

from datetime import UTC, datetime
from typing import Any

from chorus.core.rules.judging import Ruling, judge
from chorus.core.rules.matching import Situation
from chorus.core.rules.rule_text import read_rule

ROOT = "/srv/project"
MONDAY_10 = datetime(2026, 3, 2, 10, 0, tzinfo=UTC)


def ruling(rules: str, tool: str, given: dict[str, Any], *, cwd: str = ROOT, **situation: Any) -> Ruling:
    """Returns what the rules, one on each line, decide about a call."""
    facts: dict[str, Any] = {"root": ROOT, "at": MONDAY_10, **situation}
    where = Situation(**facts)
    return judge([read_rule(line) for line in rules.strip().split("\n")], tool, given, cwd, where)


def of_command(rules: str, line: str, **more: Any) -> str:
    """Returns what the rules decide about a command line."""
    return ruling(rules, "Bash", {"command": line}, **more).behaviour
