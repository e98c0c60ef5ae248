"""Tests that the examples of `chorus.mobile.v1` are what the server and a phone say."""

import json
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from chorus.show.wire.mobile.incoming import MobileSaid
from chorus.show.wire.mobile.outgoing import MobileBody, MobileFrame

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = json.loads((ROOT / "docs" / "formats" / "mobile.examples.json").read_text("utf-8"))
KINDS = {"frames": (MobileFrame, MobileBody), "said": (MobileSaid, MobileSaid)}


def tags(kinds: Any) -> set[str]:
    return {each.__struct_config__.tag for each in get_args(kinds)}


@pytest.mark.parametrize("side", KINDS)
def test_each_message_has_an_example_with_all_of_its_keys(side):
    """Every type has one example, which is read as that type and written again with exactly the same keys."""
    kind, bodies = KINDS[side]
    found = [msgspec.convert(each, kind) for each in EXAMPLES[side]]

    assert json.loads(msgspec.json.encode(found)) == EXAMPLES[side]
    said = [sent.message for frame in found for sent in frame.messages] if side == "frames" else found
    assert sorted(type(each).__struct_config__.tag for each in said) == sorted(tags(bodies))


def test_the_schema_knows_each_example():
    """The JSON schema has a definition for each type, whose required keys the example has."""
    schema = json.loads((ROOT / "docs" / "formats" / "mobile.schema.json").read_text("utf-8"))["$defs"]
    defined = {
        each["properties"]["type"]["enum"][0]: each for each in schema.values() if "type" in each.get("properties", {})
    }
    said = [*EXAMPLES["said"], *(sent["message"] for frame in EXAMPLES["frames"] for sent in frame["messages"])]

    for each in said:
        definition = defined[each["type"]]
        assert set(definition.get("required", ())) <= set(each) <= set(definition["properties"])
