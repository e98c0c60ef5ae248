"""Tests of the typed model: its structs fit the data, and fields that are decoded later can be decoded."""

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest
from msgspec import Raw, Struct

from chorus.core.records.model import TYPED
from chorus.core.records.model.base import AnyRecord, Lazy, Other, is_present
from chorus.core.records.model.describe import name_of
from chorus.core.records.model.hooks import HookPayload, PromptHistory
from chorus.core.records.model.tools import INPUTS, OUTPUTS, Bash, decode_input, decode_output
from chorus.core.records.place import StreamId
from chorus.core.records.record import Record, Unread
from chorus.core.records.split import Splitter

SHARED = Path(__file__).parents[3].parent / "shared"


def structs() -> list[type[Struct]]:
    """Returns every struct of the model, found through the fields of the records and the tools."""
    found: list[type[Struct]] = []
    todo: list[Any] = [*get_args(TYPED), Other, HookPayload, PromptHistory, *INPUTS.values(), *OUTPUTS.values()]
    while todo:
        kind = todo.pop()
        if get_origin(kind) is Annotated:
            todo += [mark.type for mark in get_args(kind) if isinstance(mark, Lazy)]
        if isinstance(kind, type) and issubclass(kind, Struct):
            if kind not in found:
                found.append(kind)
                todo += get_type_hints(kind, include_extras=True).values()
        else:
            todo += get_args(kind)
    return found


@cache
def lazies(struct: type[Struct]) -> list[tuple[str, Any, tuple[str, str] | None]]:
    return [
        (name, mark.type, mark.when)
        for name, kind in get_type_hints(struct, include_extras=True).items()
        if get_origin(kind) is Annotated
        for mark in get_args(kind)
        if isinstance(mark, Lazy) and mark.type is not AnyRecord
    ]


def unions(kind: Any) -> Iterator[Any]:
    if get_origin(kind) in (Union, UnionType):
        yield kind
    for inner in get_args(kind):
        yield from unions(inner)


def record(text: str) -> Record:
    (piece,) = Splitter(StreamId("test")).feed(text.encode() + b"\n")
    assert isinstance(piece, Record)
    return piece


def test_every_struct_decodes_an_empty_object():
    """Every struct decodes an empty object, because clients of different versions leave fields out."""
    for struct in structs():
        tag = struct.__struct_config__.tag
        empty = b"{}" if tag is None else msgspec.json.encode({"type": tag})

        assert isinstance(msgspec.json.decode(empty, type=struct), struct)


def test_what_is_left_for_later_has_a_decoder():
    """The type in `Lazy` can be decoded from bytes, and the field itself contains raw bytes."""
    for struct in structs():
        for name, kind, _ in lazies(struct):
            msgspec.json.Decoder(kind)
            assert get_type_hints(struct)[name] is Raw, f"{name_of(struct)}.{name} is decoded at once"


def test_no_bytes_in_a_union():
    """No field has `Raw` inside a union, because the decoder ignores it there."""
    for struct in structs():
        for name, kind in get_type_hints(struct).items():
            assert not any(Raw in get_args(union) for union in unions(kind)), f"{name_of(struct)}.{name}"


def test_records_are_spelled_as_on_the_wire():
    """The fields of a struct have the same names as in the data."""
    for struct in get_args(TYPED):
        assert struct.__struct_fields__ == struct.__struct_encode_fields__, name_of(struct)


def test_hook_payloads_and_prompt_history_are_records_without_a_type():
    """Hook payloads and prompt history have no `type`; they become `Other` and can still be distinguished.

    A time in milliseconds is no error.
    """
    hook = record('{"hook_event_name":"Stop","session_id":"s","stop_hook_active":false}')
    typed = record('{"display":"hi","pastedContents":{},"timestamp":1794705442041,"project":"/p","sessionId":"s"}')

    assert isinstance(hook.value, Other) and hook.value.hook_event_name == "Stop"
    assert isinstance(typed.value, Other) and typed.value.display == "hi" and typed.value.timestamp is None
    assert msgspec.json.decode(typed.json, type=PromptHistory).timestamp == 1794705442041


def test_tool_input_is_typed_or_nothing():
    """The input of a known tool has a type; an unknown tool or invalid input gives None and never an error."""
    assert decode_input("Bash", b'{"command":"ls","new":1}') == Bash(command="ls")
    assert decode_input("mcp__x__y", b"{}") is None
    assert decode_input("Bash", b'{"command":7}') is None
    assert decode_input("Bash", b"\xff{" + b"[" * 5000) is None
    assert decode_output("Bash", b'"Error: no"') is None


def test_bodies_in_the_data_decode_to_their_types():
    """In all recorded lines, every body that is decoded later fits the type that its field names."""
    if not SHARED.is_dir():
        pytest.skip(f"no recorded data at {SHARED}")
    misfits = {
        f"{path} in {piece.stream}"
        for piece in recorded()
        for path in misfitting(piece.value, name_of(type(piece.value)))
    }

    assert not misfits


def recorded() -> Iterator[Record]:
    for folder, _, names in os.walk(SHARED):
        for name in names:
            if name.endswith((".jsonl", ".raw")):
                splitter = Splitter(StreamId(name))
                for piece in (*splitter.feed((Path(folder) / name).read_bytes()), *splitter.close()):
                    if isinstance(piece, Record) and not isinstance(piece, Unread):
                        yield piece


def misfitting(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, list | dict):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from misfitting(inner, path)
    if not isinstance(value, Struct):
        return
    for name, kind, when in lazies(type(value)):
        raw = getattr(value, name)
        if is_present(raw) and (when is None or getattr(value, when[0]) == when[1]):
            try:
                body = msgspec.json.decode(raw, type=kind)
            except msgspec.DecodeError as error:
                yield f"{path}.{name}: {error}"
            else:
                yield from misfitting(body, f"{path}.{name}")
    for name in value.__struct_fields__:
        yield from misfitting(getattr(value, name), f"{path}.{name}")
