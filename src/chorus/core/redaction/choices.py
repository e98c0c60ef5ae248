"""What a person decided about a redaction: which findings stay, what else is hidden, and which text replaces it."""

from msgspec import Struct

from chorus.core.redaction.rule import Rule
from chorus.core.redaction.rules import RULES

ADDED = Rule("hidden", "Text that you named", (), "", "you", kind="named", is_fixed=False)
VARIABLE = Rule("env", "Value of an environment variable", (), "", "you", kind="named", is_fixed=False)
OWN_HOST = Rule("host", "Name of this machine", (), "", "this machine", kind="personal", is_fixed=False)
OWN_USER = Rule("user", "Your user name", (), "", "this machine", kind="personal", is_fixed=False)
KINDS = frozenset(rule.id for rule in RULES) | {"personal", "secret", "hidden", "env", "image"}
"""What `--allow` accepts besides a placeholder or the text itself."""


class Choices(Struct, frozen=True, kw_only=True):
    """The decisions of a person. Placeholders name findings: `[email-2]`."""

    is_on: bool = True
    """Whether anything is redacted at all."""
    allowed: frozenset[str] = frozenset()
    """Placeholders, rules, kinds of rules, or texts that stay as they are."""
    replaced: tuple[tuple[str, str], ...] = ()
    """Pairs of a placeholder or a text, and the text that is shown instead of it."""
    added: tuple[str, ...] = ()
    """Texts that are hidden wherever they occur."""
    variables: tuple[tuple[str, str], ...] = ()
    """Names and values of environment variables whose values are hidden."""
    users: tuple[str, ...] = ()
    """User names of this machine."""
    hosts: tuple[str, ...] = ()
    """Names of this machine."""

    def allows(self, rule: Rule, value: str, placeholder: str) -> bool:
        """Returns whether a finding stays as it is."""
        return not self.allowed.isdisjoint((value, placeholder, placeholder.strip("[]"), rule.id, rule.kind))

    def shown(self, value: str, placeholder: str) -> str:
        """Returns the text that replaces a finding."""
        chosen = dict(self.replaced)
        return chosen.get(value) or chosen.get(placeholder) or chosen.get(placeholder.strip("[]")) or placeholder

    def named(self) -> list[tuple[Rule, str]]:
        """Returns the texts to hide that a person or the machine named, with the rule that they count for."""
        found = [(ADDED, text) for text in self.added]
        found += [(ADDED, text) for text, _ in self.replaced if not _is_placeholder(text)]
        found += [(VARIABLE, value) for _, value in self.variables]
        found += [(OWN_USER, user) for user in self.users]
        found += [(OWN_HOST, host) for host in self.hosts]
        return [(rule, text) for rule, text in found if len(text) > 1]


def _is_placeholder(text: str) -> bool:
    stem, _, number = text.strip("[]").rpartition("-")
    return bool(stem) and number.isdecimal()
