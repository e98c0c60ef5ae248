"""Tests that the published types match the lines that are written."""

import msgspec
import pytest

from chorus.keep.vault import line_schema
from chorus.keep.vault.line import Head
from chorus.keep.vault.port import Tail
from chorus.keep.vault.revisions import encode_all
from chorus.testing.vault_contract import SOURCES
from tests.keep.vault.lines import KEY, SEEN_AT


@pytest.mark.parametrize("name", SOURCES)
def test_stored_lines_fit_their_types(name: str) -> None:
    """Every kind of line has the fields and types of the schema, and one content, which is the last field."""
    schema = line_schema.json_schema()
    lines, _ = encode_all(KEY, SOURCES[name], Tail(1, 0, 4), 0, SEEN_AT)
    for line in lines:
        fields = msgspec.json.decode(line, type=dict[str, msgspec.Raw])
        envelope = {name: value for name, value in fields.items() if name != "claudeMessage"}
        msgspec.json.decode(msgspec.json.encode(envelope), type=line_schema.StoredLine)

        assert set(schema["required"]) <= set(fields) <= set(schema["properties"])
        assert next(iter(fields)) == "crc"
        assert [field for field in fields if field in ("claudeMessage", "raw", "rawBase64")] == [list(fields)[-1]]


def test_the_reader_knows_no_other_fields() -> None:
    """The schema describes every field that the store reads, under the same name."""
    described = {field.encode_name for field in msgspec.structs.fields(line_schema.StoredLine)}

    assert {field.encode_name for field in msgspec.structs.fields(Head)} <= described
