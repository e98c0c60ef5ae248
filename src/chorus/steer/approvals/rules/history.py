"""Whether a recorded decision of a rule can be true: the rule was signed, and it does decide that request so. Pure."""

from datetime import UTC, datetime

from chorus.steer.approvals.model import Decision, Request
from chorus.steer.approvals.rules.asked_facts import rule_on, without_time
from chorus.steer.approvals.rules.signed_rules import SignedRules

_ANY_TIME = datetime(1970, 1, 1, tzinfo=UTC)
"""The rules are judged without their conditions on time."""


def historical_objection(found: SignedRules, request: Request, decision: Decision) -> str | None:
    """Returns why a decision in the ledger's file is not that of the rules it names; None if it can be.

    For showing history, never to act on it: the rules may have been removed since, and links are not followed.
    """
    signed = [found.ever.get(used.id) for used in decision.rules]
    rules = [each.rule for each in signed if each is not None]
    if len(rules) < len(decision.rules) or any(
        rule.text != used.text for rule, used in zip(rules, decision.rules, strict=True)
    ):
        return "the file says that a rule decided it, but no approver signed that rule"
    made = rule_on([without_time(rule) for rule in rules], request, at=_ANY_TIME)
    return None if made.behaviour == decision.behaviour else "the file says that a rule decided it, but it does not"
