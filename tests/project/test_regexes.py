"""No pattern of ours takes longer than its text is long, whatever the text: transcripts and queries are hostile."""

import importlib
import inspect
import pkgutil
import re
import sys
import time
from collections.abc import Callable, Iterator

import pytest

import chorus
from chorus.prices.names import name_of

SHORT, LONG = 1_000, 4_000
WORTH_S = 0.004
"""What takes less than this on the long text is beyond doubt; noise is larger than any growth in it."""
MOST_GROWTH = 8.0
"""Four times the text: a linear pattern takes 4 times as long, a quadratic one 16 times."""


def patterns() -> dict[str, re.Pattern]:
    """Every compiled pattern of every module, by its place."""
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
    """Texts made of what the pattern itself speaks of, over and over, with an end that does not fit."""
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    pieces = {"a", "A", "0", " ", "\n", "\t", '"', "\\", "{", "[", "(", "<", "-", "_", "*", "|", "\x1b[", "é", "搜"}
    pieces |= set(re.findall(r"[A-Za-z0-9<>/:=-]{1,20}", source)) | set(source)
    for piece in sorted(pieces):
        for end in ("", "\0"):
            yield (piece * (length // len(piece) + 1))[:length] + end


def uses(name: str) -> set[str]:
    """The methods by which the module of a pattern asks it."""
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
BOUNDED: dict[str, Callable[[str], object]] = {"chorus.prices.names._SUFFIXES": name_of}
"""Patterns that only ever see the beginning of a text: it is who asks them whose time must not grow."""


def test_there_are_patterns():
    """The search for patterns finds those that are known to be there."""
    assert "chorus.records.session_ids._ID" in FOUND
    assert len(FOUND) > 30


@pytest.mark.parametrize("name", FOUND)
def test_time_grows_with_the_text_alone(name):
    """Four times the text takes about four times as long."""
    pattern, methods = FOUND[name], uses(name)
    asks = BOUNDED.get(name)
    for short, long in zip(texts(pattern, SHORT), texts(pattern, LONG), strict=True):
        slow = asked(asks, long) if asks else took(pattern, long, methods)
        if slow > WORTH_S:
            fast = asked(asks, short) if asks else took(pattern, short, methods)
            assert slow / max(fast, 1e-6) < MOST_GROWTH, repr(long[:40])


@pytest.mark.parametrize(("bad", "text"), [(r"(a+)+b", "aaaaa"), (r"\s*a\s*\n?$", " " * 1500), (r"x*x*y", "x" * 120)])
def test_a_pattern_that_grows_faster_is_seen(bad, text):
    """The check can fail."""
    pattern = re.compile(bad)

    assert took(pattern, text * 4, {"search"}) / max(took(pattern, text, {"search"}), 1e-6) > MOST_GROWTH
