"""The two ways a text stands in a query: bare, or in quotes.

In quotes, `\\"` is a quote and `\\\\` a backslash; any other backslash is itself, so that Windows paths can be pasted.
"""

import re

from chorus.errors import QueryError

_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPED = re.compile(r'\\(["\\])')
_LONGEST_SHOWN = 60


def quote(text: str) -> str:
    """The text in quotes, so that `read_quoted` gives it back."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def read_quoted(text: str, at: int) -> tuple[str, int]:
    """What the quotes that open at `at` hold, and where they end."""
    found = _QUOTED.match(text, at)
    if found is None:
        raise QueryError("this quote is never closed", text, at, at + 1)
    if not found[1].strip():
        raise QueryError("there is nothing between these quotes", text, at, found.end())
    return _ESCAPED.sub(r"\1", found[1]), found.end()


def bare_end(text: str, at: int, *, stops: str = "") -> int:
    """Where the bare text that begins at `at` ends: at a blank, a quote, or a parenthesis that it did not open itself.

    So `main()` is one piece, and in `(main() OR x)` the last parenthesis is none of it.
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
        message = f"this parenthesis is part of a word and not closed in it. {literally(text[at:end])}"
        raise QueryError(message, text, opened[0], opened[0] + 1)
    return end


def literally(text: str) -> str:
    """A sentence for error messages: how to search for just this text."""
    return f"To search for the text itself, quote it: {quote(shortened(text))}"


def shortened(text: str) -> str:
    """The text, if need be cut to what a message can hold."""
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"
