"""A rule: what it decides, and for which actions."""

import hashlib
from typing import Literal

from msgspec import Struct

RuleBehaviour = Literal["allow", "deny", "ask"]
"""What a rule decides. `ask` leaves the request to a person, also where a wider rule would allow it."""
INSIDE, OUTSIDE = "inside", "outside"


class CommandPattern(Struct, frozen=True):
    """The words that a command must begin with."""

    words: tuple[str, ...]
    is_open: bool
    """Whether any further words may follow (`*` at the end). Else these are all words."""


class Rule(Struct, frozen=True, kw_only=True):
    """One rule. Every condition that is given must hold; a condition that is None or empty holds always."""

    text: str
    """The rule in the words of `rule_text.py`, in the one form that is stored and signed."""
    behaviour: RuleBehaviour
    tools: tuple[str, ...] = ()
    command: CommandPattern | None = None
    folders: tuple[str, ...] = ()
    """`inside`, `outside`, or folders: absolute, or below the workspace."""
    hosts: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    workspaces: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    is_subagent: bool | None = None
    hours: tuple[int, int] | None = None
    """Minutes of the day: from, and up to."""
    days: frozenset[int] = frozenset()
    """Days of the week; Monday is 0."""
    until: str | None = None
    """The last day, such as 2026-12-24."""

    @property
    def id(self) -> str:
        return rule_id(self.text)

    @property
    def specificity(self) -> int:
        """How specific it is: two for each word of a command, one for each other condition and each exact one."""
        command = self.command
        named = (*self.tools, *self.hosts)
        return (
            (2 * len(command.words) + (not command.is_open) if command is not None else 0)
            + sum(map(bool, (self.tools, self.folders, self.hosts, self.variables, self.workspaces, self.agents)))
            + (self.is_subagent is not None)
            + (self.hours is not None or bool(self.days))
            + (bool(named) and not any("*" in each for each in named))
            + (bool(self.folders) and self.folders[0] not in (INSIDE, OUTSIDE))
        )


def rule_id(text: str) -> str:
    """Returns the id of a rule: 12 hex digits of the digest of its text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
