"""Splits records that were written on one line without a separator, as after a missing line feed."""

import msgspec

_BETWEEN = b"}{"
_MAX_TRIES = 64
"""Such a pair may also be in a text. Each attempt reads everything before it, so their number is limited."""
_value = msgspec.json.Decoder(msgspec.Raw)


def parts(line: bytes) -> list[bytes] | None:
    """Returns the JSON values of a line; None when it does not contain several.

    A part that was cut inside a text is no JSON value. So each cut with a JSON value before it is a real one.
    """
    found: list[bytes] = []
    start, tries = 0, 0
    at = line.find(_BETWEEN)
    while at >= 0 and tries < _MAX_TRIES:
        tries += 1
        if _is_value(part := line[start : at + 1]):
            found.append(part)
            start, tries = at + 1, 0
        at = line.find(_BETWEEN, at + 1)
    last = line[start:]
    return [*found, last] if found and at < 0 and _is_value(last) else None


def _is_value(data: bytes) -> bool:
    try:
        _value.decode(data)
    except (msgspec.MsgspecError, RecursionError):
        return False
    return True
