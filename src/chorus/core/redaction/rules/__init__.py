"""The rule table. A new rule is a row in one of these modules; `tests/core/redaction` plants an example of each."""

from chorus.core.redaction.rule import Rule
from chorus.core.redaction.rules import (
    clouds,
    code_hosts,
    credentials,
    messaging,
    models,
    payments,
    personal,
    platforms,
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
    *credentials.RULES,
    *written.RULES,
)
"""More specific rules come first: where two rules match the same text, the first one names it."""
RULES: tuple[Rule, ...] = (*SECRETS, *personal.RULES)
