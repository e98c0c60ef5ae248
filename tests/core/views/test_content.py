"""Tests of content blocks as view blocks."""

import pytest
from msgspec import Raw

from chorus.core.records.model.blocks import Block, Source
from chorus.core.views import content
from chorus.core.views.blocks import Image, Json, Note, Prose, Thinking


def test_thinking_without_text_says_why():
    """Thinking whose text was not recorded is shown with the reason, and not as an empty text."""
    assert content.view_block(Block(type="thinking", thinking="")) == Thinking(text="", reason=content._NO_TEXT)
    assert content.view_block(Block(type="redacted_thinking", data="x")) == Thinking(text="", reason=content._REDACTED)


def test_empty_text_is_nothing():
    """A text block that contains only blanks is not shown."""
    assert content.view_block(Block(type="text", text=" \n")) is None
    assert content.view_block(Block(type="text", text="a")) == Prose(markdown="a")


def test_a_picture_is_shown_by_its_facts():
    """An image is shown by its type, size and source, and its bytes are not in the view block."""
    block = Block(type="image", source=Source(type="base64", media_type="image/png", data="aGVsbG8="))

    assert content.view_block(block) == Image(media_type="image/png", size_bytes=5, source="inline")


def test_an_unknown_block_is_shown_whole():
    """A block of an unknown type is shown as JSON under its type."""
    shown = content.view_block(Block(type="hologram", title="x"))

    assert isinstance(shown, Json) and shown.title == "hologram" and '"title": "x"' in shown.text


def test_result_content_has_three_forms():
    """The content of a result is a text, a list of blocks or nothing.

    Any other content is shown as it was recorded.
    """
    assert [part.text for part in content.parts_of(Raw(b'"a"'))] == ["a"]
    assert [part.text for part in content.parts_of(Raw(b'[{"type":"text","text":"a"}]'))] == ["a"]
    assert content.parts_of(Raw()) == content.parts_of(Raw(b"null")) == []
    assert [part.text for part in content.parts_of(Raw(b'{"a":1}'))] == ['{"a":1}']
    assert [part.text for part in content.parts_of(Raw(b'"half \\ud83d"'))] == ["half \ufffd"]


def test_a_reference_names_its_tool():
    """A reference to a tool shows the name of the tool."""
    assert content.view_block(Block(type="tool_reference", tool_name="Edit")) == Note(text="tool found: Edit")


def test_json_is_laid_out_and_its_numbers_kept():
    """Indenting JSON changes no value, and text that is not JSON is not indented."""
    assert content.indented('{"a":1.10e3}') == '{\n  "a": 1.10e3\n}'
    assert content.indented("[" * 100_000) is None
    assert content.indented("{") is None


@pytest.mark.parametrize("depth", [33, 500, 2_000])
def test_what_nests_too_deep_is_shown_as_it_is(depth):
    """Deeply nested JSON is shown without indentation, because indentation would turn a megabyte into gigabytes."""
    text = '{"a":[' + ",".join(["[" * (depth - 2) + "]" * (depth - 2)] * 50) + "]}"

    assert content.indented(text) is None
    assert content.json_of(Raw(text.encode())).text == text
    assert content.indented("[" * 32 + "]" * 32)
