"""Tests that the examples of `chorus.mobile.v1` are what the server and a phone say."""

import json
from pathlib import Path
from typing import Any, get_args

import msgspec

from chorus.show.wire.mobile.incoming import MobileSaid
from chorus.show.wire.mobile.outgoing import MobileBody, MobileFrame

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = json.loads((ROOT / "docs" / "formats" / "mobile.examples.json").read_text("utf-8"))


def tags(kinds: Any) -> set[str]:
    return {str(each.__struct_config__.tag) for each in get_args(kinds)}


def written(found: Any) -> Any:
    """Returns what is sent, as JSON has it."""
    return json.loads(msgspec.json.encode(found))


def test_each_message_of_the_server_has_an_example_with_all_of_its_keys():
    """Every type has one example, which is read as that type and written again with exactly the same keys."""
    frames = [msgspec.convert(each, MobileFrame) for each in EXAMPLES["frames"]]

    assert written(frames) == EXAMPLES["frames"]
    said = [str(type(sent.message).__struct_config__.tag) for frame in frames for sent in frame.messages]
    assert sorted(said) == sorted(tags(MobileBody))


def test_each_message_of_a_phone_has_an_example_with_all_of_its_keys():
    """The same holds for what a phone says."""
    said: list[Any] = [msgspec.convert(each, MobileSaid) for each in EXAMPLES["said"]]

    assert written(said) == EXAMPLES["said"]
    assert sorted(str(type(each).__struct_config__.tag) for each in said) == sorted(tags(MobileSaid))


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
