"""Records that were written on one line with nothing between them, as after a line feed that was never written."""

import msgspec

_BETWEEN = b"}{"
_MAX_TRIES = 64
"""Such a pair may also stand in a text. Each costs a look at all that is before it, so there is a limit."""
_value = msgspec.json.Decoder(msgspec.Raw)


def parts(line: bytes) -> list[bytes] | None:
    """The JSON values of a line, each by itself; None when it does not hold several.

    What is cut inside a text is no JSON value, so each cut that leaves one before it is a true one.
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
