"""E5: tests that the time of every pattern grows only in proportion to its text.

Transcripts and queries are hostile.
"""

import importlib
import inspect
import pkgutil
import re
import sys
import time
from collections.abc import Callable, Iterator

import pytest

import chorus
from chorus.core.spending.model_names import name_of

SHORT, LONG = 1_000, 4_000
WORTH_S = 0.004
"""What takes less than this on the long text is beyond doubt; noise is larger than any growth in it."""
MAX_GROWTH = 8.0
"""Four times the text: a linear pattern takes 4 times as long, a quadratic one 16 times."""
TRIES = 8
"""Other processes make single measurements longer, never shorter: the best of so many counts."""


def patterns() -> dict[str, re.Pattern]:
    """Returns every compiled pattern of every module, by its place."""
    found = {}
    for module in pkgutil.walk_packages(chorus.__path__, "chorus."):
        if module.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, re.Pattern):
                found[f"{module.name}.{name}"] = value
            elif isinstance(value, (tuple, list, dict, frozenset)):
                each = value.values() if isinstance(value, dict) else value
                found |= {
                    f"{module.name}.{name}[{n}]": one for n, one in enumerate(each) if isinstance(one, re.Pattern)
                }
    return found


def texts(pattern: re.Pattern, length: int) -> Iterator[str]:
    """Yields texts that repeat parts of the pattern itself and end with a character that does not match."""
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    pieces = {"a", "A", "0", " ", "\n", "\t", '"', "\\", "{", "[", "(", "<", "-", "_", "*", "|", "\x1b[", "é", "搜"}
    pieces |= set(re.findall(r"[A-Za-z0-9<>/:=-]{1,20}", source)) | set(source)
    for piece in sorted(pieces):
        for end in ("", "\0"):
            yield (piece * (length // len(piece) + 1))[:length] + end


def uses(name: str) -> set[str]:
    """Returns the methods that the module of a pattern calls on it."""
    module, _, own = name.partition("[")[0].rpartition(".")
    source = inspect.getsource(sys.modules[module])
    return set(re.findall(rf"\b{own}\.(match|fullmatch|search|finditer|findall|sub|split)\b", source)) or {"search"}


def took(pattern: re.Pattern, text: str, methods: set[str]) -> float:
    given = text if isinstance(pattern.pattern, str) else text.encode("utf-8", "replace")
    best = float("inf")
    for _ in range(2):
        start = time.process_time()
        for method in methods:
            if method in ("match", "fullmatch", "search"):
                getattr(pattern, method)(given)
            else:
                for _match in pattern.finditer(given):
                    pass
        best = min(best, time.process_time() - start)
    return best


def asked(asks: Callable[[str], object], text: str) -> float:
    start = time.process_time()
    asks(text)
    return time.process_time() - start


FOUND = patterns()
BOUNDED: dict[str, Callable[[str], object]] = {"chorus.core.spending.model_names._SUFFIXES": name_of}
"""Patterns that only ever see the beginning of a text: it is who asks them whose time must not grow."""


def test_there_are_patterns():
    """The search for patterns finds known ones."""
    assert "chorus.core.records.session_ids._ID" in FOUND
    assert len(FOUND) > 30


@pytest.mark.parametrize("name", FOUND)
def test_time_grows_with_the_text_alone(name):
    """A text of four times the length takes about four times as long."""
    pattern, methods = FOUND[name], uses(name)
    asks = BOUNDED.get(name)
    for short, long in zip(texts(pattern, SHORT), texts(pattern, LONG), strict=True):
        slow, fast = float("inf"), float("inf")
        for _ in range(TRIES):
            slow = min(slow, asked(asks, long) if asks else took(pattern, long, methods))
            if slow <= WORTH_S:
                break
            fast = min(fast, asked(asks, short) if asks else took(pattern, short, methods))
            if slow / max(fast, 1e-6) < MAX_GROWTH:
                break
        else:
            pytest.fail(f"{slow / fast:.1f} times as long: {long[:40]!r}")


_constants, _parser = importlib.import_module("re._constants"), importlib.import_module("re._parser")
"""What a pattern is made of, as `re` itself sees it."""
SINGLE = {_constants.IN, _constants.LITERAL, _constants.NOT_LITERAL, _constants.ANY}
"""What stands for one character."""


def has_possessive_group(parsed: object) -> bool:
    """Returns whether any part of a pattern repeats more than a single character possessively."""
    if isinstance(parsed, tuple) and len(parsed) == 2 and parsed[0] is _constants.POSSESSIVE_REPEAT:
        _least, _most, repeated = parsed[1]
        if len(repeated) != 1 or repeated[0][0] not in SINGLE:
            return True
    if isinstance(parsed, (tuple, list, _parser.SubPattern)):
        return any(has_possessive_group(each) for each in parsed)
    return False


@pytest.mark.parametrize("name", FOUND)
def test_no_group_is_repeated_possessively(name):
    """Before Python 3.11.5, such a repetition ends where its last, failed round ended, and Debian 12 has 3.11.2."""
    pattern = FOUND[name]

    assert not has_possessive_group(_parser.parse(pattern.pattern, pattern.flags))


@pytest.mark.parametrize(("source", "is_one"), [("(?:ab)*+", True), ("x(?:y|(?:ab|c)++)", True), ("[ab]*+c++", False)])
def test_a_possessive_group_is_seen(source, is_one):
    """The check finds a possessive group and accepts possessive single characters."""
    assert has_possessive_group(_parser.parse(source)) is is_one


@pytest.mark.parametrize(("bad", "text"), [(r"(a+)+b", "aaaaa"), (r"\s*a\s*\n?$", " " * 1500), (r"x*x*y", "x" * 120)])
def test_a_pattern_that_grows_faster_is_seen(bad, text):
    """The check finds a pattern whose time grows faster than its text."""
    pattern = re.compile(bad)

    assert took(pattern, text * 4, {"search"}) / max(took(pattern, text, {"search"}), 1e-6) > MAX_GROWTH
