"""Words as they were typed: `C++` is more than the word `c`, and `Łódź` another word than `lodz`.

An index of words has neither the signs around a word nor the accents of its letters. What has such is looked for as it
was typed first, among the texts that have its words. Where no text has it so, its words are looked for.
"""

import unicodedata

from chorus.core.query.tree import And, Literal, Node, Not, Or, Phrase, Query, Sequence, Step, Word
from chorus.core.query.word_matching import meant
from chorus.core.query.words import tokens

_BEFORE = "([{<\"'`“‘«¿¡"
_AFTER = ".,;:!?)]}>\"'`”’»…([{<"
"""What stands around words in a sentence, or around names in code: nobody means it."""


def exactly(query: Query) -> Query:
    """The query with every word looked for as it was typed, where that says more than its words do."""
    return _each(query, is_loose=False)


def loosely(query: Query) -> Query:
    """The query with words instead of what was typed; what it rules out is still ruled out as it was typed."""
    return _each(query, is_loose=True)


def literal_of(node: Word | Phrase) -> Literal | None:
    """What was typed, where that says more than its words do; else None."""
    text = unicodedata.normalize("NFC", node.text)
    core = text.lstrip(_BEFORE).rstrip(_AFTER)
    asks = meant(node)
    if asks.is_empty:
        return Literal(text, node.is_prefix)
    if not core or (len(core) == 1 and asks.signs):
        return None
    has_signs = not core[0].isalnum() or not (core[-1].isalnum() or node.is_prefix)
    return Literal(core, node.is_prefix) if has_signs or _loses_accents(core) else None


def _loses_accents(text: str) -> bool:
    """Whether the words of a text have other letters than the text."""
    if text.isascii():
        return False
    letters = "".join(filter(str.isalnum, text.casefold()))
    return letters != "".join(filter(str.isalnum, "".join(tokens(text))))


def _each(query: Query, *, is_loose: bool) -> Query:
    match query.root:
        case None:
            return query
        case Sequence(steps=steps):
            changed = tuple(Step(_of(step.of, is_loose=is_loose), step.within) for step in steps)
            return Query(Sequence(changed), query.text)
        case root:
            return Query(_of(root, is_loose=is_loose), query.text)


def _of(node: Node, *, is_loose: bool) -> Node:
    match node:
        case Word() | Phrase() if not is_loose:
            literal = literal_of(node)
            if literal is None:
                return node
            return literal if meant(node).is_empty else And((node, literal))
        case And(of=nodes):
            flat: list[Node] = []
            for each in nodes:
                changed = _of(each, is_loose=is_loose)
                flat += changed.of if isinstance(changed, And) else (changed,)
            return And(tuple(flat))
        case Or(of=nodes):
            return Or(tuple(_of(each, is_loose=is_loose) for each in nodes))
        case Not(of=inner):
            return Not(_of(inner, is_loose=False))
        case _:
            return node
