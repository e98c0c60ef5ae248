"""Says which matches are no secrets: code, references, examples, and names that belong to everybody."""

import math
import re
from collections import Counter

from chorus.core.redaction.rule import Rule
from chorus.core.redaction.rules.marked import MARKED
from chorus.core.redaction.rules.personal import HOME, MAIL
from chorus.core.redaction.rules.sentences import NEAR, SAID

_EXAMPLES = (
    "example",
    "changeme",
    "change-me",
    "change_me",
    "placeholder",
    "redacted",
    "your-",
    "your_",
    "yourkey",
    "xxxx",
    "****",
    "....",
    "todo",
    "dummy",
    "insert",
    "undefined",
    "process.env",
    "os.environ",
    "secrets.",
    "env.",
    "config.",
    "settings.",
    "self.",
    "this.",
)
"""Parts of values that stand for a secret and are none."""
_WORDS = re.compile(r"[A-Za-z]*(?:[_.:/@-][A-Za-z]*)*[0-9]?")
"""Names of variables, types, files and modules."""
_TYPE = re.compile(r"(?:[A-Z][a-z]+)+[0-9]{1,5}(?:[A-Z][a-z]+)+")
"""Names of types, such as `Uint8Array`."""
_CODE = re.compile(
    r"::|->|=>|==[^:]|\.\.|^[$%#@~/.\\-]|\$\{|^https?:|^(?:sha(?:1|256|512)|md5)[:-]|^[0-9.:,_-]+$|^\[[a-z0-9-]+\]$"
)
_SETTING = re.compile(r"[A-Za-z_][\w.-]*[=:]")
_PLAIN_WORDS = re.compile(r"(?:[A-Z]?[a-z]+|[A-Z]+)(?:[_./-](?:[A-Z]?[a-z]+|[A-Z]+))*")
_MIN_WORD = 8
_OPERATORS = re.compile(r"[!&|?*]")
"""What random values of keys do not have; passwords may."""
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_ORDINARY_USERS = frozenset(
    {
        *("root", "user", "users", "ubuntu", "debian", "runner", "node", "app", "dev", "admin", "shared", "public"),
        *("default", "defaultuser", "guest", "username", "vscode", "vagrant", "ec2-user", "codespace", "gitpod"),
        *("jovyan", "linuxbrew", "test", "tester", "claude", "agent", "build", "project", "code", "work", "name"),
    }
)
"""Names that say nothing about a person, or that are words of any transcript."""
_COMMON_MAIL = (
    "@example.",
    "@anthropic.com",
    "@users.noreply.github.com",
    "git@",
    "noreply@",
    "no-reply@",
    "@localhost",
    "@test.",
    "user@",
    "@email.com",
    "@domain.",
    "you@",
    "@company.com",
    "@v",
    "@npm:",
)
_FILE_ENDS = frozenset(
    {
        *("py", "js", "ts", "tsx", "md", "json", "yml", "yaml", "png", "svg", "jpg", "go", "rs", "sh", "txt", "lock"),
        *("toml", "css", "html", "map", "service", "git"),
    }
)
_CALL = re.compile(r"[A-Za-z_]{3}[\w.]{0,80}\(|[$%{]\{|^[A-Za-z_.]*$|^\w+\.\w+\.|^\[[a-z0-9-]+\]")
"""Calls, references, modules, and placeholders."""
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_MIN_BASE64_CHARS = 32
_MIN_KINDS = 3
_MIN_BITS_OF_A_KEY = 3.0
_MIN_RANDOM_CHARS = 16
_MIN_MADE_UP_CHARS = 10
_MADE_UP_CHARS = 2.9
_WORD_CHARS = 3.2
"""Names of several words, such as `getAccessToken`, have longer words than this on average; random values shorter."""


def is_doubtful(rule: Rule, value: str) -> bool:
    """Returns whether a match of this rule is no secret."""
    if rule.id == HOME:
        return value.lower() in _ORDINARY_USERS
    if rule.id == MAIL:
        return is_common_mail(value)
    if rule.kind != "secret":
        return False
    if len(set(value)) < 5:
        return True
    if rule.id == MARKED:
        return is_reference(value) or not _is_random_case(value)
    if rule.is_fixed:
        is_example = "example" in value.lower() and rule.id != "private-key"
        return is_example or (rule.min_entropy > 0 and not _is_random(value, rule.min_entropy))
    if is_reference(value):
        return True
    if not rule.min_entropy:
        return False
    if rule.id == NEAR:
        return bits_per_character(value) < rule.min_entropy or not _is_made_up(value)
    if rule.is_password:
        is_likely = _is_a_password(value) or (rule.id != SAID and _is_a_key(value, _MIN_BITS_OF_A_KEY))
        return bits_per_character(value) < rule.min_entropy or not is_likely
    return not _is_a_key(value, rule.min_entropy)


def is_common_mail(value: str) -> bool:
    """Returns whether a mail address is an example, an address of a program, or no address at all."""
    lower = value.lower()
    return any(part in lower for part in _COMMON_MAIL) or lower.rpartition(".")[2] in _FILE_ENDS


def is_reference(value: str) -> bool:
    """Returns whether a value refers to a secret, or is an example of one."""
    lower = value.lower()
    return any(part in lower for part in _EXAMPLES) or (_CODE.search(value) is not None and not _is_base64(value))


def is_another_line(text: str) -> bool:
    """Returns whether the beginning of a row is no part of the value before it: a setting, a word or a path."""
    is_word = len(text) >= _MIN_WORD and _PLAIN_WORDS.fullmatch(text) is not None
    return is_word or _SETTING.match(text) is not None or ("/" in text[:-1] and _BASE64.fullmatch(text) is None)


def bits_per_character(value: str) -> float:
    """Returns the entropy of a text: 0 if all characters are equal, about 6 for random base64."""
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in Counter(value).values()) if size else 0.0


def _is_a_key(value: str, min_entropy: float) -> bool:
    """Returns whether a value may be made by a program: it looks random, and no operator is in it."""
    return _OPERATORS.search(value) is None and _is_random(value, min_entropy)


def _is_random(value: str, min_entropy: float) -> bool:
    return bits_per_character(value) >= min_entropy and (_UUID.fullmatch(value) is not None or _is_mixed(value))


def _is_mixed(value: str) -> bool:
    """Returns whether a value has letters and digits, or changes of case, as often as random values have them."""
    if _TYPE.fullmatch(value) or (_WORDS.fullmatch(value) and not _is_random_case(value)):
        return False
    has_letter = any(map(str.isalpha, value))
    return has_letter and (any(map(str.isdigit, value)) or _is_random_case(value))


def _is_made_up(value: str) -> bool:
    """Returns whether a program made up a password: no word in it, and capitals, small letters, digits and marks."""
    parts = _PARTS.findall(value)
    has_all = all(any(map(kind, value)) for kind in (str.islower, str.isupper, str.isdigit)) and not value.isalnum()
    return has_all and len(value) >= _MIN_MADE_UP_CHARS and len(value) < len(parts) * _MADE_UP_CHARS


def _is_a_password(value: str) -> bool:
    """Returns whether a value has characters of three kinds, and no call of a function."""
    kinds = (any(map(kind, value)) for kind in (str.islower, str.isupper, str.isdigit))
    return sum(kinds) + (not value.isalnum()) >= _MIN_KINDS and _CALL.search(value) is None


def _is_base64(value: str) -> bool:
    """Returns whether a value that begins like a path is the random value of a key."""
    is_long = len(value) >= _MIN_BASE64_CHARS and _BASE64.fullmatch(value) is not None
    return is_long and any(map(str.isdigit, value)) and _is_random_case(value)


def _is_random_case(value: str) -> bool:
    """Returns whether a text changes between upper and lower case more often than a name of several words."""
    parts = _PARTS.findall(value)
    return len(value) >= _MIN_RANDOM_CHARS and len(value) < len(parts) * _WORD_CHARS
