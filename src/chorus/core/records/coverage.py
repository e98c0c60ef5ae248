"""How much of what records hold the typed model reaches: the share of JSON values with a name in the model.

Every scalar, object and array below the record's own object counts one. A value is covered when a chain of named
fields, list elements and free keys leads to it and it has the declared shape. Below a field that is left open nothing
is covered. What tools took and gave is counted apart: its format is the tools', not the client's.
"""

from functools import cache
from typing import Any

import msgspec

from chorus.core.records.catalog import Shape, StructShape, catalog, shapes, tree_of
from chorus.core.records.model.describe import described, name_of
from chorus.core.records.model.tools import INPUTS, OUTPUTS
from chorus.core.records.record import Record, Unread

TOOL_INPUTS = "tool inputs"
TOOL_OUTPUTS = "tool outputs"
_APART = {"input": TOOL_INPUTS, "output": TOOL_OUTPUTS}
_MAX_NAMES = 100_000
"""Tool calls remembered to know what their results are of; then they are forgotten, and outputs count as untyped."""


class Count(msgspec.Struct):
    """Values seen and values the model reaches."""

    values: int = 0
    covered: int = 0

    @property
    def share(self) -> float:
        return self.covered / self.values if self.values else 1.0


class Coverage:
    """Counts over records of any number of streams; a stream's records must come in order."""

    def __init__(self) -> None:
        self.counts: dict[str, Count] = {}
        """By record type (`hook`, `history`, `(no type)` for records without one); apart, what tools took and gave."""
        self._names: dict[str, str] = {}
        """Tool names by the id of the call."""

    def add(self, record: Record) -> None:
        """Count one record; never raises. What could not be read has no values."""
        if isinstance(record, Unread):
            return
        tree = tree_of(record.json)
        if not tree:
            return
        name, struct, _ = catalog().struct_of(tree)
        steps: list[_Step] = []
        _fields(tree, struct, name, steps)
        while steps:
            self._value(steps)

    def merge(self, other: "Coverage") -> None:
        """Add another's counts."""
        for name, count in other.counts.items():
            mine = self._count(name)
            mine.values += count.values
            mine.covered += count.covered

    def shares(self) -> dict[str, float]:
        """The covered share of each record type, and of what tools took and gave."""
        return {name: count.share for name, count in sorted(self.counts.items())}

    def total(self) -> float:
        """The covered share over all records, without what tools took and gave."""
        counts = [count for name, count in self.counts.items() if name not in _APART.values()]
        return Count(sum(count.values for count in counts), sum(count.covered for count in counts)).share

    def _count(self, name: str) -> Count:
        return self.counts.setdefault(name, Count())

    def _value(self, steps: "list[_Step]") -> None:
        """Count one value, and put what is inside it on the list."""
        value, shape, owner, name = steps.pop()
        if shape is not None and shape.tool and not (shape.when and owner.get(shape.when[0]) == shape.when[1]):
            name = _APART[shape.tool]
            shape = self._tool_shape(shape, owner)
        count = self._count(name)
        count.values += 1
        if isinstance(value, dict):
            struct = None
            if shape is not None:
                struct = catalog().struct_of(value)[1] if shape.record else shape.struct_for(value, owner)
                count.covered += struct is not None or shape.values is not None or shape.anything
            if struct is None and shape is not None and shape.values is not None:
                steps.extend((inner, shape.values, value, name) for inner in value.values())
            else:
                _fields(value, struct, name, steps)
        elif isinstance(value, list):
            element = shape.element if shape is not None else None
            count.covered += element is not None or (shape is not None and shape.anything)
            steps.extend((inner, element, owner, name) for inner in reversed(value))
        elif shape is not None:
            count.covered += shape.anything or type(value) in shape.scalars

    def _tool_shape(self, shape: Shape, owner: dict[str, Any]) -> Shape:
        name = _first_string(owner, "name", "tool_name", "toolName")
        call = _first_string(owner, "id", "tool_use_id", "toolUseId") or _answered_call(owner)
        if shape.tool == "input":
            if name and call and len(self._names) < _MAX_NAMES:
                self._names[call] = name
            return _tools()[0].get(name, _open())
        if shape.element:
            return shape
        return _tools()[1].get(name or self._names.get(call, ""), _open())


_Step = tuple[Any, Shape | None, dict[str, Any], str]
"""A value, what it should be, the object it stands in, and what it counts for."""


def _fields(value: dict[str, Any], struct: StructShape | None, name: str, steps: list[_Step]) -> None:
    # In reverse, since the last step is taken first: calls are met before their results.
    if struct is None:
        steps.extend((inner, None, value, name) for inner in value.values())
    else:
        known = struct.fields
        steps.extend((value[key], known.get(key), value, name) for key in reversed(value))


def _first_string(owner: dict[str, Any], *keys: str) -> str:
    return next((found for key in keys if isinstance(found := owner.get(key), str)), "")


def _answered_call(line: dict[str, Any]) -> str:
    """The id of the call whose result a user line holds."""
    message = line.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and (call := _first_string(block, "tool_use_id")):
            return call
    return ""


@cache
def _tools() -> tuple[dict[str, Shape], dict[str, Shape]]:
    """The shapes of what known tools take and give; what a failed or an MCP call gives is text or blocks."""
    structs = shapes(described([*INPUTS.values(), *OUTPUTS.values()]), {})
    inputs = {name: _shape_of(structs[name_of(struct)]) for name, struct in INPUTS.items()}
    outputs = {name: _shape_of(structs[name_of(struct)]) for name, struct in OUTPUTS.items()}
    return inputs, outputs


def _shape_of(struct: StructShape) -> Shape:
    shape = _blocks_or_text()
    shape.struct = struct
    return shape


@cache
def _open() -> Shape:
    shape = _blocks_or_text()
    shape.anything = True
    return shape


def _blocks_or_text() -> Shape:
    shape = Shape()
    shape.scalars |= frozenset((str,))
    shape.element = Shape()
    shape.element.struct = catalog().structs["blocks.Block"]
    return shape
