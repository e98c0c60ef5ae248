"""Decides whether an entry answers a query. This is the reference semantics that every back end must reproduce."""

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import assert_never

from msgspec import Struct

from chorus.core.query.regexes import compiled, found_in
from chorus.core.query.tree import Among, And, Field, Literal, Measure, Node, Not, Or, Phrase, Regex, Time, Word
from chorus.core.query.word_matching import WordCriteria, criteria_of, is_id_of
from chorus.core.query.words import tokens
from chorus.find.index.marks import mark
from chorus.find.index.patterns import is_match
from chorus.find.index.rows import ConversationRow, Document
from chorus.find.index.times import ms_of

SIGNS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
}


class Candidate(Struct):
    """An entry together with everything that a query can ask about it."""

    document: Document
    time: str
    row: ConversationRow
    cost_usd: float | None
    tokens: int
    """Tokens that the conversation used itself."""
    text: Callable[[], str]
    """Returns the text as it was written."""
    named: Iterable[tuple[str, str]] = ()
    """(kind, value) pairs of the tools, models and files that the conversation names."""


def matches(node: Node, candidate: Candidate) -> bool:
    """Returns whether the node is true for the entry. A word of only ASCII punctuation is always true."""
    match node:
        case And():
            return all(matches(each, candidate) for each in node.of)
        case Or():
            wanted = [each for each in node.of if not is_empty(each)]
            return not wanted or any(matches(each, candidate) for each in wanted)
        case Not():
            return is_empty(node.of) or not matches(node.of, candidate)
        case Word() | Phrase():
            return _matches_words(criteria_of(node), candidate)
        case Field():
            return _matches_field(node, candidate)
        case Measure():
            return _matches_measure(node, candidate)
        case Among():
            return candidate.row.name in node.names
        case Time():
            ms = ms_of(candidate.time)
            return (node.since is None or ms_of(node.since) <= ms) and (node.until is None or ms < ms_of(node.until))
        case Regex() | Literal():
            return found_in(node, compiled(node), candidate.text())


def is_empty(node: Node) -> bool:
    """Whether a node contains nothing to search for."""
    match node:
        case Word() | Phrase():
            return criteria_of(node).is_empty
        case And() | Or():
            return all(map(is_empty, node.of))
        case Not():
            return is_empty(node.of)
        case _:
            return False


def _matches_words(meaning: WordCriteria, candidate: Candidate) -> bool:
    document = candidate.document
    if is_id_of(meaning.id, candidate.row.id):
        return True
    has_words = not meaning.runs or any(_contains(document, run.words, is_prefix=run.is_prefix) for run in meaning.runs)
    return has_words and set(meaning.signs) <= set(document.parts.split())


def _contains(document: Document, words: Sequence[str], *, is_prefix: bool) -> bool:
    return any(_follow(tokens(text), words, is_prefix=is_prefix) for text in (document.text, document.parts))


def _follow(text_words: Sequence[str], words: Sequence[str], *, is_prefix: bool) -> bool:
    """Whether the words appear one after the other."""
    *before, last = words
    for n in range(len(text_words) - len(words) + 1):
        end = text_words[n + len(before)]
        if (end.startswith(last) if is_prefix else end == last) and list(text_words[n : n + len(before)]) == before:
            return True
    return False


def _matches_field(node: Field, candidate: Candidate) -> bool:
    row, marks = candidate.row, candidate.document.marks
    match node.name:
        case "role" | "is" | "has":
            return node.name + node.value in marks
        case "workspace":
            return any(
                is_match(node.value, each, kind="workspace") for each in (row.workspace, row.session.cwd) if each
            )
        case "branch":
            return is_match(node.value, row.session.git_branch, kind="branch") if row.session.git_branch else False
        case "agent":
            return is_match(node.value, row.agent, kind="agent")
        case "conversation":
            return row.name == node.value
        case "status" | "tag" | "usage" | "commit":
            # `find.search.annotations` and `find.provenance` answer these before the index is queried.
            return False
        case "tool" | "file" | "model" | "approved-by":
            return any(
                is_match(node.value, value, kind=node.name) and mark(node.name, value) in marks
                for kind, value in candidate.named
                if kind == node.name
            )
        case _:
            assert_never(node.name)


def _matches_measure(node: Measure, candidate: Candidate) -> bool:
    match node.name:
        case "cost":
            figure = candidate.cost_usd
        case "tokens":
            figure = candidate.tokens
        case "messages":
            figure = candidate.row.session.messages
        case _:
            assert_never(node.name)
    return figure is not None and SIGNS[node.sign](figure, node.value)
