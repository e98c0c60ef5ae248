"""The shape of a stored line for other tools: the source of its JSON Schema and TypeScript types."""

from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct

Count = Annotated[int, Meta(ge=0)]


class StoredLine(Struct, rename="camel", omit_defaults=True):
    """One line of a stream in the vault. It has exactly one of claudeMessage, raw and rawBase64."""

    crc: Annotated[
        int, Meta(ge=0, le=0xFFFFFFFF, description="CRC-32 of the stored line's bytes after this field's comma.")
    ]
    id: Annotated[str, Meta(description="uuid5 of conversation, stream, revision and offset; it never changes.")]
    conversation_id: Annotated[str, Meta(description="The conversation: the name of its file.")]
    agent_id: Annotated[str, Meta(description="The agent; `main` for sessions that were only observed.")]
    timestamp: Annotated[
        str, Meta(description="The record's own time in UTC; with `seen`, the time by which the line was written.")
    ]
    seq: Annotated[Count, Meta(description="The number of the line in its stream, from 0, over all revisions.")]
    offset: Annotated[Count, Meta(description="The offset of the line in its source, in bytes.")]
    end: Annotated[Literal["\n", "\r\n", ""], Meta(description="The line ending of the source; `\\n` if absent.")] = (
        "\n"
    )
    revision: Annotated[Count, Meta(description="How often the source had been rewritten before; 0 if absent.")] = 0
    seen: Annotated[bool, Meta(description="True if the record states no time.")] = False
    follows: Annotated[
        int | None,
        Meta(description="First line of a revision: how many bytes of the previous revision are still valid."),
    ] = None
    cost_usd: Annotated[float | None, Meta(description="The cost, if the record states it.")] = msgspec.field(
        default=None, name="costUSD"
    )
    duration_ms: Annotated[float | None, Meta(description="The duration, if the record states it.")] = None
    raw: Annotated[str | None, Meta(description="The source's line, if it is text but not one JSON object.")] = None
    raw_base64: Annotated[str | None, Meta(description="The source's line in base64, if it is not UTF-8.")] = None
    claude_message: Annotated[
        dict[str, Any] | None, Meta(description="The record, its bytes exactly as in the source; always last.")
    ] = None


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of a stored line; later formats may add fields that it does not list."""
    (schema,), found = msgspec.json.schema_components([StoredLine], ref_template="#/$defs/{name}")
    body = found[schema["$ref"].rpartition("/")[2]]
    for name, property_ in body["properties"].items():
        if name not in body["required"]:
            # A field without a value is left out, never null.
            property_.pop("default", None)
            kinds = [kind for kind in property_.pop("anyOf", ()) if kind != {"type": "null"}]
            for kind in kinds:
                property_.update(kind)
    contents = [{"required": [name]} for name in ("claudeMessage", "raw", "rawBase64")]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **body, "oneOf": contents}


def typescript() -> str:
    """Return the same as a TypeScript interface."""
    hints = get_type_hints(StoredLine, include_extras=True)
    lines = ['import type { ClaudeMessage } from "./records";', ""]
    lines += ["/** " + (StoredLine.__doc__ or "") + " */", "export interface StoredLine {"]
    for field in msgspec.structs.fields(StoredLine):
        kind, description = _parts(hints[field.name])
        lines += [f"  /** {description} */", f"  {field.encode_name}{'' if field.required else '?'}: {_type(kind)};"]
    return "\n".join([*lines, "}", ""])


def _parts(hint: Any) -> tuple[Any, str]:
    description = ""
    while get_origin(hint) is Annotated:
        description = next((meta.description for meta in hint.__metadata__ if meta.description), description)
        hint = hint.__origin__
    return hint, description


def _type(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return " | ".join(msgspec.json.encode(value).decode() for value in get_args(kind))
    if get_origin(kind) in (Union, UnionType):
        return " | ".join(_type(part) for part in get_args(kind) if part is not NoneType)
    if get_origin(kind) is dict:
        return "ClaudeMessage"
    return {str: "string", int: "number", float: "number", bool: "boolean"}[kind]
