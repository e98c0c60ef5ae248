"""The findings of a redaction: each secret once, with its placeholder, how often it occurs, and where."""

from collections import Counter

from msgspec import Struct, field

from chorus.core.redaction.choices import Choices
from chorus.core.redaction.key_lines import lines_of
from chorus.core.redaction.rule import Rule

MAX_PLACES = 5
_SHOWN_START, _SHOWN_END = 4, 2
_MIN_HIDDEN = 12
"""Shorter values are hidden completely in a preview."""


class Spot(Struct, frozen=True):
    """Where something was found: a stream or side file, and the number of the record in it, from 1."""

    source: str
    number: int
    id: str = ""
    """The uuid of the record, if it has one."""


class Finding(Struct, kw_only=True):
    """One secret, or one image."""

    rule: Rule
    value: str
    placeholder: str
    count: int = 0
    is_allowed: bool = False
    replacement: str = ""
    """What the export shows instead."""
    spots: list[Spot] = field(default_factory=list)
    """The first places."""
    lines: list[str] = field(default_factory=list)
    """Parts of the value that are hidden wherever they occur alone: the lines of a private key."""

    @property
    def preview(self) -> str:
        """The value, with everything hidden that would give it away."""
        line = " ".join(self.value.split())
        if self.rule.kind == "personal" or self.rule.kind == "image":
            return line[:80]
        if len(line) < _MIN_HIDDEN:
            return "•" * len(line)
        return f"{line[:_SHOWN_START]}…{line[-_SHOWN_END:]} ({len(self.value):,} characters)"


class Findings:
    """Collects findings. The same value of the same rule gets the same placeholder."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self._found: dict[tuple[str, str], Finding] = {}
        self._numbers: Counter[str] = Counter()

    def __iter__(self):  # noqa: ANN204 - the iterator of a list
        return iter(self._found.values())

    def __len__(self) -> int:
        return len(self._found)

    def add(self, rule: Rule, value: str, spot: Spot, count: int = 1) -> Finding:
        """Notes that a value was found, and returns its finding."""
        key = (rule.id, value)
        known = self._found.get(key)
        if known is None:
            self._numbers[rule.id] += 1
            placeholder = f"[{rule.id}-{self._numbers[rule.id]}]"
            known = self._found[key] = Finding(
                rule=rule,
                value=value,
                placeholder=placeholder,
                is_allowed=self.choices.allows(rule, value, placeholder),
                replacement=self.choices.shown(value, placeholder),
                lines=lines_of(value) if rule.has_lines else [],
            )
        known.count += count
        if len(known.spots) < MAX_PLACES and spot not in known.spots:
            known.spots.append(spot)
        return known

    def of(self, rule: Rule, value: str) -> Finding | None:
        """Returns the finding of a value."""
        return self._found.get((rule.id, value))

    @property
    def hidden(self) -> list[Finding]:
        """Returns the findings that are replaced."""
        return [each for each in self._found.values() if not each.is_allowed and each.rule.kind != "image"]
