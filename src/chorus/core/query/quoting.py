"""The two ways to write a text in a query: without quotes or with quotes.

In quotes, `\\"` is a quote and `\\\\` a backslash. Any other backslash is literal, so that Windows paths can be pasted.
"""

import re

from chorus.errors import QueryError

_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPED = re.compile(r'\\(["\\])')
_MAX_SHOWN_CHARS = 60


def quote(text: str) -> str:
    """Returns the text in quotes, so that `read_quoted` returns it unchanged."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def read_quoted(text: str, at: int) -> tuple[str, int]:
    """Returns the text in the quotes that open at `at`, and the index after them. Raises QueryError if it is empty."""
    found = _QUOTED.match(text, at)
    if found is None:
        raise QueryError("this quote is never closed", text, at, at + 1)
    if not found[1].strip():
        raise QueryError("there is nothing between these quotes", text, at, found.end())
    return _ESCAPED.sub(r"\1", found[1]), found.end()


def bare_end(text: str, at: int, *, stops: str = "") -> int:
    """Returns where the unquoted text that begins at `at` ends: at white space, a quote, or an unmatched parenthesis.

    So `main()` is one piece, and in `(main() OR x)` the last parenthesis is not part of it.
    """
    opened: list[int] = []
    end = at
    while end < len(text) and not (text[end].isspace() or text[end] == '"' or text[end] in stops):
        if text[end] == "(":
            opened.append(end)
        elif text[end] == ")":
            if not opened:
                break
            opened.pop()
        end += 1
    if opened:
        message = f"this parenthesis is part of a word and not closed in it. {quote_hint(text[at:end])}"
        raise QueryError(message, text, opened[0], opened[0] + 1)
    return end


def quote_hint(text: str) -> str:
    """Returns a sentence for error messages: how to search for exactly this text."""
    return f"To search for the text itself, quote it: {quote(shortened(text))}"


def shortened(text: str) -> str:
    """Returns the text, truncated to the length that fits into a message."""
    return text if len(text) <= _MAX_SHOWN_CHARS else f"{text[:_MAX_SHOWN_CHARS]}…"
