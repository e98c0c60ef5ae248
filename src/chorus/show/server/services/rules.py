"""Serves the rules: the list, signed changes of it, and what a rule would have decided in the past."""

from typing import TYPE_CHECKING, cast

from chorus.base.zone import local_zone
from chorus.core.rules.rule import Rule
from chorus.core.rules.rule_text import read_rule
from chorus.errors import ChorusError
from chorus.find.index.port import Index
from chorus.keep.sources.discover import config_folder
from chorus.keep.vault.files import FileVault
from chorus.show import wire
from chorus.show.server.errors import Refused, bad_request
from chorus.steer.approvals.ledger_reader import LedgerReader
from chorus.steer.approvals.rules.rules_file import RulesFile
from chorus.steer.approvals.rules.signed_rules import RuleChange
from chorus.steer.approvals.visible_text import make_visible_line
from chorus.steer.back_tests.back_test import TestedCase, is_against, try_rules
from chorus.steer.back_tests.recorded_cases import cases
from chorus.steer.back_tests.suggestions import suggest
from chorus.steer.client_settings.client_rules import client_rules

if TYPE_CHECKING:
    from typing import Literal

    from chorus.show.server.services.approvals import ApprovalService

STATE = "state"
_MAX_SHOWN = 60
_MAX_SUGGESTED = 20


class RuleService:
    """The rules of one vault, for one request of a page."""

    def __init__(self, vault: FileVault, approvals: "ApprovalService") -> None:
        self._vault = vault
        self._approvals = approvals
        self._file = RulesFile(vault.root / STATE)

    def rules(self) -> wire.Rules:
        """Returns the rules, those of the client, and entries that are not applied."""
        known = self._approvals.file.load()
        found = self._file.load(known)
        return wire.Rules(
            rules=tuple(
                wire.RuleShown(
                    id=each.rule.id,
                    text=each.rule.text,
                    behavior=each.rule.behaviour,
                    by=known.ever[each.by].name if each.by in known.ever else None,
                    at=each.at,
                    trouble=each.trouble or None,
                )
                for each in found.rules
            ),
            client_rules=tuple(
                wire.ClientRuleShown(
                    behavior=each.behaviour,
                    text=make_visible_line(each.text[:1_000]),
                    file=make_visible_line(each.file),
                )
                for each in client_rules(config_folder(), [])
            ),
            rejected=tuple(f"line {each.line}: {each.reason}" for each in found.rejected),
            trouble=self._approvals.rules.tampering or self._file.tampering,
            head=self._file.head(),
        )

    def change(self, asked: wire.RuleChangeAsked) -> wire.Rules:
        """Applies a change that an approver signed; raises `Refused` if it is not accepted."""
        change = RuleChange(
            action=asked.action, id=asked.id, at=asked.at, text=asked.text, by=asked.by, signature=asked.signature
        )
        self._approvals.file.extend(self._approvals.trust)
        try:
            self._file.append(self._approvals.trust.list, lambda _head: change)
        except ChorusError as error:
            raise Refused(403, "not_allowed", str(error)) from error
        return self.rules()

    def test(self, text: str, index: Index) -> wire.RuleTest:
        """Returns what a rule would have decided, together with the rules that are in force."""
        try:
            rule = read_rule(text)
        except ChorusError as error:
            raise bad_request(str(error)) from error
        recorded = cases(LedgerReader(self._vault.root / STATE), index, self._vault)
        found = try_rules([rule], self._in_force(), recorded, local_zone())
        shown = found.shown()
        return wire.RuleTest(
            id=rule.id,
            text=rule.text,
            cases=found.cases,
            allowed=found.allowed,
            denied=found.denied,
            asked=found.asked,
            against_people=found.against_people,
            unasked=found.unasked,
            saved=found.saved,
            questions=found.questions,
            shown=tuple(map(_case, shown[:_MAX_SHOWN])),
            more=max(0, len(shown) - _MAX_SHOWN),
        )

    def suggestions(self, index: Index) -> wire.RuleSuggestions:
        """Returns rules that history suggests."""
        recorded = cases(LedgerReader(self._vault.root / STATE), index, self._vault)
        found = suggest(recorded, self._in_force())[:_MAX_SUGGESTED]
        return wire.RuleSuggestions(
            tuple(wire.RuleSuggestion(text=each.rule.text, approved=each.approved, ran=each.ran) for each in found)
        )

    def _in_force(self) -> list[Rule]:
        return self._file.load(self._approvals.file.load()).in_force


def _case(case: TestedCase) -> wire.RuleCase:
    return wire.RuleCase(
        title=case.title,
        behavior=case.behaviour,
        decided=cast('Literal["allow", "deny"] | None', case.decided),
        was_asked=case.was_asked,
        is_against=is_against(case),
        why=make_visible_line(case.why),
        times=case.times,
        conversation=case.conversation,
    )
