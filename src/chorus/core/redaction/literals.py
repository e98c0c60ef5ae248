"""The strings of a JSON text: read one by one, and replaced without touching any other byte.

A string is given as it is written, without its quotes.
"""

import json

_decode = json.JSONDecoder(strict=False).decode


def divided(data: bytes) -> list[bytes]:
    """Returns a JSON text in pieces that alternate: what is between strings, then a string.

    The first and the last piece are between strings. Joined with quotes, the pieces are the text.
    """
    pieces = _between_quotes(data) if b'\\"' in data else data.split(b'"')
    if len(pieces) % 2 == 0:
        last = pieces.pop()
        pieces[-1] += b'"' + last
    return pieces


def _between_quotes(data: bytes) -> list[bytes]:
    """Returns what is between quotes that begin or end a string. There are far fewer escaped ones than others."""
    pieces: list[bytes] = []
    begun: list[bytes] = []
    parts = data.split(b'\\"')
    last = len(parts) - 1
    for place, part in enumerate(parts):
        found = part.split(b'"')
        begun.append(found[0])
        if len(found) > 1:
            pieces.append(b'\\"'.join(begun))
            pieces += found[1:-1]
            begun = [found[-1]]
        if place < last and part.endswith(b"\\") and (len(part) - len(part.rstrip(b"\\"))) % 2:
            # The backslash before the quote is itself escaped.
            pieces.append(b'\\"'.join(begun) + b"\\")
            begun = []
    pieces.append(b'\\"'.join(begun))
    return pieces


def joined(pieces: list[bytes]) -> bytes:
    """Returns the JSON text of its pieces."""
    return b'"'.join(pieces)


def is_key(after: bytes) -> bool:
    """Returns whether a string is a key, by the piece after it."""
    return after[:1] == b":" or after.lstrip()[:1] == b":"


def decoded(string: bytes) -> str:
    """Returns the text of a string."""
    text = string.decode("utf-8", "surrogateescape")
    if "\\" not in text:
        return text
    try:
        return _decode(f'"{text}"')
    except ValueError:
        return text


def encoded(text: str) -> bytes:
    """Returns a text as a string of JSON."""
    try:
        return json.dumps(text, ensure_ascii=False)[1:-1].encode()
    except UnicodeEncodeError:
        return json.dumps(text)[1:-1].encode()
