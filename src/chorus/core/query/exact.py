"""Searches words as typed: `C++` is more than the word `c`, and `Łódź` is not the word `lodz`.

An index of words contains neither the signs around a word nor the accents of its letters. A word with such characters
is first searched as typed, among the texts that contain its words. If no text contains it, its words are searched.
"""

import re
import unicodedata

from chorus.core.query.tree import And, Literal, Node, Not, Or, Phrase, Query, Sequence, Step, Word
from chorus.core.query.word_matching import criteria_of
from chorus.core.query.words import tokens

_BEFORE = "([{<\"'`“‘«¿¡"
_AFTER = ".,;:!?)]}>\"'`”’»…([{<"
"""Characters around words in a sentence, or around names in code, that are not part of what a person searches for."""
_JOINING = "._/\\:-'"
"""Signs inside identifiers, paths, versions and words: the parts on both sides may also be joined by another sign."""


_TAG = re.compile(r"</?[^\W\d_][^<>]{0,100}>")
"""A word that is a tag, as in `<div>` and `</div>`: its signs do not belong to a sentence."""


def exactly(query: Query) -> Query:
    """Returns the query with every word searched as typed, if that is more specific than its words."""
    return _convert(query, is_loose=False)


def loosely(query: Query) -> Query:
    """Returns the query with words instead of literal text. Excluded terms are still excluded as typed."""
    return _convert(query, is_loose=True)


def literal_of(node: Word | Phrase) -> Literal | None:
    """Returns the typed text if it is more specific than its words; otherwise None."""
    text = unicodedata.normalize("NFC", node.text)
    is_tag = isinstance(node, Word) and _TAG.fullmatch(text) is not None
    core = text if is_tag else text.lstrip(_BEFORE).rstrip(_AFTER)
    criteria = criteria_of(node)
    if criteria.is_empty:
        return Literal(text, node.is_prefix)
    if not core or (len(core) == 1 and criteria.signs):
        return None
    has_signs = not core[0].isalnum() or not (core[-1].isalnum() or node.is_prefix)
    has_signs = has_signs or (isinstance(node, Word) and any(map(_is_operator, core)))
    return Literal(core, node.is_prefix) if has_signs or _loses_accents(core) else None


def _is_operator(character: str) -> bool:
    """Returns whether a sign inside a typed word means something: `x!=y` is not `x_y`."""
    return character.isascii() and not character.isalnum() and character not in _JOINING


def _loses_accents(text: str) -> bool:
    """Returns whether the words of a text have other letters than the text."""
    if text.isascii():
        return False
    letters = "".join(filter(str.isalnum, text.casefold()))
    return letters != "".join(filter(str.isalnum, "".join(tokens(text))))


def _convert(query: Query, *, is_loose: bool) -> Query:
    match query.root:
        case None:
            return query
        case Sequence(steps=steps):
            changed = tuple(Step(_convert_node(step.of, is_loose=is_loose), step.within) for step in steps)
            return Query(Sequence(changed), query.text)
        case root:
            return Query(_convert_node(root, is_loose=is_loose), query.text)


def _convert_node(node: Node, *, is_loose: bool) -> Node:
    match node:
        case Word() | Phrase() if not is_loose:
            literal = literal_of(node)
            if literal is None:
                return node
            return literal if criteria_of(node).is_empty else And((node, literal))
        case And(of=nodes):
            flat: list[Node] = []
            for each in nodes:
                changed = _convert_node(each, is_loose=is_loose)
                flat += changed.of if isinstance(changed, And) else (changed,)
            return And(tuple(flat))
        case Or(of=nodes):
            return Or(tuple(_convert_node(each, is_loose=is_loose) for each in nodes))
        case Not(of=inner):
            return Not(_convert_node(inner, is_loose=False))
        case _:
            return node
