"""Matches patterns that people type in time linear in the text, so that no pattern can block other work."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Any, Protocol

from chorus.core.query.tree import Literal, Regex
from chorus.errors import QueryError

_MAX_MEMORY = 8 << 20
_SURROGATE = re.compile("[\ud800-\udfff]")
_NO_LETTER = r"[^\p{L}\p{N}]"


class PatternMatch(Protocol):
    """The position of a match."""

    def start(self, group: int = 0) -> int: ...

    def end(self, group: int = 0) -> int: ...


class Pattern:
    """A compiled pattern that can be searched in any text."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine

    def search(self, text: str) -> PatternMatch | None:
        """Returns the first match; None if there is none."""
        try:
            return self._engine.search(text)
        except UnicodeEncodeError:
            return self._engine.search(_SURROGATE.sub("\ufffd", text))

    def finditer(self, text: str) -> Iterator[PatternMatch]:
        """Returns all matches."""
        return self._engine.finditer(_SURROGATE.sub("\ufffd", text))


def compiled(node: Regex | Literal) -> Pattern:
    """Returns the compiled pattern. Raises `QueryError` if it is invalid. For a `Literal`, the match is group 1."""
    if isinstance(node, Literal):
        node = Regex(_pattern_of(node), ignores_case=True)
    text = f"regex:/{node.pattern}/"
    return compiled_in(text, node, len("regex:/"), len(text) - 1)


def compiled_in(text: str, node: Regex, start: int, end: int) -> Pattern:
    """Returns the compiled pattern at `text[start:end]` of a query. Raises `QueryError` if it is invalid."""
    import re2

    options = re2.Options()
    options.max_mem = _MAX_MEMORY
    options.case_sensitive = not node.ignores_case
    options.log_errors = False
    try:
        return Pattern(re2.compile(node.pattern, options=options))
    except re2.error as error:
        reason = error.args[0] if error.args else "it cannot be read"
        message = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise QueryError(f"this pattern cannot be used: {message}", text, start, end) from error


def _pattern_of(literal: Literal) -> str:
    """Returns a pattern for text as typed, with any white space between its words.

    A letter or digit at an end of the text must also be the end of a word.
    """
    words = literal.text.split()
    text = r"\s+".join(map(re.escape, words))
    before = f"(?:^|{_NO_LETTER})" if literal.text[:1].isalnum() else ""
    after = f"(?:$|{_NO_LETTER})" if literal.text[-1:].isalnum() and not literal.is_prefix else ""
    return f"{before}({text}){after}"


def found_in(node: Regex | Literal, pattern: Pattern, text: str) -> bool:
    """Returns whether a text contains the match. Accents in the text may be encoded in two ways."""
    if isinstance(node, Literal) and not node.text.isascii():
        text = unicodedata.normalize("NFC", text)
    return pattern.search(text) is not None
