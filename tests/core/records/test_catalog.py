"""Tests of the catalogue: it is generated from the structs, and it accepts any input."""

import runpy
from pathlib import Path

import pytest

from chorus.core.records.catalog import catalog, matches, shapes, tree_of

ROOT = Path(__file__).parents[3]


def test_the_catalogue_is_not_stale():
    """`catalog.json` contains what the structs define."""
    stale = runpy.run_path(str(ROOT / "tools" / "generate.py"))["stale"]()

    assert not stale, f"{stale} stale: run `python tools/generate.py`"


def test_the_reference_names_everything_known():
    """The reference documentation names each type and kind of the catalogue."""
    page = (ROOT / "docs" / "formats" / "records.md").read_text("utf-8")
    known = {*catalog().types, *catalog().named_types}.union(*(kind.known for kind in catalog().kinds.values()))

    assert not [name for name in sorted(known) if f"`{name}`" not in page]


def test_types_lead_to_their_fields():
    """The fields of a type include the names of the record and of its envelope."""
    assistant = catalog().types["assistant"]
    message = assistant.fields["message"].struct

    assert {"type", "sessionId", "session_id", "requestId"} <= assistant.fields.keys()
    assert message is not None and message.fields["content"].element is not None


@pytest.mark.parametrize(
    ("record", "name", "is_known"),
    [
        ({"type": "user"}, "user", True),
        ({"type": "worktree-state"}, "worktree-state", True),
        ({"type": "data-flow-anything"}, "data-flow-anything", True),
        ({"type": "hologram"}, "hologram", False),
        ({"hook_event_name": "Stop"}, "hook", True),
        ({"display": "hi", "pastedContents": {}}, "history", True),
        ({"type": ["user"]}, "(no type)", False),
        ({}, "(no type)", False),
    ],
)
def test_a_record_is_recognised_by_its_type_or_by_a_key(record, name, is_known):
    """A record is recognised by its type, or without a type by a key that no other record has.

    A type is known either with its fields or by name only.
    """
    assert catalog().struct_of(record)[::2] == (name, is_known)


def test_alternatives_are_distinguished():
    """The description of a field may name scalars, lists, objects with free keys, structs and a conditional struct."""
    fields = {"a": "string | [number | x.B]", "b": "{x.B}", "c": "tool input | x.B if kind=hook"}
    a, b, c = shapes({"x.A": {"fields": fields}, "x.B": {"fields": {}}}, {})["x.A"].fields.values()

    assert str in a.scalars and a.element and float in a.element.scalars and a.element.struct
    assert b.values and b.values.struct
    assert c.tool == "input" and c.struct_for({}, {"kind": "hook"}) and not c.struct_for({}, {"kind": "tool"})


def test_a_star_stands_for_any_text():
    """A known name may be a pattern with a star that matches any text."""
    assert matches("web_search_tool_result", ("*_tool_result",))
    assert not matches("hologram", ("*_tool_result", "text"))


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        (b'{"a":1}', {"a": 1}),
        (b'{"a":"\\ud800"}', {"a": "?"}),
        (b'{"a":' + b"9" * 40 + b"}", {"a": 10**40 - 1}),
        (b'{"a":' + b"[" * 100_000, {}),
        (b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}", {}),
        (b'{"a":' + b"9" * 5000 + b"}", {}),
        (b"\xff", {}),
        (b"[1]", {}),
        (b"", {}),
    ],
)
def test_any_bytes_give_a_tree(text, tree):
    """JSON that Python can represent becomes plain values; anything else becomes an empty dict, without an error."""
    assert tree_of(text) == tree
