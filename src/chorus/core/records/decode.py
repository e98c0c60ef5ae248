"""Decodes the bytes of one JSON object to its typed value.

Every JSON object gets a value. The only exception is `Refused`, for bytes that are not a JSON object; callers catch it.
"""

import json
from sys import float_info
from typing import Any, get_args, get_type_hints

import msgspec
from msgspec import Raw, Struct

from chorus.core.records.model import TAGS, TYPED, Value
from chorus.core.records.model.base import Other

_REFUSALS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_TYPES: dict[str, type[Struct]] = {tag: struct for struct, tag in TAGS.items()}
_typed = msgspec.json.Decoder(TYPED)
_other = msgspec.json.Decoder(Other)
_fields = msgspec.json.Decoder(dict[str, Raw])
_items = msgspec.json.Decoder(list[Raw])


MAX_VALUES = 100_000
"""A record with more values than this is not decoded: each value takes hundreds of bytes of memory, so that a line of a
few megabytes would need gigabytes. Clients write a few thousand values."""


class Refused(Exception):  # noqa: N818 - bytes that are no record are a normal case for callers
    """The bytes are not one JSON object that can be displayed. The message gives the reason."""


class TooManyValues(Refused):
    """The bytes may be a JSON object, but it has too many values for the memory."""


def decode(text: bytes, *, is_utf8: bool = False) -> Value:
    """Returns the typed value of `text`. Raises `Refused` unless it is exactly one JSON object in UTF-8.

    Pass `is_utf8=True` if the encoding was checked before.
    """
    _check_values(text)
    try:
        value = _typed.decode(text)
    except msgspec.ValidationError:
        return _decode_loosely(text)
    except _REFUSALS as error:
        raise Refused(_reason(error)) from None
    if not is_utf8 and not text.isascii():
        _check_utf8(text)
    return value


def decode_with_replacements(text: bytes) -> Value:
    """Like `decode`, for valid JSON that the fast decoder rejects: lone surrogates, huge numbers.

    What cannot be represented is replaced in the value (by U+FFFD or the nearest float). The bytes of the record stay
    the same.
    """
    _check_values(text)
    _check_utf8(text)
    try:
        tree = json.loads(text, parse_int=_bounded, parse_float=_bounded, parse_constant=_no_constant)
        if not isinstance(tree, dict):
            raise Refused("not a JSON object")
        halves = json.dumps(tree, ensure_ascii=False)
        clean = halves.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()
    except RecursionError:
        raise Refused("nested too deep") from None
    except ValueError as error:
        raise Refused(f"not JSON: {error}") from None
    return decode(clean)


def _decode_loosely(text: bytes) -> Value:
    """Decodes an object of unknown type, or of a known type with fields of unexpected shape, which stay empty."""
    _check_utf8(text)
    try:
        fields = _fields.decode(text)
    except (*_REFUSALS, msgspec.ValidationError) as error:
        raise Refused(_reason(error)) from None
    struct = _TYPES.get(_string(fields.get("type")), Other)
    if struct is Other:
        try:
            return _other.decode(text)
        except (*_REFUSALS, msgspec.ValidationError):
            pass
    return _fill(struct, fields)


def _fill(struct: type[Struct], fields: dict[str, Raw]) -> Any:
    known = _decoders_of(struct)
    fits = {name: _fit(fields[name], known[name]) for name in fields.keys() & known.keys()}
    return struct(**{name: fit for name, fit in fits.items() if fit is not None})


def _fit(raw: Raw, kind: Any) -> Any:
    """Returns `raw` as `kind`, or as much of it as fits; None if nothing fits."""
    try:
        return _decoder(kind).decode(raw)
    except (*_REFUSALS, msgspec.ValidationError):
        pass
    for option in get_args(kind) if not isinstance(kind, type) else (kind,):
        if isinstance(option, type) and issubclass(option, Struct):
            try:
                return _fill(option, _fields.decode(raw))
            except (*_REFUSALS, msgspec.ValidationError):
                continue
        if getattr(option, "__origin__", None) is list:
            try:
                items = _items.decode(raw)
            except (*_REFUSALS, msgspec.ValidationError):
                continue
            (element,) = get_args(option)
            return [fit for item in items if (fit := _fit(item, element)) is not None]
    return None


_hints: dict[type[Struct], dict[str, Any]] = {}
_decoders: dict[Any, msgspec.json.Decoder[Any]] = {}


def _decoders_of(struct: type[Struct]) -> dict[str, Any]:
    if struct not in _hints:
        hints = get_type_hints(struct)
        _hints[struct] = {name: hints[name] for name in struct.__struct_fields__}
    return _hints[struct]


def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    if kind not in _decoders:
        _decoders[kind] = msgspec.json.Decoder(kind)
    return _decoders[kind]


def _string(raw: Raw | None) -> str:
    if raw is None:
        return ""
    try:
        return msgspec.json.decode(raw, type=str)
    except (*_REFUSALS, msgspec.ValidationError):
        return ""


def _check_values(text: bytes) -> None:
    if len(text) > 2 * MAX_VALUES and has_more_values(text, MAX_VALUES):
        raise TooManyValues(f"more than {MAX_VALUES:,} values: too many to decode")


def has_more_values(text: bytes, than: int) -> bool:
    """Returns whether a JSON text has more objects, lists and further members than `than`, without decoding it.

    For most texts it is enough to count commas and brackets. If there are too many, those inside strings are excluded.
    """
    if text.count(b",") + text.count(b"{") + text.count(b"[") <= than:
        return False
    found = at = 0
    while found <= than and (begin := text.find(b'"', at)) >= 0:
        found += text.count(b",", at, begin) + text.count(b"{", at, begin) + text.count(b"[", at, begin)
        at = _end_of_string(text, begin + 1)
    return found + text.count(b",", at) + text.count(b"{", at) + text.count(b"[", at) > than


def _end_of_string(text: bytes, at: int) -> int:
    """Returns the offset after the quote that ends the string whose characters begin at `at`."""
    while (end := text.find(b'"', at)) >= 0:
        part = text[at:end]
        if (len(part) - len(part.rstrip(b"\\"))) % 2 == 0:
            return end + 1
        at = end + 1
    return len(text)


def _check_utf8(text: bytes) -> None:
    try:
        text.decode()
    except UnicodeDecodeError as error:
        raise Refused(f"not UTF-8: {error.reason} at byte {error.start}") from None


def _bounded(digits: str) -> int | float:
    """Returns the nearest number that the decoder can represent."""
    if len(digits) < 19 and digits.lstrip("-").isdigit():
        return int(digits)
    return max(-float_info.max, min(float_info.max, float(digits)))


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deep"
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8: {error.reason} at byte {error.start}"
    return str(error) or type(error).__name__
