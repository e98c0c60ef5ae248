"""No pattern of ours takes longer than its text is long, whatever the text: transcripts and queries are hostile."""

import importlib
import inspect
import pkgutil
import re
import sys
import time
from collections.abc import Iterator

import pytest

import chorus

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


FOUND = patterns()
BOUNDED = {"chorus.prices.names._SUFFIXES": 200}
"""Patterns that only ever see so many characters: on those they are tried, and may be slower for each."""


def test_there_are_patterns():
    """The search for patterns finds those that are known to be there."""
    assert "chorus.conversation.route._UUID" in FOUND
    assert len(FOUND) > 30


@pytest.mark.parametrize("name", FOUND)
def test_time_grows_with_the_text_alone(name):
    """Four times the text takes about four times as long."""
    pattern, methods = FOUND[name], uses(name)
    if name in BOUNDED:
        assert all(took(pattern, text, methods) < WORTH_S for text in texts(pattern, BOUNDED[name]))
        return
    for short, long in zip(texts(pattern, SHORT), texts(pattern, LONG), strict=True):
        slow = took(pattern, long, methods)
        if slow > WORTH_S:
            assert slow / max(took(pattern, short, methods), 1e-6) < MOST_GROWTH, repr(long[:40])


@pytest.mark.parametrize(("bad", "text"), [(r"(a+)+b", "aaaaa"), (r"\s*a\s*\n?$", " " * 1500), (r"x*x*y", "x" * 120)])
def test_a_pattern_that_grows_faster_is_seen(bad, text):
    """The check can fail."""
    pattern = re.compile(bad)

    assert took(pattern, text * 4, {"search"}) / max(took(pattern, text, {"search"}), 1e-6) > MOST_GROWTH
