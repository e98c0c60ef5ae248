"""Patterns of people, matched in time that grows with the text alone: no pattern can hold the others up."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Any, Protocol

from chorus.core.query.tree import Literal, Regex
from chorus.errors import QueryError

_MAX_MEMORY = 8 << 20
_HALF_A_CHARACTER = re.compile("[\ud800-\udfff]")
_NO_LETTER = r"[^\p{L}\p{N}]"


class Place(Protocol):
    """Where a pattern was found."""

    def start(self, group: int = 0) -> int: ...

    def end(self, group: int = 0) -> int: ...


class Pattern:
    """A pattern that can be looked for in any text."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine

    def search(self, text: str) -> Place | None:
        """The first place where it stands."""
        try:
            return self._engine.search(text)
        except UnicodeEncodeError:
            return self._engine.search(_HALF_A_CHARACTER.sub("\ufffd", text))

    def finditer(self, text: str) -> Iterator[Place]:
        """All places where it stands."""
        return self._engine.finditer(_HALF_A_CHARACTER.sub("\ufffd", text))


def compiled(node: Regex | Literal) -> Pattern:
    """The pattern ready for use; `QueryError` says what is wrong with it. What is typed literally is its last group."""
    import re2

    if isinstance(node, Literal):
        node = Regex(_literally(node), ignores_case=True)
    options = re2.Options()
    options.max_mem = _MAX_MEMORY
    options.case_sensitive = not node.ignores_case
    options.log_errors = False
    try:
        return Pattern(re2.compile(node.pattern, options=options))
    except re2.error as error:
        reason = error.args[0] if error.args else "it cannot be read"
        said = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        text = f"regex:/{node.pattern}/"
        raise QueryError(f"this pattern cannot be used: {said}", text, len("regex:/"), len(text) - 1) from error


def _literally(literal: Literal) -> str:
    """Stands as it was typed, whatever blanks are between: a letter or digit at an end is the end of its word."""
    words = literal.text.split()
    said = r"\s+".join(map(re.escape, words))
    before = f"(?:^|{_NO_LETTER})" if literal.text[:1].isalnum() else ""
    after = f"(?:$|{_NO_LETTER})" if literal.text[-1:].isalnum() and not literal.is_prefix else ""
    return f"{before}({said}){after}"


def found_in(node: Regex | Literal, pattern: Pattern, text: str) -> bool:
    """Whether a text holds what is asked for. What was typed may have its accents written in two ways."""
    if isinstance(node, Literal) and not node.text.isascii():
        text = unicodedata.normalize("NFC", text)
    return pattern.search(text) is not None
