"""Finds what the catalogue does not know: new types, kinds and fields, and values of an unexpected shape.

Pure: takes records, returns findings. Only structures that the catalogue names are checked. Tool inputs, tool outputs
(except the content blocks of a result) and values of type `any` are not.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import msgspec

from chorus.core.records.catalog import Catalog, FindingKind, Shape, StructShape, catalog, matches, tree_of
from chorus.core.records.record import Record, Unread

MAX_FINDINGS = 10_000
"""Maximum number of different findings, so that random keys cannot fill the memory. All others count as one."""
_MAX_NAME = 200
_REST: tuple[FindingKind, str] = ("field", "(more than can be listed)")
_TYPE_NAMES = {
    str: "string",
    bool: "boolean",
    int: "number",
    float: "number",
    list: "list",
    dict: "object",
    type(None): "null",
}

_Key = tuple[FindingKind, str]
_Step = tuple[Any, Shape, str, dict[str, Any]]


class DriftItem(msgspec.Struct, frozen=True):
    """Something that the catalogue does not know."""

    kind: FindingKind
    name: str
    """A type, a kind, or the path of a field: `assistant.message.new_field`, `attachment/date.new_field`."""
    count: int
    first_version: str | None
    """The oldest client version in which it was found."""


class Drift:
    """Collects findings over records of any number of streams. The records of one stream must come in order."""

    def __init__(self) -> None:
        self._catalog: Catalog = catalog()
        self._counts: dict[_Key, int] = {}
        self._named: Counter[str] = Counter()
        self._first: dict[_Key, str] = {}
        self._versions: dict[str, str] = {}
        """The last client version seen, by stream."""
        self._version: str | None = None

    def add(self, record: Record) -> None:
        """Checks one record. Never raises. Unread bytes are not drift."""
        if isinstance(record, Unread):
            return
        tree = tree_of(record.json)
        if not tree:
            return
        version = tree.get("version") or tree.get("claude_code_version")
        if isinstance(version, str):
            self._versions[record.stream] = version
        else:
            version = self._versions.get(record.stream)
        self._version = version
        steps: list[_Step] = []
        self._record(tree, steps)
        while steps:
            self._value(*steps.pop(), steps)

    def merge(self, other: "Drift") -> None:
        """Adds the findings of another collector."""
        for key, count in other._counts.items():
            self._count(key, other._first.get(key), count)
        self._named += other._named
        self._versions |= other._versions

    def findings(self) -> list[DriftItem]:
        """Returns all findings, the most frequent first."""
        found = [DriftItem(*key, count, self._first.get(key)) for key, count in self._counts.items()]
        return sorted(found, key=lambda finding: (-finding.count, finding.kind, finding.name))

    def known_by_name(self) -> dict[str, int]:
        """Returns the types and kinds that the catalogue knows by name but not by their fields, with their counts.

        They are not findings, but their content cannot be checked.
        """
        return dict(sorted(self._named.items(), key=lambda each: (-each[1], each[0])))

    def _record(self, tree: dict[str, Any], steps: list[_Step]) -> None:
        name, struct, is_known = self._catalog.struct_of(tree)
        if not is_known:
            self._note("type", name)
        elif struct.name != "base.Other":
            self._object(tree, struct, name, steps)
        else:
            self._named[name[:_MAX_NAME]] += 1

    def _object(self, value: dict[str, Any], struct: StructShape, path: str, steps: list[_Step]) -> None:
        fields = struct.fields
        if not struct.open and not value.keys() <= fields.keys():
            for key in value.keys() - fields.keys():
                self._note("field", f"{path}.{key}")
        if kind := struct.kind:
            self._check_kind(value.get(kind.field), kind.known, kind.finding, kind.of)
        for key, inner in value.items():
            shape = fields.get(key)
            if shape is None or type(inner) in shape.scalars or shape.anything:
                continue
            steps.append((inner, shape, f"{path}.{key}", value))

    def _value(self, value: Any, shape: Shape, path: str, owner: dict[str, Any], steps: list[_Step]) -> None:
        """Checks a value that is not a plain scalar against its shape."""
        if isinstance(value, dict):
            if struct := shape.struct_for(value, owner):
                self._object(value, struct, _path_of(struct, value, path), steps)
                return
            if shape.tags:
                kind = next(iter(shape.tags.values())).union_kind
                if kind:
                    self._check_kind(value.get(kind.field), kind.known, kind.finding, kind.of)
                    if matches(str(value.get(kind.field)), kind.known):
                        self._named[f"{kind.finding}/{value.get(kind.field)}"] += 1
                return
            if shape.record:
                self._record(value, steps)
                return
            if shape.values:
                self._elements(value.values(), shape.values, f"{path}.*", value, steps)
                return
        elif isinstance(value, list) and shape.element:
            self._elements(value, shape.element, path, owner, steps)
            return
        if not shape.tool:
            self._note("shape", f"{path}: {_TYPE_NAMES.get(type(value), 'other')}")

    def _elements(
        self, values: Iterable[Any], shape: Shape, path: str, owner: dict[str, Any], steps: list[_Step]
    ) -> None:
        if not shape.anything:
            steps.extend((value, shape, path, owner) for value in values if type(value) not in shape.scalars)

    def _check_kind(self, value: Any, known: tuple[str, ...], finding: FindingKind, of: str) -> None:
        if isinstance(value, str) and value not in known and not matches(value, known):
            self._note(finding, f"{of}/{value}" if of else value)

    def _note(self, kind: FindingKind, name: str) -> None:
        self._count((kind, name[:_MAX_NAME]), self._version, 1)

    def _count(self, key: _Key, version: str | None, count: int) -> None:
        if key not in self._counts and len(self._counts) >= MAX_FINDINGS:
            key = _REST
        self._counts[key] = self._counts.get(key, 0) + count
        first = self._first.get(key)
        if version is not None and (first is None or _order(version) < _order(first)):
            self._first[key] = version


def _path_of(struct: StructShape, value: dict[str, Any], path: str) -> str:
    kind = struct.union_kind
    return f"{kind.finding}/{value.get(kind.field)}" if kind else path


def _order(version: str) -> tuple[list[int], str]:
    """Sorts `2.1.9` before `2.1.10`, and texts that are not versions after all versions."""
    parts = version.split(".")
    if not all(part.isdecimal() and len(part) < 10 for part in parts):
        return [1 << 40], version
    return [int(part) for part in parts], version
