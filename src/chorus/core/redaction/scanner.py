"""Finds secrets and personal data in texts: first by keywords, then with the patterns of the rules that have them."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from typing import Any

from msgspec import Struct

from chorus.core.redaction.doubtful import is_another_line, is_doubtful, is_reference
from chorus.core.redaction.encodings import View, unwrapped, unwrapped_rows, views
from chorus.core.redaction.linear import Pattern, Words, compiled
from chorus.core.redaction.rule import Rule
from chorus.core.redaction.rules import RULES

_BESIDE = ("named-secret", "named-password", "authorization", "basic-auth", "registry-auth", "cookie", "aws-secret-key")
"""The rules that find a value by the name beside it; the first rule of each."""
_MIN_MARK = 4
_FEW = 8
_SURROGATE = re.compile("[\ud800-\udfff]")
_NAME_PARTS = ("secret", "pass", "key", "token", "credential", "pwd", "auth", "cookie", "psk")
"""Every name beside which one of these rules finds a value contains one of them."""
_OPTION = re.compile(r"--?[A-Za-z][\w-]{0,40}")
USER = ("-u", "--user")
"""Options after which a user and a password follow."""


class Span(Struct, frozen=True):
    """What a rule matched in a text."""

    start: int
    end: int
    rule: Rule
    value: str
    """The secret itself, with all encodings undone; `text[start:end]` if it was not encoded."""


Find = Callable[[str], Iterable[Span]]


class Scanner:
    """Applies rules to texts. Compiled patterns are kept for the lifetime of the object."""

    def __init__(self, rules: Iterable[Rule] = RULES) -> None:
        self._rules = tuple(rules)
        self._patterns: dict[str, Pattern] = {}
        self._by_keyword: dict[str, list[int]] = {}
        for number, rule in enumerate(self._rules):
            for keyword in rule.keywords:
                self._by_keyword.setdefault(keyword, []).append(number)
        self._keywords = tuple(self._by_keyword)
        self._words = Words(self._keywords)
        by_id = {rule.id: rule for rule in reversed(self._rules)}
        self._beside = [by_id[name] for name in _BESIDE if name in by_id]
        self._whole: Scanner = self

    def narrowed(self, text: str) -> "Scanner":
        """Returns a scanner with only the rules that can match inside a text."""
        found = copy(self)
        found._keywords = tuple(self._found(text))
        return found

    def scan(self, text: str, behind: list[View] | None = None) -> list[Span]:
        """Returns everything that the rules match, also behind encodings.

        `behind` are the views of the text, if they are known.
        """
        # An encoding hides keywords, so what lies behind it is searched with all rules.
        found = list(search_views(text, views(text) if behind is None else behind, self._plain, self._whole._plain))
        return without_overlaps(found)

    def scan_beside(self, text: str, name: str) -> list[Span]:
        """Returns the value that a text is because of the key beside it in JSON."""
        if not 8 <= len(text) <= 400 or not self.may_name_a_secret(name) or is_reference(text):
            return []
        # An option of a command is a name as well, and the value is quoted or follows the name as in a header.
        plain = name.lstrip("-")
        for begin in (f'{plain}: "', f"{plain}: "):
            for rule in self._beside:
                for span in self._matches(rule, f"{begin}{text}"):
                    if span.start >= len(begin):
                        return [Span(span.start - len(begin), span.end - len(begin), rule, span.value)]
        return []

    def scan_after(self, text: str, option: str) -> list[Span]:
        """Returns the value that a text is because of the option before it in a list of arguments."""
        if _OPTION.fullmatch(option) is None:
            return []
        if option in USER:
            user, colon, password = text.partition(":")
            start = len(user) + 1
            found = self.scan_beside(password, "password") if colon else []
            return [Span(start + each.start, start + each.end, each.rule, each.value) for each in found]
        return self.scan_beside(text, option)

    def may_name_a_secret(self, name: str) -> bool:
        """Returns whether a value beside this key may be a secret."""
        folded = name.casefold()
        return any(part in folded for part in _NAME_PARTS)

    def _plain(self, text: str) -> Iterator[Span]:
        if not self._keywords:
            return
        numbers = sorted({number for keyword in self._found(text) for number in self._by_keyword[keyword]})
        if not numbers:
            return
        text = encodable(text)
        chosen = [self._rules[number] for number in numbers]
        for rule in chosen:
            yield from self._matches(rule, text)
        for rows in unwrapped_rows(text) if "\n" in text else ():
            for rule in chosen:
                yield from () if rule.is_fixed else self._over_rows(rule, text, rows)
        lower = text.lower()
        fixed = [rule for rule in chosen if rule.is_fixed and _is_likely(rule, lower)]
        joined = unwrapped(text) if fixed else None
        if joined is not None:
            for rule in fixed:
                yield from self._wrapped(rule, text, joined)

    def _found(self, text: str) -> Iterable[str]:
        """Returns the keywords that occur in a text. Few of them are looked for one by one."""
        if len(self._keywords) <= _FEW:
            lower = text.lower()
            return [keyword for keyword in self._keywords if keyword in lower]
        return self._words.in_text(encodable(text))

    def _matches(self, rule: Rule, text: str) -> Iterator[Span]:
        pattern = self._pattern(rule)
        for match in pattern.finditer(text):
            start, end = _span_of(match)
            if start < 0:
                continue
            value = text[start:end]
            kept = value if rule.is_fixed else value.rstrip(".,;:)")
            if kept.startswith("**"):
                kept = kept[2:]
                start += 2
            kept = kept.removesuffix("**") if not rule.is_fixed else kept
            is_call = rule.min_entropy > 0 and not rule.is_fixed and text[end : end + 1] == "("
            if kept and not is_call and not is_doubtful(rule, kept):
                yield Span(start, start + len(kept), rule, kept)

    def _wrapped(self, rule: Rule, text: str, joined: View) -> Iterator[Span]:
        """Yields matches that only exist if two lines are joined."""
        known = {_span_of(match)[0] for match in self._pattern(rule).finditer(text)}
        for span in self._matches(rule, joined.text):
            start, end = joined.above(span.start, span.end)
            if start not in known and "\n" in text[start:end]:
                yield Span(start, end, rule, span.value)

    def _over_rows(self, rule: Rule, text: str, rows: View) -> Iterator[Span]:
        """Yields matches that go on in the next row of a terminal, or whose name does."""
        above = [(span, *rows.above(span.start, span.end)) for span in self._matches(rule, rows.text)]
        above = [each for each in above if "\n" in text[each[1] : each[2]]]
        if not above:
            return
        known = {span.start: span.end for span in self._matches(rule, text)}
        for span, start, end in above:
            first, newline, rest = text[start:end].partition("\n")
            if start not in known:
                yield Span(start, end, rule, span.value)
            elif newline and known[start] == start + len(first) and not is_another_line(rest):
                # Both parts are known by themselves: the next row may be no part of the value.
                yield Span(start + len(first), end, rule, rest)

    def _pattern(self, rule: Rule) -> Pattern:
        known = self._patterns.get(rule.pattern)
        if known is None:
            known = self._patterns[rule.pattern] = compiled(rule.pattern)
        return known


def _span_of(match: Any) -> tuple[int, int]:
    """Returns where the value of a match is: the group that matched, of several that exclude each other."""
    return match.span(1 if match.re.groups == 1 else match.lastindex)


def _is_likely(rule: Rule, lower: str) -> bool:
    """Returns whether a text has a keyword of a rule that hardly occurs by chance: joining lines takes time."""
    return any(len(keyword) >= _MIN_MARK and keyword in lower for keyword in rule.keywords)


def encodable(text: str) -> str:
    """Returns a text of the same length without lone surrogates, which the engine cannot take."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


def search_views(text: str, behind: list[View], find: Find, find_behind: Find | None = None) -> Iterator[Span]:
    """Yields what `find` finds in a text and in the views `behind` it, with the places in the text itself.

    In the views `find_behind` is used, if it is given.
    """
    yield from find(text)
    for view in behind:
        for span in search_views(view.text, view.behind, find_behind or find):
            start, end = view.above(span.start, span.end)
            yield Span(start, end, span.rule, span.value)


def without_overlaps(spans: Iterable[Span]) -> list[Span]:
    """Returns the spans in order, none of them on top of another.

    Secrets come before personal data. Of several that overlap, the longest counts, and the first rule of equal ones;
    what reaches beyond it is added to it, so that no part of a secret is left.
    """
    found = list(spans)
    if len(found) < 2:
        return found
    secrets = _merged(span for span in found if span.rule.kind != "personal")
    ends = [span.end for span in secrets]
    kept: list[Span] = []
    for span in sorted((each for each in found if each.rule.kind == "personal"), key=_place):
        after = bisect_right(ends, span.start)
        is_free = after == len(secrets) or secrets[after].start >= span.end
        if is_free and (not kept or kept[-1].end <= span.start):
            kept.append(span)
    return sorted((*secrets, *kept), key=_place)


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Returns spans in order, with those that overlap joined: the one that says most about itself names the result."""
    kept: list[Span] = []
    for span in sorted(spans, key=_place):
        if not kept or kept[-1].end <= span.start:
            kept.append(span)
            continue
        last = kept[-1]
        if span.end > last.end or span.rule.is_fixed > last.rule.is_fixed:
            best = max((last, span), key=lambda each: (each.rule.is_fixed, each.end - each.start))
            kept[-1] = Span(last.start, max(last.end, span.end), best.rule, best.value)
    return kept


def _place(span: Span) -> tuple[int, int]:
    return span.start, -span.end
