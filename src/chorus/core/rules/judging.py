"""What a set of rules decides about a request: the one place where rules become a decision.

Each action of the request is judged by itself. A rule that denies wins over every other; else the most specific rule
decides, and of equally specific ones the first. The request is allowed only if every action is. Whatever is not
understood, and whatever no rule is about, is left to a person.
"""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from chorus.core.rules.actions import Action, actions_of
from chorus.core.rules.matching import Match, Situation, matches
from chorus.core.rules.rule import Rule, RuleBehaviour
from chorus.core.rules.shell_words import Unknown

_MAX_ACTIONS = 200


class ActionRuling(Struct, frozen=True):
    """What was decided about one action, and by which rule."""

    label: str
    behaviour: RuleBehaviour
    rule: Rule | None


class Ruling(Struct, frozen=True):
    """What the rules decide about a request."""

    behaviour: RuleBehaviour
    rules: tuple[Rule, ...] = ()
    """The rules that decided. If the request is allowed, all that it needs; each once."""
    why: str = ""
    """If it is left to a person: why."""
    actions: tuple[ActionRuling, ...] = ()


def judge(rules: Sequence[Rule], tool: str, given: dict[str, Any], cwd: str, situation: Situation) -> Ruling:
    """Returns what the rules decide about a call of a tool."""
    try:
        actions = actions_of(tool, given, cwd)
    except Unknown as reason:
        return _not_understood(rules, tool, situation, str(reason))
    if len(actions) > _MAX_ACTIONS:
        return Ruling("ask", why="it does too many things")
    found = [_judge_action(rules, action, situation) for action in actions]
    for each in found:
        if each.behaviour == "deny" and each.rule is not None:
            return Ruling("deny", (each.rule,), actions=tuple(found))
    open_ones = [each for each in found if each.behaviour == "ask"]
    if open_ones:
        first = open_ones[0]
        why = f"`{first.rule.text}`" if first.rule is not None else f"no rule allows `{first.label[:80]}`"
        return Ruling(
            "ask", tuple({each.rule.id: each.rule for each in open_ones if each.rule}.values()), why, tuple(found)
        )
    used = {each.rule.id: each.rule for each in found if each.rule is not None}
    return Ruling("allow", tuple(used.values()), actions=tuple(found))


def _not_understood(rules: Sequence[Rule], tool: str, situation: Situation, why: str) -> Ruling:
    """Returns a denial if a rule denies the tool whatever it is called with, else leaves the request to a person."""
    whole = Action(tool=tool, label=tool)
    for rule in rules:
        is_whole = rule.command is None and not rule.folders and not rule.hosts and not rule.variables
        if rule.behaviour == "deny" and is_whole and matches(rule, whole, situation) is Match.YES:
            return Ruling("deny", (rule,))
    return Ruling("ask", why=f"not understood: {why}")


def _judge_action(rules: Sequence[Rule], action: Action, situation: Situation) -> ActionRuling:
    found = [(rule, match) for rule in rules if (match := matches(rule, action, situation)) is not Match.NO]
    for rule, match in found:
        if rule.behaviour == "deny" and match is Match.YES:
            return ActionRuling(action.label, "deny", rule)
    for rule, _ in found:
        if rule.behaviour == "deny":
            return ActionRuling(action.label, "ask", rule)
    usable = [rule for rule, match in found if match is Match.YES or rule.behaviour == "ask"]
    if not usable:
        return ActionRuling(action.label, "ask", None)
    best = max(usable, key=lambda rule: rule.specificity)
    return ActionRuling(action.label, best.behaviour, best)
