"""Reads a budget that a person wrote, such as `run money:5 minutes:60` or `day workspace:shop tokens:20M`."""

import re

from chorus.core.budgets.budget import MEASURES, OF_ONE_CONVERSATION, SCOPES, Budget, Measure
from chorus.errors import ChorusError

NONE = "none"
KEYS = (*MEASURES, "workspace", "only")
LONGEST_TEXT = 500
HIGHEST_ROW = 50
"""The most errors in a row, or equal failures, that can be a limit: only the end of a conversation is looked at."""
_HIGHEST = 1e12
_NUMBER = re.compile(r"\$?(\d{1,12}(?:\.\d{1,6})?)([kM]?)", re.ASCII)
_NAME = re.compile(r"[\w.@+-]+")
_DAY = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])", re.ASCII)
_FACTORS = {"": 1, "k": 1_000, "M": 1_000_000}


def read_budget(text: str) -> Budget:
    """Returns the budget in a text. Raises `ChorusError` that says what is wrong."""
    if len(text) > LONGEST_TEXT or not text.isprintable():
        raise ChorusError(f"a budget is one line of at most {LONGEST_TEXT} characters that can be seen")
    first, *words = text.split() or [""]
    scope = next((each for each in SCOPES if each == first), None)
    if scope is None:
        raise ChorusError(f"{first[:40] or 'nothing'}: a budget begins with {_listed(SCOPES)}")
    given = _terms(words)
    workspace, only = given.get("workspace"), given.get("only")
    for name in (workspace, only):
        if name is not None and not _NAME.fullmatch(name):
            raise ChorusError(f"{name[:40]}: this is no id and no name of a workspace")
    if scope == "day" and only is not None and not _DAY.fullmatch(only):
        raise ChorusError(f"{only[:40]}: a day is written like 2026-12-24")
    limits = {measure: _limit(measure, given[measure]) for measure in MEASURES if measure in given}
    if not limits:
        raise ChorusError(f"a budget needs a limit: {_listed(MEASURES)}, each with a number, such as `money:5`")
    for measure in limits:
        if measure in OF_ONE_CONVERSATION and scope not in ("run", "conversation"):
            raise ChorusError(f"{measure}: counted in one conversation; use `run` or `conversation`")
    if None in limits.values() and only is None and workspace is None:
        raise ChorusError(f"{NONE}: only an exception can be without a limit; name it with `only:` or `workspace:`")
    return Budget(text=_written(scope, given, limits), scope=scope, limits=limits, workspace=workspace, only=only)


def limit_text(limit: float | None) -> str:
    """Returns a limit as a budget writes it."""
    if limit is None:
        return NONE
    return str(int(limit)) if limit == int(limit) else f"{limit:.6f}".rstrip("0")


def _terms(words: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for word in words:
        key, colon, value = word.partition(":")
        if not colon or not value:
            raise ChorusError(f"{word[:40]}: a limit is written `name:value`, such as `money:5`")
        if key not in KEYS:
            raise ChorusError(f"{key[:40]}: no such limit; there are {_listed(KEYS)}")
        if key in found:
            raise ChorusError(f"{key}: it is given twice")
        found[key] = value
    return found


def _limit(measure: Measure, value: str) -> float | None:
    if value == NONE:
        return None
    match = _NUMBER.fullmatch(value)
    number = float(match[1]) * _FACTORS[match[2]] if match is not None else 0.0
    if not 0 < number <= _HIGHEST or (measure != "money" and value.startswith("$")):
        raise ChorusError(
            f"{measure}:{value[:40]}: a limit is a number above 0, such as 5, 0.5, 20k or 2M, or `{NONE}`"
        )
    if measure in ("tokens", "turns", *OF_ONE_CONVERSATION) and number != int(number):
        raise ChorusError(f"{measure}:{value[:40]}: this is counted in whole numbers")
    if measure in OF_ONE_CONVERSATION and not 2 <= number <= HIGHEST_ROW:
        raise ChorusError(f"{measure}:{value[:40]}: a limit from 2 to {HIGHEST_ROW} is possible")
    return number


def _written(scope: str, given: dict[str, str], limits: dict[Measure, float | None]) -> str:
    """Returns the one form in which a budget is stored: the limits, then the conditions."""
    conditions = [f"{key}:{given[key]}" for key in ("workspace", "only") if key in given]
    return " ".join([scope, *(f"{measure}:{limit_text(limit)}" for measure, limit in limits.items()), *conditions])


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)
