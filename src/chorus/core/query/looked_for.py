"""What was looked for, told term by term: nothing that was typed is left out silently."""

from collections.abc import Iterator
from typing import Literal as OneOf

from msgspec import Struct

from chorus.core.query.exact import literal_of
from chorus.core.query.tree import And, Node, Not, Or, Phrase, Query, Regex, Sequence, Word
from chorus.core.query.word_matching import is_hash, meant

How = OneOf["words", "exactly", "beginning", "pattern", "not"]


class LookedFor(Struct, frozen=True):
    """One term of a query."""

    term: str
    """As it was typed."""
    how: How
    """By its words, exactly as it was typed, as the beginning of a word, as a pattern, or not at all."""
    words: tuple[str, ...] = ()
    """The words it was looked for by, if it was by words."""
    is_id: bool = False
    """Whether conversations whose id begins so are found too."""
    is_excluded: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether it was looked for in the way that anybody expects."""
        return self.how == "pattern" or (self.how == "words" and not self.is_id)


def looked_for(query: Query, *, is_loose: bool) -> list[LookedFor]:
    """Each word, phrase and pattern of a query as it was typed, and how it was looked for."""
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
    asks = meant(node)
    words = (*asks.runs[0].words, *asks.signs) if asks.runs else asks.signs
    how: How = "words"
    if not is_loose and literal_of(node) is not None:
        how = "exactly"
    elif asks.is_empty:
        how = "not"
    elif node.is_prefix or (isinstance(node, Word) and is_hash(node.text)):
        how = "beginning"
    term = node.text + "*" * node.is_prefix
    return LookedFor(term, how, words, bool(asks.id), is_excluded)
