"""Finds values that are known to be secret wherever they occur, also without the name that gave them away."""

from collections.abc import Iterable, Iterator

from chorus.core.redaction.findings import Finding
from chorus.core.redaction.linear import compiled, literal
from chorus.core.redaction.scanner import Span, encodable

_MIN_CHARS = {"secret": 8, "personal": 4, "named": 1, "image": 1 << 30}
"""Shorter values occur everywhere by chance; they are replaced only where a rule found them."""
_HEAD = 8
"""This many characters of a value are looked for, then all of it is compared: whole values make large patterns."""
_MAX_HEADS = 500
_FEW = 32
"""Up to this number, values are looked for one by one, which is faster than a pattern."""


class KnownValues:
    """The values of findings."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self._by_value: dict[str, Finding] = {}
        for finding in findings:
            if len(finding.value) >= _MIN_CHARS[finding.rule.kind] and not _is_a_word(finding):
                for value in (finding.value, *finding.lines):
                    self._by_value.setdefault(encodable(value), finding)
        # Of two values at the same place the longer one counts.
        self._ordered = sorted(self._by_value, key=len, reverse=True)
        self._by_head: dict[str, list[str]] = {}
        for value in self._ordered:
            self._by_head.setdefault(value[:_HEAD], []).append(value)
        heads = sorted(self._by_head, key=len, reverse=True) if len(self._ordered) > _FEW else []
        groups = [heads[n : n + _MAX_HEADS] for n in range(0, len(heads), _MAX_HEADS)]
        self._patterns = [compiled("|".join(map(literal, group))) for group in groups]

    def find(self, text: str) -> Iterator[Span]:
        """Yields every occurrence of a value in a text."""
        text = encodable(text)
        if len(self._ordered) <= _FEW:
            yield from self._one_by_one(text)
            return
        for pattern in self._patterns:
            for match in pattern.finditer(text):
                start, end = match.span()
                value = next((each for each in self._by_head[text[start:end]] if text.startswith(each, start)), None)
                if value is not None:
                    yield from self._span(text, start, value)
                else:
                    yield from self._inside(text, start + 1, end)

    def _one_by_one(self, text: str) -> Iterator[Span]:
        taken: set[int] = set()
        for value in self._ordered:
            at = text.find(value)
            while at >= 0:
                if at not in taken:
                    taken.add(at)
                    yield from self._span(text, at, value)
                at = text.find(value, at + len(value))

    def _inside(self, text: str, start: int, end: int) -> Iterator[Span]:
        """Yields values that begin inside of something that only looked like the beginning of one."""
        for value in self._ordered:
            at = text.find(value, start, end + len(value))
            if 0 <= at < end:
                yield from self._span(text, at, value)

    def _span(self, text: str, start: int, value: str) -> Iterator[Span]:
        finding, end = self._by_value[value], start + len(value)
        # A user name is a word of its own, and not a part of another word.
        is_part = text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()
        if finding.rule.kind != "personal" or not is_part:
            yield Span(start, end, finding.rule, finding.value)


def _is_a_word(finding: Finding) -> bool:
    """Returns whether a value is a word like any other: a password may be one, but so is the same word elsewhere."""
    return finding.rule.kind == "secret" and not finding.rule.is_fixed and finding.value.isalpha()
