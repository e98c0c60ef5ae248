"""Routes for rules: the list, signed changes, and trying a rule on what was recorded."""

from litestar import get, post
from litestar.params import JSONBody

from chorus.show import wire
from chorus.show.server.context import Context
from chorus.show.server.services.rules import RuleService


@get("/api/rules")
async def rules(server: Context) -> wire.Rules:
    """Returns the rules, those of the client, and entries that are not applied."""
    return await server.readers.in_thread(RuleService(server.vault, server.approvals).rules)


@post("/api/rules", status_code=200)
async def change_rules(server: Context, data: JSONBody[wire.RuleChangeAsked]) -> wire.Rules:
    """Adds or removes a rule; an approver must have signed the change."""
    return await server.readers.in_thread(lambda: RuleService(server.vault, server.approvals).change(data))


@post("/api/rules/test", status_code=200)
async def test_rule(server: Context, data: JSONBody[wire.RuleAsked]) -> wire.RuleTest:
    """Returns what a rule would have decided about everything that was recorded. Nothing is switched on."""
    return await server.readers.run(lambda index: RuleService(server.vault, server.approvals).test(data.text, index))


@get("/api/rules/suggestions")
async def rule_suggestions(server: Context) -> wire.RuleSuggestions:
    """Returns rules that would have answered requests as people did. Nothing is switched on."""
    return await server.readers.run(lambda index: RuleService(server.vault, server.approvals).suggestions(index))
