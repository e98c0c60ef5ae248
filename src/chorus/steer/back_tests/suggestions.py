"""Rules that history suggests: what people always allowed, or what always ran. Pure: nothing is switched on here."""

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from chorus.core.conversation.tool_facts import kind_of
from chorus.core.rules.actions import SHELL_TOOL, Action, actions_of
from chorus.core.rules.rule import Rule
from chorus.core.rules.rule_text import command_text, read_rule
from chorus.core.rules.shell_words import Unknown, listed
from chorus.errors import ChorusError
from chorus.steer.approvals import inputs
from chorus.steer.approvals.rules.asked_facts import ONLY_A_PERSON
from chorus.steer.back_tests.recorded_cases import Case

FEWEST = 3
_SUBCOMMAND = re.compile(r"[a-z][a-z0-9:_-]*")
_ALONE = frozenset(
    {"cat", "cd", "echo", "find", "grep", "head", "ls", "pwd", "rg", "sort", "tail", "wc", "which", "pytest"}
)
"""Programs whose second word is no sub-command."""
_WIDE = listed("bun cargo docker gh git go make mise npm npx pip pnpm poetry python python3 rtk uv yarn")
"""Programs that do very different things: a rule is suggested only together with a sub-command."""


class Suggestion(Struct):
    """A rule that would have answered requests as people did."""

    rule: Rule
    approved: int = 0
    """How often people allowed it."""
    ran: int = 0
    """How often it ran without a record of who allowed it."""
    denied: int = 0
    """How often somebody refused it, also by a rule of the client or a hook."""


def suggest(recorded: Iterable[Case], others: Sequence[Rule]) -> list[Suggestion]:
    """Returns rules that allow what was never denied, the most useful first; without those that there are already."""
    found: dict[str, Suggestion] = {}
    for case in recorded:
        for rule in _rules_for(case):
            suggestion = found.setdefault(rule.id, Suggestion(rule))
            suggestion.approved += case.decided == "allow" and case.was_asked
            suggestion.ran += case.decided is None and case.ran
            suggestion.denied += case.decided == "deny" or case.is_refused
    known = {rule.id for rule in others}
    useful = [
        each
        for each in found.values()
        if not each.denied and each.approved + each.ran >= FEWEST and each.rule.id not in known
    ]
    return sorted(useful, key=lambda each: (-each.approved, -each.ran, each.rule.text))


def _rules_for(case: Case) -> set[Rule]:
    request = case.request
    if kind_of(request.tool) in ("question", "plan") or request.tool in ONLY_A_PERSON:
        return set()
    try:
        actions = actions_of(request.tool, inputs.fields(request.input), request.cwd)
    except Unknown:
        return set()
    return {rule for action in actions for rule in _rules_of(action)}


def _rules_of(action: Action) -> Iterator[Rule]:
    text = _command_rule(action) if action.tool == SHELL_TOOL else _tool_rule(action)
    if text is not None:
        try:
            yield read_rule(text)
        except ChorusError:
            return


def _command_rule(action: Action) -> str | None:
    words = action.words
    if not words or action.is_opaque or action.assigned:
        return None
    name = words[0].text
    if "/" in name:
        return None
    first = [name]
    if name not in _ALONE and len(words) > 1 and words[1].is_fixed and _SUBCOMMAND.fullmatch(words[1].text):
        first.append(words[1].text)
        if words[1].text in ("run", "pr", "issue") and len(words) > 2 and _SUBCOMMAND.fullmatch(words[2].text):
            first.append(words[2].text)
    if len(first) == 1 and name in _WIDE:
        return None
    return f'allow command:"{command_text(first, is_open=True)}"'


def _tool_rule(action: Action) -> str | None:
    kind = kind_of(action.tool)
    if kind in ("reader", "editor") and action.paths is not None:
        return f"allow tool:{action.tool} path:inside"
    if action.hosts:
        return f"allow tool:{action.tool} host:{action.hosts[0]}"
    return f"allow tool:{action.tool}" if action.tool.startswith("mcp__") else None
