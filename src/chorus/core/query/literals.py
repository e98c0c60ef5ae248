"""Finds texts that every match of a query must contain: runs of letters and digits inside words.

An index that knows all words can use them to find the few candidate texts without reading the others. The result is
never too strict: a text without these runs cannot match.
"""

import re
from collections.abc import Iterable, Iterator
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from chorus.core.query.tree import And, Node, Or, Regex

Clause = frozenset[str]
"""Runs of which the text contains at least one: ASCII letters in lower case, and digits."""
_RUN = re.compile("[0-9a-z]+")
_MIN_RUN_CHARS = 2
_UNSUPPORTED = ("[:", "\\p", "\\P", "\\Q", "\\C", "\\pN", "(?U", "(?-")
"""Syntax that Python's parser reads differently from the engine that searches the pattern, or not at all."""
_REPEATS = (ops.MAX_REPEAT, ops.MIN_REPEAT)
_FAILURES = (re.error, OverflowError, RecursionError, ValueError)


def clauses(node: Node) -> list[Clause]:
    """Returns clauses that every text matching the node satisfies; empty if none can be derived."""
    match node:
        case Regex():
            return _of_pattern(node.pattern)
        case And(of=nodes):
            return [clause for each in nodes for clause in clauses(each)]
        case Or(of=nodes):
            return _any_of([clauses(each) for each in nodes])
        case _:
            return []


def best_first(found: Iterable[Clause]) -> list[Clause]:
    """Returns the clauses sorted by how selective they are: long runs occur in few words."""
    return sorted(set(found), key=lambda clause: (-_selectivity(clause), len(clause), sorted(clause)))


def _of_pattern(pattern: str) -> list[Clause]:
    if any(sign in pattern for sign in _UNSUPPORTED):
        return []
    try:
        return _of_sequence(parser.parse(pattern, re.IGNORECASE))
    except _FAILURES:
        return []


def _of_sequence(pieces: Iterable[Any]) -> list[Clause]:
    found: list[Clause] = []
    letters: list[str] = []
    for operator, argument in _flat(pieces):
        if operator is ops.LITERAL:
            letters.append(chr(argument) if argument < 0x80 else " ")
            continue
        found += _of_letters(letters)
        letters = []
        if operator is ops.BRANCH:
            found += _any_of([_of_sequence(each) for each in argument[1]])
        elif operator in _REPEATS and argument[0] > 0:
            found += _of_sequence(argument[2])
    return found + _of_letters(letters)


def _flat(pieces: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """Yields the elements of a pattern, including those inside groups."""
    for operator, argument in pieces:
        if operator is ops.SUBPATTERN:
            yield from _flat(argument[-1])
        else:
            yield operator, argument


def _of_letters(letters: list[str]) -> list[Clause]:
    return [frozenset([run]) for run in _RUN.findall("".join(letters).lower()) if len(run) >= _MIN_RUN_CHARS]


def _any_of(alternatives: list[list[Clause]]) -> list[Clause]:
    """Returns one clause from the most selective clause of each alternative; nothing if an alternative has none."""
    if not all(alternatives):
        return []
    return [frozenset().union(*(max(each, key=_selectivity) for each in alternatives))]


def _selectivity(clause: Clause) -> int:
    return min(map(len, clause))
