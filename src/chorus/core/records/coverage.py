"""Measures how much of the data in records the model covers: the share of JSON values that have a name in the model.

Every scalar, object and array below the record's top-level object counts as one value. A value is covered if it can be
reached through named fields, list elements and free keys, and has the declared shape. Nothing below a field of type
`any` is covered. Inputs and outputs of tools are counted separately, because the tools and not the client define their
format.
"""

from functools import cache
from typing import Any

import msgspec

from chorus.core.records.catalog import Shape, StructShape, catalog, shapes, tree_of
from chorus.core.records.model.describe import describe_structs, name_of
from chorus.core.records.model.tools import INPUTS, OUTPUTS
from chorus.core.records.record import Record, Unread

TOOL_INPUTS = "tool inputs"
TOOL_OUTPUTS = "tool outputs"
_TOOL_CATEGORIES = {"input": TOOL_INPUTS, "output": TOOL_OUTPUTS}
_MAX_NAMES = 100_000
"""How many tool calls are remembered in order to find the tool of a result. Outputs of later calls count as untyped."""


class Count(msgspec.Struct):
    """The number of values, and how many of them the model covers."""

    values: int = 0
    covered: int = 0

    @property
    def share(self) -> float:
        return self.covered / self.values if self.values else 1.0


class Coverage:
    """Counts values over records of any number of streams. The records of one stream must come in order."""

    def __init__(self) -> None:
        self.counts: dict[str, Count] = {}
        """Counts by record type (`hook`, `history`, `(no type)` for records without one). Tool inputs and outputs have
        their own."""
        self._tools_by_call: dict[str, str] = {}
        """Tool names by the id of the call."""

    def add(self, record: Record) -> None:
        """Counts one record. Never raises. Unread bytes have no values."""
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
        """Adds the counts of another instance."""
        for name, count in other.counts.items():
            mine = self._count(name)
            mine.values += count.values
            mine.covered += count.covered

    def shares(self) -> dict[str, float]:
        """Returns the covered share of each record type, and of tool inputs and outputs."""
        return {name: count.share for name, count in sorted(self.counts.items())}

    def total(self) -> float:
        """Returns the covered share over all records, without tool inputs and outputs."""
        counts = [count for name, count in self.counts.items() if name not in _TOOL_CATEGORIES.values()]
        return Count(sum(count.values for count in counts), sum(count.covered for count in counts)).share

    def _count(self, name: str) -> Count:
        return self.counts.setdefault(name, Count())

    def _value(self, steps: "list[_Step]") -> None:
        """Counts one value and appends its members to `steps`."""
        value, shape, owner, name = steps.pop()
        if shape is not None and shape.tool and not (shape.when and owner.get(shape.when[0]) == shape.when[1]):
            name = _TOOL_CATEGORIES[shape.tool]
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
            if name and call and len(self._tools_by_call) < _MAX_NAMES:
                self._tools_by_call[call] = name
            return _tools()[0].get(name, _open_shape())
        if shape.element:
            return shape
        return _tools()[1].get(name or self._tools_by_call.get(call, ""), _open_shape())


_Step = tuple[Any, Shape | None, dict[str, Any], str]
"""A value, its expected shape, the object that contains it, and the name that it is counted under."""


def _fields(value: dict[str, Any], struct: StructShape | None, name: str, steps: list[_Step]) -> None:
    # In reverse, because the last step is processed first: calls come before their results.
    if struct is None:
        steps.extend((inner, None, value, name) for inner in value.values())
    else:
        known = struct.fields
        steps.extend((value[key], known.get(key), value, name) for key in reversed(value))


def _first_string(owner: dict[str, Any], *keys: str) -> str:
    return next((found for key in keys if isinstance(found := owner.get(key), str)), "")


def _answered_call(line: dict[str, Any]) -> str:
    """Returns the id of the call whose result a user line contains; empty if there is none."""
    message = line.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and (call := _first_string(block, "tool_use_id")):
            return call
    return ""


@cache
def _tools() -> tuple[dict[str, Shape], dict[str, Shape]]:
    """Returns the input and output shapes of known tools. A failed call or an MCP call returns text or blocks."""
    structs = shapes(describe_structs([*INPUTS.values(), *OUTPUTS.values()]), {})
    inputs = {name: _shape_of(structs[name_of(struct)]) for name, struct in INPUTS.items()}
    outputs = {name: _shape_of(structs[name_of(struct)]) for name, struct in OUTPUTS.items()}
    return inputs, outputs


def _shape_of(struct: StructShape) -> Shape:
    shape = _blocks_or_text()
    shape.struct = struct
    return shape


@cache
def _open_shape() -> Shape:
    shape = _blocks_or_text()
    shape.anything = True
    return shape


def _blocks_or_text() -> Shape:
    shape = Shape()
    shape.scalars |= frozenset((str,))
    shape.element = Shape()
    shape.element.struct = catalog().structs["blocks.Block"]
    return shape
