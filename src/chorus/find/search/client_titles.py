"""Finds titles that clients wrote by the words of a query: a quick look at every title, so that few are compared."""

from collections.abc import Callable

from chorus.core.query.tree import And, Node, Or, Phrase, Word
from chorus.core.query.word_matching import WordCriteria, criteria_of
from chorus.core.query.words import tokens
from chorus.find.index.port import Index
from chorus.find.payloads.texts import seen

_Test = Callable[[str, str], bool]
"""Whether a title, as it is and folded, may match."""


def titles_that_may_match(root: Node, index: Index) -> list[tuple[str, str]]:
    """Returns the names and titles of conversations whose title may match, latest activity first.

    Each title contains a word of the query, and all those that the query demands.
    """
    tests = [_test(root)]
    if not _demands_word(root):
        words = [_test_of(each) for each in _words(root) if not each.is_empty]
        tests.append(lambda title, folded: any(test(title, folded) for test in words))
    found = index.client_titles()
    for test in tests:
        found = [each for each in found if test(each[1], _folded(each[1]))]
    found.sort(key=lambda each: each[0])
    found.sort(key=lambda each: each[2] or "", reverse=True)
    return [(name, title) for name, title, _ in found]


def _demands_word(node: Node) -> bool:
    """Whether the test of a node alone makes sure that a title contains a word of the query."""
    match node:
        case Word() | Phrase():
            return not criteria_of(node).is_empty
        case And(of=nodes):
            return any(map(_demands_word, nodes))
        case Or(of=nodes):
            return all(map(_demands_word, nodes))
        case _:
            return False


def _folded(title: str) -> str:
    is_plain = title.isascii() and title.isprintable()
    return title.lower() if is_plain else " ".join(tokens(seen(title)))


def _words(node: Node) -> list[WordCriteria]:
    match node:
        case Word() | Phrase():
            return [criteria_of(node)]
        case And(of=nodes) | Or(of=nodes):
            return [each for inner in nodes for each in _words(inner)]
        case _:
            return []


def _test(node: Node) -> _Test:
    """Returns a test that is true for every title that matches, and for some others."""
    match node:
        case Word() | Phrase():
            return _test_of(criteria_of(node))
        case And(of=nodes):
            every = [_test(each) for each in nodes]
            return lambda title, folded: all(test(title, folded) for test in every)
        case Or(of=nodes):
            some = [_test(each) for each in nodes]
            return lambda title, folded: any(test(title, folded) for test in some)
        case _:
            return lambda _title, _folded: True


def _test_of(wanted: WordCriteria) -> _Test:
    runs, signs = [run.words for run in wanted.runs], wanted.signs
    if len(runs) == 1 and len(runs[0]) == 1 and not signs:
        word = runs[0][0]
        return lambda _title, folded: word in folded
    return lambda title, folded: (
        (not runs or any(all(word in folded for word in words) for words in runs))
        and all(sign in title for sign in signs)
    )
