"""Where the words, phrases and patterns of a query stand in a short text.

This is for showing why an entry was found; which entries are found is for back ends to say.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from unicodedata import normalize

from msgspec import Struct

from chorus.core.query.regexes import Pattern, compiled
from chorus.core.query.tree import And, Literal, Node, Or, Phrase, Regex, Sequence, Word
from chorus.core.query.word_matching import meant
from chorus.core.query.words import Span, runs, spans, tokens, without_signs
from chorus.errors import QueryError

_MAX_TERMS = 32
_MAX_TOKENS = 50
"""Of a long phrase, its beginning is looked for."""
_MAX_MATCHES = 1_000
"""Of one pattern."""
_TYPED_WORD = re.compile(r"[^\W_]+")


class Match(Struct, frozen=True, order=True):
    start: int
    end: int
    term: int
    """Which of the terms; the same for all places where it stands."""


class Run(Struct, frozen=True):
    """Tokens that follow each other; the last one may go on."""

    term: int
    tokens: tuple[str, ...]
    is_prefix: bool


class Sought(Struct, frozen=True):
    """What a query looks for in texts."""

    runs: tuple[Run, ...]
    patterns: tuple[tuple[int, Pattern, int], ...]
    """Each with its term, and the group of it that is meant."""
    literals: tuple[tuple[int, str], ...]
    """A word of each term, in lower case; also as it was typed, where that is not the same."""

    @property
    def terms(self) -> set[int]:
        return {run.term for run in self.runs} | {term for term, *_ in self.patterns}


def sought(root: Node | Sequence | None) -> Sought:
    """What the query looks for, not what it rules out; of very many terms, the first."""
    runs: list[Run] = []
    patterns: list[tuple[int, Pattern, int]] = []
    literals: list[tuple[int, str]] = []
    for number, term in zip(range(_MAX_TERMS), dict.fromkeys(_terms(root)), strict=False):
        if isinstance(term, (Regex, Literal)):
            patterns.extend((number, pattern, int(isinstance(term, Literal))) for pattern in _compiled(term))
            continue
        asks = meant(term)
        runs.extend(
            Run(number, run.words[:_MAX_TOKENS], run.is_prefix and len(run.words) <= _MAX_TOKENS) for run in asks.runs
        )
        patterns.extend((number, pattern, 1) for sign in asks.signs for pattern in _compiled(Literal(sign)))
        for words in (tokens(term.text), _TYPED_WORD.findall(term.text.lower())):
            # The longest is the rarest.
            literals.extend((number, word) for word in sorted(words, key=len)[-1:])
    return Sought(tuple(runs), tuple(patterns), tuple(dict.fromkeys(literals)))


def matches(text: str, sought: Sought) -> list[Match]:
    """All places in order. Takes time linear in the text."""
    by_first: defaultdict[str, list[Run]] = defaultdict(list)
    for run in sought.runs:
        by_first["" if run.is_prefix and len(run.tokens) == 1 else run.tokens[0]].append(run)
    words = without_signs(text)
    found = {
        match
        for start, end in _around(words, sought.runs)
        for stream in _streams(spans(words, start, end))
        for match in _run_matches(stream, by_first)
    }
    for term, pattern, group in sought.patterns:
        places = islice(pattern.finditer(text), _MAX_MATCHES)
        found |= {Match(place.start(group), place.end(group), term) for place in places}
    return sorted(match for match in found if match.start < match.end)


def _terms(node: Node | Sequence | None) -> Iterator[Word | Phrase | Regex | Literal]:
    match node:
        case Word() | Phrase() | Regex() | Literal():
            yield node
        case And(of=nodes):
            # What is looked for as it was typed is not shown by its words as well.
            typed = [part.text for part in nodes if isinstance(part, Literal)]
            for part in nodes:
                said = normalize("NFC", part.text) if isinstance(part, (Word, Phrase)) else ""
                if not any(text in said for text in typed):
                    yield from _terms(part)
        case Or(of=nodes):
            for part in nodes:
                yield from _terms(part)
        case Sequence(steps=steps):
            for step in steps:
                yield from _terms(step.of)
        case _:
            return


def _compiled(node: Regex | Literal) -> list[Pattern]:
    """The pattern; none where it cannot be used."""
    try:
        return [compiled(node)]
    except QueryError:
        return []


def _around(text: str, sought: tuple[Run, ...]) -> list[tuple[int, int]]:
    """The parts of the text that hold all places where the runs may stand: only these have to be taken apart.

    In a text of ASCII alone, who begins with a word has it as it is written, but for case. Other texts are one part.
    """
    if not text.isascii():
        return [(0, len(text))] if sought else []
    lower = text.lower()
    found: list[tuple[int, int]] = []
    for run in sought:
        at = lower.find(run.tokens[0])
        while at >= 0:
            start = at
            while start and lower[start - 1].isalnum():
                start -= 1
            (_, first), *rest = islice(runs(text, start), len(run.tokens))
            found.append((start, rest[-1][1] if rest else first))
            at = lower.find(run.tokens[0], first)
    apart: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if apart and start <= apart[-1][1]:
            apart[-1] = apart[-1][0], max(apart[-1][1], end)
        else:
            apart.append((start, end))
    return apart


def _streams(found: list[Span]) -> Iterable[list[Span]]:
    """The words in a row; then, for each identifier in camel case, its parts in a row."""
    words: list[Span] = []
    inner: defaultdict[int, list[Span]] = defaultdict(list)
    for span in found:
        _, start, end = span
        if words and words[-1][1] <= start and end <= words[-1][2] and (start, end) != words[-1][1:]:
            inner[len(words)].append(span)
        else:
            words.append(span)
    return [words, *inner.values()]


def _run_matches(stream: list[Span], by_first: Mapping[str, list[Run]]) -> Iterator[Match]:
    """Where the runs stand in the stream; those of which any word may be the first are at ""."""
    prefixes = by_first.get("", [])
    for at, (token, start, end) in enumerate(stream):
        for run in by_first.get(token, ()):
            rest = stream[at : at + len(run.tokens)]
            if _is_met(run, [word for word, _, _ in rest]):
                yield Match(start, rest[-1][2], run.term)
        for run in prefixes:
            if token.startswith(run.tokens[0]):
                yield Match(start, end, run.term)


def _is_met(run: Run, words: list[str]) -> bool:
    *before, last = run.tokens
    if len(words) != len(run.tokens) or words[:-1] != before:
        return False
    return words[-1].startswith(last) if run.is_prefix else words[-1] == last
