"""The rules of a file: a list of changes that approvers signed. Pure.

Every entry must be signed by an approver over its content and the line before it, so that no entry can be moved,
repeated or inserted. If somebody is no longer an approver, what they allowed is no longer allowed, and what they denied
stays denied.
"""

from collections.abc import Sequence
from typing import ClassVar, Literal

from msgspec import Struct, field

from chorus.core.rules.rule import Rule
from chorus.core.rules.rule_text import read_rule
from chorus.errors import ChorusError
from chorus.steer.approvals.signed_text import TextChange, signature_objection
from chorus.steer.approvals.trust import Approvers, Listed, Rejected

MAX_RULES = 500
NO_LONGER = "who signed it is no longer an approver"


class RuleChange(TextChange, frozen=True, kw_only=True):
    """An entry of the file: a rule is added or removed."""

    kind: ClassVar[str] = "rule"
    action: Literal["add", "remove"]


class SignedRule(Struct, frozen=True):
    """A rule of the list."""

    rule: Rule
    by: str
    """The id of the approver who signed it."""
    at: str
    trouble: str = ""
    """Why it does not apply; empty if it does."""

    @property
    def is_in_force(self) -> bool:
        return not self.trouble


class SignedRules(Struct, frozen=True):
    """The content of a file: the current rules in order, every rule that there ever was, and invalid entries."""

    lines: tuple[str, ...] = ()
    rules: tuple[SignedRule, ...] = ()
    ever: dict[str, SignedRule] = field(default_factory=dict)
    rejected: tuple[Rejected, ...] = ()

    @property
    def in_force(self) -> list[Rule]:
        """The rules that apply, in order."""
        return [each.rule for each in self.rules if each.is_in_force]


def fold_rules(
    lines: Sequence[str], listed: Sequence[Listed[RuleChange]], approvers: Approvers, flaws: Sequence[Rejected] = ()
) -> SignedRules:
    """Returns the rules of a file.

    `lines` are the digests of all its lines, `listed` the changes that could be read.
    """
    rules: dict[str, SignedRule] = {}
    ever: dict[str, SignedRule] = {}
    rejected = list(flaws)
    for each in listed:
        reason = rule_objection(each, rules, approvers)
        if reason is not None:
            rejected.append(Rejected(each.line, reason))
        elif each.change.action == "remove":
            del rules[each.change.id]
        else:
            signed = _signed_rule(each.change, approvers)
            rules[signed.rule.id] = ever[signed.rule.id] = signed
    ordered = tuple(sorted(rejected, key=lambda one: one.line))
    return SignedRules(tuple(lines), tuple(rules.values()), ever, ordered)


def rule_objection(listed: Listed[RuleChange], rules: dict[str, SignedRule], approvers: Approvers) -> str | None:
    """Returns why an entry is not valid; None if it is."""
    change = listed.change
    reason = signature_objection(listed, approvers)
    if reason is not None:
        return reason
    if change.action == "remove":
        return _removal_error(change, rules, is_current=change.by in approvers.valid)
    if change.id in rules:
        return "there is such a rule already"
    if len(rules) >= MAX_RULES:
        return f"there are {MAX_RULES} rules already"
    try:
        rule = read_rule(change.text)
    except ChorusError as error:
        return f"it is no rule: {error}"
    return None if rule.text == change.text and rule.id == change.id else "it is not in the written form of a rule"


def _removal_error(change: RuleChange, rules: dict[str, SignedRule], *, is_current: bool) -> str | None:
    signed = rules.get(change.id)
    if signed is None:
        return "there is no such rule to remove"
    return None if is_current or signed.rule.behaviour == "allow" else NO_LONGER


def _signed_rule(change: RuleChange, approvers: Approvers) -> SignedRule:
    rule = read_rule(change.text)
    is_void = rule.behaviour == "allow" and change.by not in approvers.valid
    return SignedRule(rule, change.by, change.at, NO_LONGER if is_void else "")
