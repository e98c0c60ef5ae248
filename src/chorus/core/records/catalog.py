"""The catalogue of everything that is known about records, loaded from `catalog.json` so that data can be checked.

The file is generated from the structs of the model. `model/describe.py` explains its notation.
"""

import json
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from types import NoneType
from typing import Any

import msgspec

from chorus.core.records.model.kinds import FindingKind, Kind

_SCALARS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
}


class Shape:
    """The set of values that a field allows: any of the alternatives that its text in the catalogue lists."""

    __slots__ = ("anything", "element", "record", "scalars", "struct", "tags", "tool", "values", "when")

    def __init__(self) -> None:
        self.scalars: frozenset[type] = frozenset((NoneType,))
        self.anything = False
        self.record = False
        """Whether the value is a whole record."""
        self.tool: str | None = None
        """`input` or `output` if the tool, and not the client, defines the format."""
        self.struct: StructShape | None = None
        self.tags: dict[str, StructShape] = {}
        """The alternatives if the value is one of several structs, by its `type`."""
        self.when: tuple[str, str, StructShape] | None = None
        """A struct that applies only if a field of the owner has a given value: field, value, struct."""
        self.element: Shape | None = None
        self.values: Shape | None = None

    def struct_for(self, value: dict[str, Any], owner: dict[str, Any]) -> "StructShape | None":
        """Returns the struct that `value`, a member of `owner`, should match; None if there is none."""
        if self.when and owner.get(self.when[0]) == self.when[1]:
            return self.when[2]
        if self.tags:
            tag = value.get("type")
            return self.tags.get(tag) if isinstance(tag, str) else None
        return self.struct


class StructShape:
    """An object with named fields."""

    __slots__ = ("fields", "kind", "name", "open", "union_kind")

    def __init__(self, name: str) -> None:
        self.name = name
        self.fields: dict[str, Shape] = {}
        self.kind: Kind | None = None
        self.union_kind: Kind | None = None
        """The kind of the union that this struct belongs to."""
        self.open = False


class Catalog:
    """Everything that is known about records, by the names that appear in data."""

    def __init__(self, data: dict[str, Any]) -> None:
        kinds = {name: Kind(e["field"], tuple(e["known"]), e["finding"], e["of"]) for name, e in data["kinds"].items()}
        self.structs = shapes(data["structs"], kinds)
        self.types = {name: self.structs[struct] for name, struct in data["types"].items()}
        self.named_types: tuple[str, ...] = tuple(data["named types"])
        self.kinds = kinds
        self._untyped = [(e["key"], name, self.structs[e["struct"]]) for name, e in data["untyped"].items()]
        self._other = self.structs["base.Other"]

    def struct_of(self, record: dict[str, Any]) -> tuple[str, StructShape, bool]:
        """Returns the name of a record's type, its struct, and whether the type is known."""
        kind = record.get("type")
        if isinstance(kind, str) and kind:
            if struct := self.types.get(kind):
                return kind, struct, True
            return kind, self._other, matches(kind, self.named_types)
        for key, name, struct in self._untyped:
            if key in record:
                return name, struct, True
        return "(no type)", self._other, False


@cache
def catalog() -> Catalog:
    """Returns the catalogue that is part of this package."""
    return Catalog(json.loads(files("chorus.core.records").joinpath("catalog.json").read_bytes()))


def matches(name: str, known: tuple[str, ...]) -> bool:
    """Returns whether `name` is one of `known`, where a `*` matches any text."""
    return name in known or any("*" in pattern and fnmatchcase(name, pattern) for pattern in known)


def tree_of(text: bytes) -> dict[str, Any]:
    """Returns the JSON object in `text` as plain values; an empty dictionary if it cannot be represented."""
    try:
        try:
            tree = msgspec.json.decode(text)
        except (msgspec.DecodeError, UnicodeDecodeError):
            # JSON allows lone surrogates and huge numbers, but the fast decoder rejects them.
            loose = json.loads(text, parse_int=lambda digits: int(digits) if len(digits) < 19 else float(digits))
            tree = msgspec.json.decode(json.dumps(loose, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return {}
    return tree if isinstance(tree, dict) else {}


def shapes(structs: dict[str, Any], kinds: dict[str, Kind]) -> dict[str, StructShape]:
    """Returns the structs of a catalogue, linked to each other."""
    found = {name: StructShape(name) for name in structs}

    def fields_of(name: str) -> dict[str, Shape]:
        entry = structs[name]
        inherited = fields_of(entry["extends"]) if "extends" in entry else {}
        tag = {"type": parse("string")} if "tag" in entry else {}
        return tag | inherited | {field: parse(text) for field, text in entry["fields"].items()}

    def bases_of(name: str) -> Iterator[str]:
        while (name := structs[name].get("extends", "")) in structs:
            yield name

    def parse(text: str) -> Shape:
        shape = Shape()
        for term in _split(text):
            _take(shape, term)
        return shape

    def _take(shape: Shape, term: str) -> None:
        struct, _, condition = term.partition(" if ")
        if condition:
            field, _, value = condition.partition("=")
            shape.when = (field, value, found[struct])
        elif term.startswith("["):
            shape.element = parse(term[1:-1])
        elif term.startswith("{"):
            shape.values = parse(term[1:-1])
        elif term.startswith("tool "):
            shape.tool = term.removeprefix("tool ")
        elif term in _SCALARS:
            shape.scalars |= frozenset(_SCALARS[term])
        elif term == "any":
            shape.anything = True
        elif term == "record":
            shape.record = True
        elif "tag" in structs[term]:
            shape.tags[structs[term]["tag"]] = found[term]
        else:
            shape.struct = found[term]

    for name, entry in structs.items():
        shape = found[name]
        shape.fields = fields_of(name)
        shape.kind = kinds.get(name)
        shape.union_kind = next((kinds[base] for base in bases_of(name) if base in kinds), None)
        shape.open = entry.get("open", False)
    return found


def _split(text: str) -> list[str]:
    """Splits a shape into its alternatives; ` | ` inside brackets belongs to the inner shape."""
    terms, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char in "[{") - (char in "]}")
        if depth == 0 and text.startswith(" | ", at):
            terms.append(text[start:at])
            start = at + 3
    return [*terms, text[start:]]


__all__ = ["Catalog", "FindingKind", "Shape", "StructShape", "catalog", "matches", "shapes", "tree_of"]
