"""JSON with places: changes a text in one spot and keeps every other byte. Pure."""

import json
import re
from json.decoder import JSONDecodeError
from typing import Any

from msgspec import Struct

MAX_DEPTH = 200
_BLANKS = " \t\r\n"
_SCALAR = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s,\]}]+', re.DOTALL)


class NotEditable(Exception):  # noqa: N818 - named by what is true
    """The text cannot be changed safely; the message says where and why."""


class Node(Struct):
    """A value in a text: `text[start:end]`."""

    start: int
    end: int
    value: Any
    """The decoded value."""
    members: "dict[str, Node] | None" = None
    """The members of an object, in order."""
    items: "list[Node] | None" = None
    """The items of an array."""
    key_start: int | None = None
    """Where the key of a member begins."""

    @property
    def begin(self) -> int:
        """Where it begins, including its key if it has one."""
        return self.start if self.key_start is None else self.key_start

    @property
    def children(self) -> "list[Node]":
        return list(self.members.values()) if self.members is not None else self.items or []


def parse(text: str) -> Node:
    """Returns the tree of a text. Raises `NotEditable` if it is not one JSON value, or repeats a key."""
    start = 1 if text.startswith("\ufeff") else 0
    try:
        json.loads(text[start:], parse_constant=_refuse_constant)
    except JSONDecodeError as error:
        raise NotEditable(f"line {error.lineno}, column {error.colno}: {error.msg}") from None
    except (RecursionError, ValueError) as error:
        raise NotEditable(str(error) or "is nested too deeply") from None
    return _value(text, _skip(text, start), 0)


def put(text: str, container: Node, rendered: "Rendered", key: str | None = None) -> str:
    """Returns the text with a member (under `key`) or item added at the end, laid out like its neighbours."""
    head = "" if key is None else json.dumps(key, ensure_ascii=False)
    if container.children:
        last = container.children[-1]
        before = text[_blank_start(text, last.begin) : last.begin]
        colon = ": " if key is None or before else ":"
        value = rendered.at(before)
        whole = f"{head}{colon}{value}" if key is not None else value
        return f"{text[: last.end]},{before}{whole}{text[last.end :]}"
    outer = _indent_of(text, container.start)
    inner = None if rendered.unit is None else rendered.newline + outer + rendered.unit
    value = rendered.at(inner or "")
    whole = f"{head}: {value}" if key is not None else value
    filled = whole if inner is None else f"{inner}{whole}{rendered.newline}{outer}"
    return f"{text[: container.start + 1]}{filled}{text[container.end - 1 :]}"


def cut(text: str, container: Node, child: Node) -> str:
    """Returns the text without one member or item; it reverts `put` exactly."""
    children = container.children
    at = next(n for n, each in enumerate(children) if each is child)
    if len(children) == 1:
        return f"{text[: container.start + 1]}{text[container.end - 1 :]}"
    if at == 0:
        return f"{text[: child.begin]}{text[children[1].begin :]}"
    return f"{text[: children[at - 1].end]}{text[child.end :]}"


class Rendered(Struct, frozen=True):
    """A value to write, and its layout."""

    value: Any
    unit: str | None
    """The indentation of each level; None for a text on one line."""
    newline: str = "\n"

    def at(self, before: str) -> str:
        """Returns its text after the blanks `before`."""
        if self.unit is None or "\n" not in before:
            return json.dumps(self.value, ensure_ascii=False)
        indent = before.rpartition("\n")[2]
        lines = json.dumps(self.value, ensure_ascii=False, indent=self.unit).split("\n")
        return (self.newline + indent).join(lines)


def layout(text: str, root: Node) -> tuple[str | None, str]:
    """Returns the indentation of a text (None if it has none) and its line ending."""
    newline = "\r\n" if "\r\n" in text else "\n"
    for child in root.children[:1]:
        before = text[_blank_start(text, child.begin) : child.begin]
        return (before.rpartition("\n")[2] or "  ", newline) if "\n" in before else (None, newline)
    return "  ", newline


def _value(text: str, at: int, depth: int) -> Node:
    """Returns the node at a place of a text that `json` has already parsed, so it is well formed."""
    if depth > MAX_DEPTH:
        raise NotEditable("is nested too deeply")
    if text[at] == "{":
        return _object(text, at, depth)
    if text[at] == "[":
        return _array(text, at, depth)
    end = _scalar_end(text, at)
    return Node(at, end, json.loads(text[at:end]))


def _object(text: str, start: int, depth: int) -> Node:
    members: dict[str, Node] = {}
    at = _skip(text, start + 1)
    while text[at] != "}":
        if text[at] == ",":
            at = _skip(text, at + 1)
        end = _scalar_end(text, at)
        key = json.loads(text[at:end])
        if key in members:
            raise NotEditable(f"line {text.count(chr(10), 0, at) + 1}: the key {json.dumps(key)} is there twice")
        member = _value(text, _skip(text, _skip(text, end) + 1), depth + 1)
        member.key_start = at
        members[key] = member
        at = _skip(text, member.end)
    return Node(start, at + 1, {key: each.value for key, each in members.items()}, members=members)


def _array(text: str, start: int, depth: int) -> Node:
    items: list[Node] = []
    at = _skip(text, start + 1)
    while text[at] != "]":
        if text[at] == ",":
            at = _skip(text, at + 1)
        items.append(_value(text, at, depth + 1))
        at = _skip(text, items[-1].end)
    return Node(start, at + 1, [each.value for each in items], items=items)


def _scalar_end(text: str, at: int) -> int:
    found = _SCALAR.match(text, at)
    assert found is not None, "json has read this text"
    return found.end()


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANKS:
        at += 1
    return at


def _blank_start(text: str, at: int) -> int:
    while at > 0 and text[at - 1] in _BLANKS:
        at -= 1
    return at


def _indent_of(text: str, at: int) -> str:
    """Returns the blanks at the beginning of the line that contains a place."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _refuse_constant(name: str) -> None:
    raise NotEditable(f"{name} is no JSON")
