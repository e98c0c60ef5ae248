"""Finds the words, phrases and patterns of a query in a short text.

The result shows why an entry was found. The index back ends decide which entries are found.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from unicodedata import normalize

from msgspec import Struct

from chorus.core.query.regexes import Pattern, compiled
from chorus.core.query.tree import And, Literal, Node, Or, Phrase, Regex, Sequence, Word
from chorus.core.query.word_matching import criteria_of
from chorus.core.query.words import Span, runs, spans, tokens, without_signs
from chorus.errors import QueryError

_MAX_TERMS = 32
_MAX_TOKENS = 50
"""Only the beginning of a long phrase is searched."""
_MAX_MATCHES = 1_000
"""Maximum number of matches of one pattern."""
_TYPED_WORD = re.compile(r"[^\W_]+")


class Match(Struct, frozen=True, order=True):
    start: int
    end: int
    term: int
    """The number of the term; all matches of a term have the same one."""


class TokenRun(Struct, frozen=True):
    """Consecutive tokens. With `is_prefix` the last one may continue."""

    term: int
    tokens: tuple[str, ...]
    is_prefix: bool


class SearchTerms(Struct, frozen=True):
    """What a query searches for in texts."""

    runs: tuple[TokenRun, ...]
    patterns: tuple[tuple[int, Pattern, int], ...]
    """The number of the term, the pattern, and the group of it that counts as the match."""
    literals: tuple[tuple[int, str], ...]
    """One word of each term in lower case; also as typed, if that is different."""

    @property
    def terms(self) -> set[int]:
        return {run.term for run in self.runs} | {term for term, *_ in self.patterns}


def search_terms(root: Node | Sequence | None) -> SearchTerms:
    """Returns what the query searches for, without what it excludes; at most `_MAX_TERMS` terms."""
    runs: list[TokenRun] = []
    patterns: list[tuple[int, Pattern, int]] = []
    literals: list[tuple[int, str]] = []
    for number, term in zip(range(_MAX_TERMS), dict.fromkeys(_terms(root)), strict=False):
        if isinstance(term, (Regex, Literal)):
            patterns.extend((number, pattern, int(isinstance(term, Literal))) for pattern in _compiled(term))
            continue
        criteria = criteria_of(term)
        runs.extend(
            TokenRun(number, run.words[:_MAX_TOKENS], run.is_prefix and len(run.words) <= _MAX_TOKENS)
            for run in criteria.runs
        )
        patterns.extend((number, pattern, 1) for sign in criteria.signs for pattern in _compiled(Literal(sign)))
        for words in (tokens(term.text), _TYPED_WORD.findall(term.text.lower())):
            # The longest word is the rarest.
            literals.extend((number, word) for word in sorted(words, key=len)[-1:])
    return SearchTerms(tuple(runs), tuple(patterns), tuple(dict.fromkeys(literals)))


def matches(text: str, search_terms: SearchTerms) -> list[Match]:
    """Returns all matches in order. Takes time linear in the text."""
    by_first: defaultdict[str, list[TokenRun]] = defaultdict(list)
    for run in search_terms.runs:
        by_first["" if run.is_prefix and len(run.tokens) == 1 else run.tokens[0]].append(run)
    words = without_signs(text)
    found = {
        match
        for start, end in _around(words, search_terms.runs)
        for stream in _streams(spans(words, start, end))
        for match in _run_matches(stream, by_first)
    }
    for term, pattern, group in search_terms.patterns:
        places = islice(pattern.finditer(text), _MAX_MATCHES)
        found |= {Match(place.start(group), place.end(group), term) for place in places}
    return sorted(match for match in found if match.start < match.end)


def _terms(node: Node | Sequence | None) -> Iterator[Word | Phrase | Regex | Literal]:
    match node:
        case Word() | Phrase() | Regex() | Literal():
            yield node
        case And(of=nodes):
            # A word that is searched as typed is not also marked by its words.
            typed = [part.text for part in nodes if isinstance(part, Literal)]
            for part in nodes:
                written = normalize("NFC", part.text) if isinstance(part, (Word, Phrase)) else ""
                if not any(text in written for text in typed):
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
    """Returns a list with the compiled pattern; empty if it cannot be used."""
    try:
        return [compiled(node)]
    except QueryError:
        return []


def _around(text: str, token_runs: tuple[TokenRun, ...]) -> list[tuple[int, int]]:
    """Returns the parts of the text that may contain matches of the runs, so that only these are split into words.

    In ASCII text, a match begins with the word as written, except for case. Any other text is one part.
    """
    if not text.isascii():
        return [(0, len(text))] if token_runs else []
    lower = text.lower()
    found: list[tuple[int, int]] = []
    for run in token_runs:
        at = lower.find(run.tokens[0])
        while at >= 0:
            start = at
            while start and lower[start - 1].isalnum():
                start -= 1
            (_, first), *rest = islice(runs(text, start), len(run.tokens))
            found.append((start, rest[-1][1] if rest else first))
            at = lower.find(run.tokens[0], first)
    merged: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], end)
        else:
            merged.append((start, end))
    return merged


def _streams(found: list[Span]) -> Iterable[list[Span]]:
    """Returns the words in order; then, for each identifier in camel case, its parts in order."""
    words: list[Span] = []
    inner: defaultdict[int, list[Span]] = defaultdict(list)
    for span in found:
        _, start, end = span
        if words and words[-1][1] <= start and end <= words[-1][2] and (start, end) != words[-1][1:]:
            inner[len(words)].append(span)
        else:
            words.append(span)
    return [words, *inner.values()]


def _run_matches(stream: list[Span], by_first: Mapping[str, list[TokenRun]]) -> Iterator[Match]:
    """Yields the matches of the runs in the stream. Runs of a single prefix, which any word may match, are under ""."""
    prefixes = by_first.get("", [])
    for at, (token, start, end) in enumerate(stream):
        for run in by_first.get(token, ()):
            rest = stream[at : at + len(run.tokens)]
            if _is_match(run, [word for word, _, _ in rest]):
                yield Match(start, rest[-1][2], run.term)
        for run in prefixes:
            if token.startswith(run.tokens[0]):
                yield Match(start, end, run.term)


def _is_match(run: TokenRun, words: list[str]) -> bool:
    *before, last = run.tokens
    if len(words) != len(run.tokens) or words[:-1] != before:
        return False
    return words[-1].startswith(last) if run.is_prefix else words[-1] == last
