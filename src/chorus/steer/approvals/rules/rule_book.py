"""The rules as the process that asks applies them: read from the file each time, judged by the approvers it pinned."""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from chorus.base.zone import local_zone
from chorus.core.records.times import wire_time
from chorus.core.rules.judging import Ruling
from chorus.errors import ChorusError
from chorus.steer.approvals.model import Decision, Request, RuleUsed
from chorus.steer.approvals.rules.asked_facts import rule_on
from chorus.steer.approvals.rules.pattern_names import names_of
from chorus.steer.approvals.rules.rules_file import RulesFile
from chorus.steer.approvals.trust import Trust

SURFACE = "rule"
NO_SUCH_RULE = "no rule that is in force decides this"


class RuleBook:
    """Decides requests by rules. Safe to use from several threads.

    The file is looked at for each request, so a rule that was removed does not apply to the next one.
    """

    def __init__(self, folder: Path, trust: Trust, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        """`folder` is the vault's `state/`. From now on, `trust` accepts decisions of these rules."""
        self._file = RulesFile(folder)
        self._trust = trust
        self._clock = clock
        self._zone = local_zone()
        trust.rules = self

    @property
    def tampering(self) -> str | None:
        """What is wrong with the file of the rules; None if nothing is."""
        return self._file.tampering

    def ruling(self, request: Request) -> Ruling:
        """Returns what the rules decide now. If the file cannot be read, everything is left to a person."""
        try:
            found = self._file.load(self._trust.list)
        except ChorusError:
            return Ruling("ask", why="the rules cannot be read")
        is_rewritten = self._file.tampering is not None
        rules = [rule for rule in found.in_force if not (is_rewritten and rule.behaviour == "allow")]
        if not rules:
            return Ruling("ask")
        at = self._clock().astimezone(self._zone)
        return rule_on(rules, request, at=at, resolve=os.path.realpath, expand=names_of)

    def decide(self, request: Request) -> Decision | None:
        """Returns the decision of the rules about a request; None if it is left to a person."""
        found = self.ruling(request)
        if found.behaviour == "ask":
            return None
        used = [RuleUsed(id=rule.id, text=rule.text) for rule in found.rules]
        return Decision(
            behaviour=found.behaviour,
            at=wire_time(self._clock()),
            surface=SURFACE,
            message=f"A rule of Chorus denies this: {used[0].text}" if found.behaviour == "deny" else "",
            rules=used,
        )

    def objection(self, request: Request, decision: Decision) -> str | None:
        """Returns why the rules did not decide this; None if they decide the same now."""
        made = self.decide(request)
        is_same = made is not None and (made.behaviour, made.rules) == (decision.behaviour, decision.rules)
        return None if is_same else NO_SUCH_RULE
