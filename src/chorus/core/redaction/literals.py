"""The string literals of a JSON text: read one by one, and replaced without touching any other byte."""

import json
import re

_STRING = re.compile(rb'("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?', re.DOTALL)
_decode = json.JSONDecoder(strict=False).decode


def strings(data: bytes) -> list[tuple[bytes, bytes]]:
    """Returns the strings of a JSON text in order, as they are written; the second value is not empty for a key."""
    return _STRING.findall(data)


def divided(data: bytes) -> list[bytes | None]:
    """Returns a JSON text in pieces: by turns what is between strings, a string, and what makes it a key or None.

    The first and the last piece are between strings. Together the pieces are the text.
    """
    return _STRING.split(data)


def decoded(literal: bytes) -> str:
    """Returns the text of a string literal with its quotes."""
    text = literal.decode("utf-8", "surrogateescape")
    if "\\" not in text:
        return text[1:-1]
    try:
        return _decode(text)
    except ValueError:
        return text[1:-1]


def encoded(text: str) -> bytes:
    """Returns a text as a string literal."""
    try:
        return json.dumps(text, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(text).encode()
