"""Patterns of people, matched in time that grows with the text alone: no pattern can hold the others up."""

from typing import Protocol

from chorus.errors import QueryError
from chorus.query.tree import Regex

_MOST_MEMORY = 8 << 20


class Pattern(Protocol):
    """A pattern that can be looked for."""

    def search(self, text: str) -> object | None: ...


def compiled(node: Regex) -> Pattern:
    """The pattern ready for use; `QueryError` says what is wrong with it."""
    import re2

    options = re2.Options()
    options.max_mem = _MOST_MEMORY
    options.case_sensitive = not node.ignores_case
    options.log_errors = False
    try:
        return re2.compile(node.pattern, options=options)
    except re2.error as error:
        reason = error.args[0] if error.args else "it cannot be read"
        said = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        text = f"regex:/{node.pattern}/"
        raise QueryError(f"this pattern cannot be used: {said}", text, len("regex:/"), len(text) - 1) from error
