"""Rules that answer requests, and what they would have decided in the past."""

from typing import Literal

from chorus.show.wire.base import Wire

RuleDoes = Literal["allow", "deny", "ask"]


class RuleShown(Wire, frozen=True):
    """A rule of the list."""

    id: str
    text: str
    behavior: RuleDoes
    by: str | None
    """The name of the approver who signed it."""
    at: str
    trouble: str | None
    """Why it does not apply; null if it does."""


class ClientRuleShown(Wire, frozen=True):
    """A rule in a settings file of the client."""

    behavior: RuleDoes
    text: str
    file: str


class Rules(Wire, frozen=True):
    """The rules, and what belongs beside them."""

    rules: tuple[RuleShown, ...]
    client_rules: tuple[ClientRuleShown, ...]
    rejected: tuple[str, ...]
    """Entries that are not applied, each with the reason."""
    trouble: str | None
    """Why no rule that allows is applied; null if nothing is wrong with the file."""
    head: str
    """The digest of the last line of the file. A change must contain it."""


class RuleAsked(Wire, frozen=True):
    """A rule to try."""

    text: str


class RuleCase(Wire, frozen=True):
    """Requests and calls that look the same and were decided the same way."""

    title: str
    behavior: RuleDoes
    """What the rule would have decided."""
    decided: Literal["allow", "deny"] | None
    """What people decided; null if nobody did."""
    was_asked: bool
    is_against: bool
    """Whether people decided otherwise."""
    why: str
    """If it would still be asked: why."""
    times: int
    conversation: str | None
    """The conversation of the latest of them."""


class RuleTest(Wire, frozen=True):
    """What a rule would have decided about everything that was recorded."""

    id: str
    text: str
    """The rule in the form that is signed and stored."""
    cases: int
    allowed: int
    denied: int
    asked: int
    against_people: int
    unasked: int
    """How many would be allowed that nobody was asked about."""
    saved: int
    """How many questions to people it would have answered."""
    questions: int
    shown: tuple[RuleCase, ...]
    more: int
    """How many further groups of cases there are."""


class RuleSuggestion(Wire, frozen=True):
    """A rule that history suggests."""

    text: str
    approved: int
    ran: int


class RuleSuggestions(Wire, frozen=True):
    """Rules that history suggests; none of them is in force."""

    suggestions: tuple[RuleSuggestion, ...]


class RuleChangeAsked(Wire, frozen=True):
    """A signed change of the rules: one is added or removed."""

    action: Literal["add", "remove"]
    id: str
    text: str
    at: str
    by: str
    signature: str
