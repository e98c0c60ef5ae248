"""Parses a query into a tree. `docs/guide/queries.md` describes the language.

    sequence = any { "->" [number] any }
    any      = all { "OR" all }
    all      = one { ["AND"] one }
    one      = { "-" | "NOT" } ( "(" any ")" | term )

Every text is either a `Query` or a `QueryError`. The limits keep a hostile text cheap, here and in the back ends.
"""

import re
from datetime import datetime
from typing import NoReturn, assert_never

from chorus.core.query.joining import all_of, any_of, not_of
from chorus.core.query.lex import lex
from chorus.core.query.lexemes import Lexeme, Operator, Pair, Then
from chorus.core.query.quoting import quote
from chorus.core.query.regexes import compiled_in
from chorus.core.query.terms import term
from chorus.core.query.tree import Node, Phrase, Query, Regex, Sequence, Step, Word
from chorus.errors import QueryError

MAX_CHARACTERS = 10_000
"""Maximum number of characters of a query."""
MAX_TERMS = 500
MAX_DEPTH = 50
"""Maximum number of open parentheses."""
MAX_DISTANCE = 1_000_000
"""Maximum number of calls between two steps of a sequence."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def parse(text: str, *, now: datetime) -> Query:
    """Returns the query in `text`; blank text asks for everything. `now` has the time zone of the person, for dates.

    The zone must know its daylight saving time (a `ZoneInfo` does, a fixed offset does not), or days may be wrong.
    Raises QueryError for an invalid query, and ValueError if `now` has no time zone.
    """
    if now.utcoffset() is None:
        raise ValueError("the time of the query has no time zone")
    if len(text) > MAX_CHARACTERS:
        message = f"a query may have {MAX_CHARACTERS:,} characters, and this one has {len(text):,}"
        raise QueryError(message, text, MAX_CHARACTERS, len(text))
    if (surrogate := _SURROGATE.search(text)) is not None:
        raise QueryError("this is half of a character, which no text can contain", text, *surrogate.span())
    lexemes = _lexemes_within_limits(text)
    return Query(_Parser(text, lexemes, now).sequence() if lexemes else None, text)


def _lexemes_within_limits(text: str) -> list[Lexeme]:
    lexemes: list[Lexeme] = []
    terms = 0
    for lexeme in lex(text):
        lexemes.append(lexeme)
        if isinstance(lexeme.what, Pair):
            terms += len(lexeme.what.values)
        elif not isinstance(lexeme.what, Operator | Then):
            terms += 1
        if terms > MAX_TERMS:
            raise QueryError(f"a query may have {MAX_TERMS} terms", text, lexeme.start, lexeme.end)
    return lexemes


class _Parser:
    """Reads the lexemes from left to right, with one method for each rule of the grammar."""

    def __init__(self, text: str, lexemes: list[Lexeme], now: datetime) -> None:
        self._text = text
        self._lexemes = lexemes
        self._now = now
        self._next = 0
        self._depth = 0

    def sequence(self) -> Node | Sequence:
        steps = [Step(self._any())]
        while (lexeme := self._peek()) is not None:
            if not isinstance(lexeme.what, Then):
                self._fail("nothing opened this parenthesis", lexeme)
            self._next += 1
            steps.append(Step(self._any(), self._distance(lexeme, lexeme.what)))
        return Sequence(tuple(steps)) if len(steps) > 1 else steps[0].of

    def _distance(self, arrow: Lexeme, then: Then) -> int | None:
        if not then.within:
            return None
        # Check the length first: Python refuses to convert a number with thousands of digits.
        if len(then.within) > len(str(MAX_DISTANCE)) or not 1 <= int(then.within) <= MAX_DISTANCE:
            self._fail(f"the number after -> is one of 1 to {MAX_DISTANCE:,} calls", arrow)
        return int(then.within)

    def _any(self) -> Node:
        nodes = [self._all()]
        while self._takes(Operator.OR):
            nodes.append(self._all())
        return any_of(nodes)

    def _all(self) -> Node:
        nodes = [self._one()]
        while self._takes(Operator.AND) or self._begins_a_term():
            nodes.append(self._one())
        return all_of(nodes)

    def _one(self) -> Node:
        is_negated = False
        while self._takes(Operator.NOT):
            is_negated = not is_negated
        if not self._begins_a_term():
            self._fail_without_a_term()
        lexeme = self._lexemes[self._next]
        self._next += 1
        node: Node
        match lexeme.what:
            case Operator() | Then():
                node = self._group(lexeme)
            case Pair() as pair:
                node = term(pair, self._text, now=self._now)
            case Regex() as node:
                # Before anything is searched: an index without texts would answer an invalid pattern with nothing.
                compiled_in(self._text, node, lexeme.start + len("regex:/"), lexeme.end)
            case Word() | Phrase() as node:
                pass
            case _:
                assert_never(lexeme.what)
        return not_of(node) if is_negated else node

    def _group(self, opening: Lexeme) -> Node:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self._fail(f"parentheses may be {MAX_DEPTH} deep", opening)
        node = self._any()
        self._depth -= 1
        if not self._takes(Operator.CLOSE):
            arrow = self._peek()
            if arrow is None:
                self._fail("this parenthesis is never closed", opening)
            self._fail("a sequence cannot be inside parentheses", arrow)
        return node

    def _peek(self) -> Lexeme | None:
        return self._lexemes[self._next] if self._next < len(self._lexemes) else None

    def _takes(self, mark: Operator) -> bool:
        lexeme = self._peek()
        found = lexeme is not None and lexeme.what is mark
        self._next += found
        return found

    def _begins_a_term(self) -> bool:
        lexeme = self._peek()
        if lexeme is None or isinstance(lexeme.what, Then):
            return False
        return not isinstance(lexeme.what, Operator) or lexeme.what in (Operator.OPEN, Operator.NOT)

    def _fail_without_a_term(self) -> NoReturn:
        """Raises the error for a missing term: either the previous lexeme or this one lacks something."""
        before = self._lexemes[self._next - 1] if self._next else None
        lexeme = self._peek()
        if before is not None and before.what is Operator.OPEN and lexeme is not None and lexeme.what is Operator.CLOSE:
            self._fail("there is nothing between these parentheses", Lexeme(before.start, lexeme.end, Operator.OPEN))
        if before is not None and before.what is not Operator.OPEN:
            self._fail(f"something must follow {self._named(before)}", before)
        if lexeme is not None and lexeme.what is not Operator.CLOSE:
            self._fail(f"something must come before {self._named(lexeme)}", lexeme)
        if before is not None:
            self._fail("this parenthesis is never closed", before)
        assert lexeme is not None
        self._fail("nothing opened this parenthesis", lexeme)

    def _named(self, lexeme: Lexeme) -> str:
        name = self._text[lexeme.start : lexeme.end]
        return f"{name}. To search for the text itself, quote it: {quote(name)}"

    def _fail(self, message: str, at: Lexeme) -> NoReturn:
        raise QueryError(message, self._text, at.start, at.end)
