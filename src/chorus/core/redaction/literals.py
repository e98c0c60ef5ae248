"""The strings of a JSON text: read one by one, and replaced without touching any other byte.

A string is given as it is written, without its quotes.
"""

import json

_decode = json.JSONDecoder(strict=False).decode


def divided(data: bytes) -> list[bytes]:
    """Returns a JSON text in pieces: by turns what is between strings, and a string.

    The first and the last piece are between strings. Joined with quotes, the pieces are the text.
    """
    if b'\\"' not in data:
        pieces = data.split(b'"')
    else:
        # Escapes are covered, so that every quote that is left begins or ends a string.
        covered = data.replace(b"\\\\", b"..").replace(b'\\"', b"..")
        pieces, at = list[bytes](), 0
        for piece in covered.split(b'"'):
            pieces.append(data[at : at + len(piece)])
            at += len(piece) + 1
    if len(pieces) % 2 == 0:
        last = pieces.pop()
        pieces[-1] += b'"' + last
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
