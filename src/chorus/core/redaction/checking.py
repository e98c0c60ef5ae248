"""The last check of an export: no hidden value may be in it, in whatever encoding."""

import json
from base64 import b64encode
from collections.abc import Iterable

from chorus.core.redaction.findings import Finding

_MIN_CHARS = 8
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-~")


def forms(value: str) -> set[bytes]:
    """Returns how a value may be written: as it is, escaped as in JSON and addresses, as hexadecimal and base64."""
    data = value.encode("utf-8", "surrogateescape")
    found = {data, _in_an_address(data, b""), _in_an_address(data, b"/")}
    found |= {json.dumps(value)[1:-1].encode(), json.dumps(value, ensure_ascii=False)[1:-1].encode("utf-8", "replace")}
    found |= {data.hex().encode(), data.hex().upper().encode()}
    for shift in range(3):
        # The first and last characters also depend on what stands before and after the value.
        encoded = b64encode(b"\0" * shift + data)
        start, end = (0, 2, 3)[shift], len(encoded) - (4 if (shift + len(data)) % 3 else 0)
        if end - start >= _MIN_CHARS:
            found.add(encoded[start:end])
            found.add(encoded[start:end].replace(b"+", b"-").replace(b"/", b"_"))
    return found


def leaks(data: bytes, hidden: Iterable[Finding]) -> list[Finding]:
    """Returns the hidden secrets that a file still contains."""
    return [
        each
        for each in hidden
        if each.rule.kind in ("secret", "named")
        and len(each.value) >= _MIN_CHARS
        and any(form in data for value in (each.value, *each.lines) for form in forms(value))
    ]


def _in_an_address(data: bytes, kept: bytes) -> bytes:
    """Returns bytes as in an address: all but letters, digits and a few marks are escaped."""
    return b"".join(bytes((each,)) if each in _PLAIN or each in kept else b"%%%02X" % each for each in data)
