"""Converts the model to TypeScript: one interface per struct, and the union of all records."""

import re
from typing import Any

from chorus.core.records.model.blocks import BLOCK_FIELDS
from chorus.core.records.model.describe import catalog_data

_HEAD = """\
/** A record of Claude Code, in any of its dialects. Narrow it by `type`. Newer clients may write other types and more
 * fields: treat a `type` that you do not know as `UnknownMessage`.
 */
"""
_NAMES = {
    "blocks.Block": "AnyBlock",
    "blocks.Message": "ApiMessage",
    "stream.Event": "ApiEvent",
    "stream.Request": "ControlRequestBody",
    "stream.Response": "ControlResponseBody",
    "system.System": "SystemMessage",
    "turns.Assistant": "AssistantMessage",
    "turns.Result": "ResultMessage",
    "turns.User": "UserMessage",
}
"""Names of interfaces whose struct has a name that is not clear on its own."""
_SCALARS = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "any": "unknown",
    "record": "ClaudeMessage",
    "tool input": "Record<string, unknown>",
    "tool output": "unknown",
    "blocks.Block": "ContentBlock",
}
_INDENT = "  "


def typescript() -> str:
    """Returns the text of `docs/formats/records.d.ts`."""
    catalog = catalog_data()
    structs: dict[str, Any] = catalog["structs"]
    parts = [_union("ClaudeMessage", [_name(name) for name in catalog["types"].values()], _HEAD)]
    parts.append(
        "/** A record of a type that is not in `ClaudeMessage`. */\n"
        "export interface UnknownMessage extends Surroundings {\n  type?: string;\n  [field: string]: unknown;\n}\n"
    )
    parts += _blocks(structs["blocks.Block"]["fields"])
    parts += [_interface(name, entry) for name, entry in structs.items() if name != "base.Other"]
    return "\n".join(parts)


def _union(name: str, members: list[str], head: str = "") -> str:
    lines = "".join(f"\n{_INDENT}| {member}" for member in members)
    return f"{head}export type {name} ={lines};\n"


def _blocks(fields: dict[str, str]) -> list[str]:
    """Returns an interface for each type of content block, with its fields, and the union of them."""
    parts = [
        _body(
            _block_name(kind),
            [f"type: {_literal(kind)};", *(f"{name}{_mark(name, needed)}: {_type(fields[name])};" for name in needed)],
        )
        for kind, needed in BLOCK_FIELDS.items()
    ]
    return [_union("ContentBlock", [_block_name(kind) for kind in BLOCK_FIELDS]), *parts]


def _mark(name: str, needed: tuple[str, ...]) -> str:
    """Returns `?` for an optional field. The first field is the main one and always present."""
    return "" if name == needed[0] else "?"


def _block_name(kind: str) -> str:
    words = kind.replace("*", "server").split("_")
    return "".join(word.capitalize() for word in words) + "Block"


def _literal(kind: str) -> str:
    return f"`{kind.replace('*', '${string}')}`" if "*" in kind else f'"{kind}"'


def _interface(name: str, entry: dict[str, Any]) -> str:
    tag = entry.get("tag")
    # The tag of a base class is the class name, which no record contains.
    lines = [f'type: "{tag}";'] if tag and tag != name.partition(".")[2] else []
    lines += [f"{_key(field)}?: {_type(shape)} | null;" for field, shape in entry["fields"].items()]
    if entry.get("open"):
        lines.append("[name: string]: unknown;")
    return _body(_name(name), lines, _name(entry["extends"]) if "extends" in entry else None)


def _body(name: str, lines: list[str], base: str | None = None) -> str:
    inner = "".join(f"{_INDENT}{line}\n" for line in lines)
    extends = f" extends {base}" if base else ""
    return f"export interface {name}{extends} {{\n{inner}}}\n"


def _name(struct: str) -> str:
    module, _, name = struct.partition(".")
    return _NAMES.get(struct) or (f"Flat{name}" if module == "flat" else name)


def _key(field: str) -> str:
    return field if re.fullmatch(r"[A-Za-z_$][\w$]*", field) else f'"{field}"'


def _type(shape: str) -> str:
    """Converts a shape of the catalogue to a TypeScript type."""
    given = _split(shape)
    # A tool defines the format of its output; if the catalogue knows more about it, that is used instead.
    terms = dict.fromkeys(_term(term) for term in given if term != "tool output" or len(given) == 1)
    return "unknown" if "unknown" in terms else " | ".join(terms)


def _split(shape: str) -> list[str]:
    """Returns the alternatives of a shape; those inside brackets stay together."""
    found, depth, start = [], 0, 0
    for at, sign in enumerate(shape):
        depth += (sign in "[{") - (sign in "]}")
        if sign == "|" and depth == 0:
            found.append(shape[start:at].strip())
            start = at + 1
    return [*found, shape[start:].strip()]


def _term(term: str) -> str:
    term = term.partition(" if ")[0]
    if term.startswith("["):
        inner = _type(term[1:-1])
        return f"({inner})[]" if " " in inner else f"{inner}[]"
    if term.startswith("{"):
        return f"Record<string, {_type(term[1:-1])}>"
    return _SCALARS.get(term) or _name(term)
