"""What a text must hold so that a query can hold of it: runs of letters and digits that stand inside words of it.

Whoever has the words of all texts finds those few texts without reading the others. What is told here is never too
much: a text without it cannot answer.
"""

import re
from collections.abc import Iterable, Iterator
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from chorus.core.query.tree import And, Node, Or, Regex

Clause = frozenset[str]
"""Runs of which the text has one at least: ASCII letters in lower case, and digits."""
_RUN = re.compile("[0-9a-z]+")
_SHORTEST = 2
_UNLIKE = ("[:", "\\p", "\\P", "\\Q", "\\C", "\\pN", "(?U", "(?-")
"""What Python's parser reads in another way than the engine that looks for the pattern, or not at all."""
_REPEATS = (ops.MAX_REPEAT, ops.MIN_REPEAT)
_FAILURES = (re.error, OverflowError, RecursionError, ValueError)


def clauses(node: Node) -> list[Clause]:
    """What every text has in which the node holds; empty where nothing can be told."""
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
    """The clauses by how much they tell: long runs are in few words."""
    return sorted(set(found), key=lambda clause: (-_weight(clause), len(clause), sorted(clause)))


def _of_pattern(pattern: str) -> list[Clause]:
    if any(sign in pattern for sign in _UNLIKE):
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
    """The pieces, those of groups among them."""
    for operator, argument in pieces:
        if operator is ops.SUBPATTERN:
            yield from _flat(argument[-1])
        else:
            yield operator, argument


def _of_letters(letters: list[str]) -> list[Clause]:
    return [frozenset([run]) for run in _RUN.findall("".join(letters).lower()) if len(run) >= _SHORTEST]


def _any_of(alternatives: list[list[Clause]]) -> list[Clause]:
    """Of each alternative what tells most; nothing when one of them tells nothing."""
    if not all(alternatives):
        return []
    return [frozenset().union(*(max(each, key=_weight) for each in alternatives))]


def _weight(clause: Clause) -> int:
    return min(map(len, clause))
