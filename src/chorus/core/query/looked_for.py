"""Reports how each term of a query was searched, so that no typed term is silently ignored."""

from collections.abc import Iterator
from typing import Literal as OneOf

from msgspec import Struct

from chorus.core.query.exact import literal_of
from chorus.core.query.tree import And, Node, Not, Or, Phrase, Query, Regex, Sequence, Word
from chorus.core.query.word_matching import criteria_of, is_hash

How = OneOf["words", "exactly", "beginning", "pattern", "not"]


class LookedFor(Struct, frozen=True):
    """One term of a query."""

    term: str
    """The text as typed."""
    how: How
    """By its words, exactly as typed, as the beginning of a word, as a pattern, or not at all."""
    words: tuple[str, ...] = ()
    """The words that were searched, if it was searched by words."""
    is_id: bool = False
    """Whether conversations whose id begins with it are found too."""
    is_excluded: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether it was searched in the way that everybody expects."""
        return self.how == "pattern" or (self.how == "words" and not self.is_id)


def looked_for(query: Query, *, is_loose: bool) -> list[LookedFor]:
    """Returns each word, phrase and pattern of a query as typed, and how it was searched."""
    match query.root:
        case None:
            return []
        case Sequence(steps=steps):
            found = [each for step in steps for each in _terms(step.of, is_loose=is_loose)]
        case root:
            found = list(_terms(root, is_loose=is_loose))
    return list(dict.fromkeys(found))


def _terms(node: Node, *, is_loose: bool, is_excluded: bool = False) -> Iterator[LookedFor]:
    match node:
        case Word() | Phrase():
            yield _term(node, is_loose=is_loose and not is_excluded, is_excluded=is_excluded)
        case Regex(pattern=pattern):
            yield LookedFor(f"/{pattern}/", "pattern", is_excluded=is_excluded)
        case And(of=nodes) | Or(of=nodes):
            for each in nodes:
                yield from _terms(each, is_loose=is_loose, is_excluded=is_excluded)
        case Not(of=inner):
            yield from _terms(inner, is_loose=is_loose, is_excluded=not is_excluded)
        case _:
            return


def _term(node: Word | Phrase, *, is_loose: bool, is_excluded: bool) -> LookedFor:
    criteria = criteria_of(node)
    words = (*criteria.runs[0].words, *criteria.signs) if criteria.runs else criteria.signs
    how: How = "words"
    if not is_loose and literal_of(node) is not None:
        how = "exactly"
    elif criteria.is_empty:
        how = "not"
    elif node.is_prefix or (isinstance(node, Word) and is_hash(node.text)):
        how = "beginning"
    term = node.text + "*" * node.is_prefix
    return LookedFor(term, how, words, bool(criteria.id), is_excluded)
