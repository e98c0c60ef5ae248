"""Compiles patterns with RE2, which takes linear time whatever the text is."""

from collections.abc import Sequence
from typing import Any

import re2

Pattern = Any
"""A compiled pattern; the package has no types of its own."""
_MAX_MEMORY = 64 << 20


def compiled(pattern: str) -> Pattern:
    """Returns a pattern of ours. Raises `re2.error` if it is invalid."""
    options = re2.Options()
    options.max_mem = _MAX_MEMORY
    options.log_errors = False
    return re2.compile(pattern, options=options)


class Words:
    """Finds which of many fixed texts occur in a text, in upper or lower case, in one pass."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = tuple(words)
        options = re2.Options()
        options.max_mem = _MAX_MEMORY
        options.log_errors = False
        options.case_sensitive = False
        self._set = re2.Set.SearchSet(options)
        for word in self._words:
            self._set.Add(literal(word))
        self._set.Compile()

    def in_text(self, text: str) -> list[str]:
        """Returns the words that occur in a text without lone surrogates."""
        return [self._words[number] for number in self._set.Match(text) or ()] if self._words else []


def literal(text: str) -> str:
    """Returns a pattern that matches this text and nothing else."""
    return re2.escape(text)
