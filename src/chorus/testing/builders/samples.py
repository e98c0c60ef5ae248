"""A line of every record type of the model, with a value in every field: for checks that must know every type."""

from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec

from chorus.core.records.model import TYPED
from chorus.core.records.model.base import Lazy
from chorus.testing.builders.lines import Line

_VALUES: dict[Any, Any] = {str: "words", int: 1, float: 1.0, bool: True, list: [], tuple: [], dict: {}}


def sample_lines() -> list[Line]:
    """Returns a line for each record type, in the order of their names."""
    return sorted((sample_line(struct) for struct in get_args(TYPED)), key=lambda line: str(line["type"]))


def sample_line(struct: Any) -> Line:
    """Returns a line of this type."""
    return {**_sample(struct), "type": struct.__struct_config__.tag}


def _sample(struct: Any) -> Line:
    hints = get_type_hints(struct, include_extras=True)
    return {field.encode_name: _value(hints[field.name]) for field in msgspec.structs.fields(struct)}


def _value(kind: Any) -> Any:
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return _sample(kind)
    arguments = get_args(kind)
    lazy = next((each.type for each in arguments[1:] if isinstance(each, Lazy)), None)
    if isinstance(lazy, type):
        return _value(lazy)
    if get_origin(kind) in (Union, UnionType):
        return _value(next(each for each in arguments if each is not type(None)))
    return _VALUES.get(get_origin(kind) or kind, {})
