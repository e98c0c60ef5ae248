"""Encodes values as JSON. Transcripts may contain lone surrogates, which UTF-8 cannot encode; they become U+FFFD."""

from typing import Any

import msgspec

_encoder = msgspec.json.Encoder()


def encode(value: Any) -> bytes:
    """Returns `value`, which consists of structs and plain values, as JSON in UTF-8."""
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:
        return _encoder.encode(_without_surrogates(msgspec.to_builtins(value)))


def _without_surrogates(value: Any) -> Any:
    match value:
        case str():
            return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        case dict():
            return {_without_surrogates(key): _without_surrogates(inner) for key, inner in value.items()}
        case list() | tuple():
            return [_without_surrogates(inner) for inner in value]
        case _:
            return value
