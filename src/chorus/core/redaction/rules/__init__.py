"""The rule table. A new rule is a row in one of these modules; `tests/core/redaction` plants an example of each."""

from chorus.core.redaction.rule import Rule
from chorus.core.redaction.rules import (
    accounts,
    addresses,
    agents,
    clouds,
    code_hosts,
    commands,
    credentials,
    deployments,
    marked,
    messaging,
    models,
    pairs,
    payments,
    personal,
    platforms,
    sentences,
    services,
    written,
)

SECRETS: tuple[Rule, ...] = (
    *models.RULES,
    *clouds.RULES,
    *code_hosts.RULES,
    *payments.RULES,
    *messaging.RULES,
    *services.RULES,
    *platforms.RULES,
    *agents.RULES,
    *deployments.RULES,
    *accounts.RULES,
    *credentials.RULES,
    *written.RULES,
    *commands.RULES,
    *pairs.RULES,
    *addresses.RULES,
    *sentences.RULES,
    *marked.RULES,
)
"""More specific rules come first: where two rules match the same text, the first one names it."""
RULES: tuple[Rule, ...] = (*SECRETS, *personal.RULES)
